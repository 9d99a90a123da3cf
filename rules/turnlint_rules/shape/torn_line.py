"""A line that was not written to its end, or holds more than one value.

What it finds
-------------
In JSONL: a last line that is cut, several values on one line, NUL bytes where a machine lost power, a byte order mark
in the middle; and a `.json` file that holds one value a line.  A cut last line is a warning, because a log may be
read while it is written.

Why it hurts
------------
The line is lost to whatever reads the file, and everything behind it may be.

Example
-------
`{"role": "user", "content": "Hi"}{"role": "assistant", "content": "Hel`

Fix
---
safe: records get lines of their own, NUL bytes between them go, and so does a last line that holds nothing else.
unsafe for a last line that is cut: what there is of its record goes with it.
None inside a file: what was not written is lost, and what stands there may be read by hand.
"""

from __future__ import annotations

from turnlint.rule import Rule, by_engine

RULE = Rule(by_engine)
