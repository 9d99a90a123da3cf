"""One key twice in one JSON object.

What it finds
-------------
An object that names a member twice, such as two `content` in one message.  The rule is off until it is selected,
because it reads the text a second time.

Why it hurts
------------
Most readers keep the last member and drop the first without a word; some servers refuse the request.

Example
-------
`{"role": "user", "content": "Hi", "content": "Hello"}`

Fix
---
None: which of the two was meant is not in the text.
"""

from __future__ import annotations

from turnlint.rule import Rule, by_engine

RULE = Rule(by_engine)
