"""A recording that was refused for its messages, and no rule explains it.

What it finds
-------------
A recorded request that the provider answered with an error about its messages, while no rule finds an error in it.
The answer is quoted.

Why it hurts
------------
Something in the history is wrong that turnlint does not know yet, or the provider's rules have changed.

Fix
---
None.  The recording is worth reporting: with it, the missing rule can be written.
"""

from __future__ import annotations

from turnlint.rule import Rule, by_engine

RULE = Rule(by_engine)
