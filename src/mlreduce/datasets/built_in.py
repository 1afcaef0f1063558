"""Files of the built-in catalogue, and their content."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

BUILT_IN = Path(__file__).with_name("datasets.toml")
#: Sets that no study names, read on demand: every job of the workflow reads the other file.
FURTHER = Path(__file__).with_name("further-datasets.toml")


@cache
def read_entries(file: Path) -> dict[str, Any]:
    """Return the content of a file of the catalogue, which is parsed once."""
    return tomllib.loads(file.read_text(encoding="utf-8"))
