"""A baseline entry that matches nothing.

What it finds
-------------
An entry of the baseline file whose finding is gone.

Why it hurts
------------
The next finding of that kind would pass unseen.

Fix
---
None here: `turnlint baseline prune` takes such entries out.
"""

from __future__ import annotations

from turnlint.rule import Rule, by_engine

RULE = Rule(by_engine)
