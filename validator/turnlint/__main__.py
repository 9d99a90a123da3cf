"""``python -m turnlint``."""

from __future__ import annotations

import sys

from turnlint.cli import main

sys.exit(main())
