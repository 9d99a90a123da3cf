"""Puts a compact copy of each data file into the wheel: reading TOML takes longer than checking a small file.

A copy lies beside its file, as JSON: ``{"size": bytes of the TOML file, "data": what it holds}``.  A checkout and an
editable installation have none, and read the TOML.
"""

from __future__ import annotations

import json
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "rules/turnlint_rules/targets"


class CompactData(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the copies to a wheel, and nothing to anything else."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        self._copies = tempfile.TemporaryDirectory()
        folder = Path(self.root, FOLDER)
        for number, file in enumerate(sorted(folder.rglob("*.toml"))):
            copy = Path(self._copies.name, f"{number}.json")
            data = {"size": file.stat().st_size, "data": tomllib.loads(file.read_text(encoding="utf-8"))}
            copy.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
            inside = file.relative_to(folder.parents[1]).with_suffix(".json").as_posix()
            build_data["force_include"][str(copy)] = inside

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if hasattr(self, "_copies"):
            self._copies.cleanup()
