"""A source in which no conversation was found.

What it finds
-------------
A file that was named on the command line (or a value given to `check`) and that is in no known container or dialect.
A file found by walking a directory is only counted.  `--unrecognised` changes both.

Why it hurts
------------
A file is never clean because nothing looked at it.

Fix
---
None: name the dialect with `--dialect`, or leave the file out.
"""

from __future__ import annotations

from turnlint.rule import Example, Rule, by_engine

RULE = Rule(
    by_engine,
    valid=(
        Example([{"role": "user", "content": "Hi"}]),
        Example({"messages": [{"role": "user", "content": "Hi"}]}),
    ),
    invalid=(
        Example({"name": "a package", "version": 1}),
        Example([1, 2, 3]),
    ),
)
