"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# No test is timed: a machine that is busy with something else must not fail one.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
