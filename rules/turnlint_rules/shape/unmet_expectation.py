"""The configuration expects a rule to fire, and it does not.

What it finds
-------------
A file for which `expect` names a rule that finds nothing there.  Fixtures that are broken on purpose are listed so:
they pass as long as they are broken in the way that is expected.

Why it hurts
------------
The fixture no longer shows what it was made for.

Fix
---
None: mend the fixture, or take the expectation out.
"""

from __future__ import annotations

from turnlint.rule import Rule, by_engine

RULE = Rule(by_engine)
