"""Text that no encoding of Unicode allows.

What it finds
-------------
Half of a surrogate pair written as an escape (`\\ud83d` alone), or bytes that are no UTF-8 in a file that is UTF-8
otherwise.

Why it hurts
------------
The text cannot be encoded again: SDKs fail before they send the request, and servers refuse it.  It happens when text
is cut after a number of characters, in the middle of an emoji.

Example
-------
`{"role": "user", "content": "Well done \\ud83d"}`

Fix
---
None: the other half is lost.
"""

from __future__ import annotations

from turnlint.rule import Rule, by_engine

RULE = Rule(by_engine)
