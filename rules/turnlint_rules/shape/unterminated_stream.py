"""A recorded stream without its end, or with calls whose name or ID never came.

What it finds
-------------
A recorded answer of server-sent events that stops before the provider said so, or whose fragments of calls do not
make up whole calls: a name, an ID or the end of the arguments is missing.

Why it hurts
------------
The message put together from such a stream is not what the model said.  A client that stores it saves a broken call.

Fix
---
None: record the exchange again.
"""

from __future__ import annotations

from turnlint.rule import Rule, by_engine

RULE = Rule(by_engine)
