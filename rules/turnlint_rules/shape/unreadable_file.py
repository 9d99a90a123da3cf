"""A file that cannot be read.

What it finds
-------------
A file that may not be opened, is in no known encoding, or whose compression is damaged.

Why it hurts
------------
Nothing in it has been checked.

Fix
---
None: see the reason in the message.
"""

from __future__ import annotations

from turnlint.rule import Rule, by_engine

RULE = Rule(by_engine)
