"""One assistant message cut apart by other records.

What it finds
-------------
In logs that write a message in several records (one for each block, with one message ID): a record of something else,
such as a result or a user message, between two records of one message.  The message is read as a whole, at the place
of its first record.

Why it hurts
------------
What resumes such a log may read two assistant messages where there was one, part a call from its siblings, and send a
history that is refused.

Fix
---
None: the log is what it is.
"""

from __future__ import annotations

from turnlint.rule import Rule, by_engine

RULE = Rule(by_engine)
