"""Command that says what an installation lacks."""

from __future__ import annotations

import argparse
import platform
from importlib import metadata
from typing import Any

from mlreduce.commandline.arguments import add_command

__all__ = ["OPTIONAL", "add_commands"]

#: Packages that not all uses need, and what for.
OPTIONAL = {
    "pyarrow": "Parquet files",
    "matplotlib": "figures",
    "snakemake": "the workflow",
    "scikit-posthocs": "critical-difference diagrams",
}


def add_commands(commands: Any) -> None:
    """Add ``doctor``."""
    add_command(commands, "doctor", _doctor, "Say what is installed and what is missing.")


def _doctor(options: argparse.Namespace) -> Any:
    found: dict[str, Any] = {"python": platform.python_version(), "mlreduce": _version("mlreduce")}
    for name in ("numpy", "scipy", "scikit-learn", "numba", "pandas"):
        found[name] = _version(name)
    for name, use in OPTIONAL.items():
        found[name] = _version(name) or f"missing; needed for {use}: pip install {name}"
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
