"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ["TURNLINT_NO_CACHE"] = "1"  # only the tests of the cache keep reports, in folders of their own

# No test is timed: a machine that is busy with something else must not fail one.  Drawn examples are the same in every
# run, so that a test fails for a change and not for a draw; TURNLINT_DRAW=anew looks for new ones.
settings.register_profile("patient", deadline=None, derandomize=os.environ.get("TURNLINT_DRAW") != "anew")
settings.load_profile("patient")
