"""Command that says what an installation lacks."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata
from typing import Any

from mlreduce.commandline.arguments import add_command
from mlreduce.extras import packages_of_extras

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``doctor``."""
    add_command(commands, "doctor", _doctor, "Say what is installed and what is missing.")


def _doctor(options: argparse.Namespace) -> Any:
    found: dict[str, Any] = {"python": platform.python_version(), "mlreduce": _version("mlreduce")}
    for name in ("numpy", "scipy", "scikit-learn", "numba", "joblib", "pandas"):
        found[name] = _version(name)
    for name, extra in packages_of_extras().items():
        found[name] = _version(name) or f"missing: pip install 'mlreduce[{extra}]'"
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
