"""One assistant message cut apart by other records.

What it finds
-------------
In logs that write a message in several records (one for each block, with one message ID): words of the user between
two records of one message.  Results may stand there: tools that run side by side are answered one by one.

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
