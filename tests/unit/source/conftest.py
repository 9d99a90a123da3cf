"""How the property tests of this folder run."""

from __future__ import annotations

from hypothesis import settings

# A busy machine makes single examples slow, which says nothing about the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
