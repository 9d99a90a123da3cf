"""The document does not parse.

What it finds
-------------
A JSON or YAML document with a fault in its syntax: a comma too many, a string that does not end, a value that JSON
does not have (`NaN`, `Infinity`).  The diagnostic says where and why.  The other documents of the source are checked
all the same.

Why it hurts
------------
Nothing can read the document, so that nothing in it has been checked.

Example
-------
`{"messages": [{"role": "user", "content": "Hi"},]}`

Fix
---
None: what was meant is not in the text.
"""

from __future__ import annotations

from turnlint.rule import Rule, by_engine

RULE = Rule(by_engine)
