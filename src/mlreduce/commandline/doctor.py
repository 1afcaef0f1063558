"""Command that reports what is missing from an installation."""

from __future__ import annotations

import argparse
import platform
import re
from importlib import metadata
from typing import Any

from mlreduce.commandline.arguments import add_command
from mlreduce.exceptions import install_line

#: Extras for users, from the smallest; the others are for the development of the project.
EXTRAS = ("data", "plot", "onnx", "completion", "workflow")

_REQUIREMENT = re.compile(r"""([A-Za-z0-9._-]+).*;.*\bextra == ['"]([a-z]+)['"]""")


def add_commands(commands: Any) -> None:
    """Add ``doctor``."""
    command = add_command(commands, "doctor", _doctor, "Report what is installed and what is missing.")
    command.add_argument(
        "--compile", action="store_true", help="compile the loops of all methods ahead, so that no first fit waits"
    )


def _doctor(options: argparse.Namespace) -> Any:
    if options.compile:
        from mlreduce.commandline.compiling import compile_loops  # brings all methods along

        compile_loops()
    names = ("mlreduce", "numpy", "scipy", "scikit-learn", "numba", "joblib", "pandas")
    optional = {
        name: _version(name) or f"missing: {install_line(extra)}" for name, extra in packages_of_extras().items()
    }
    return {"python": platform.python_version(), **{name: _version(name) for name in names}, **optional}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def packages_of_extras() -> dict[str, str]:
    """Return the first of the extras that has each optional package, from the metadata of the installation."""
    try:
        requirements = metadata.requires("mlreduce") or []
    except metadata.PackageNotFoundError:  # a checkout on the path, not installed
        return {}
    pairs = [match.groups() for text in requirements if (match := _REQUIREMENT.match(text))]
    packages = {
        name: extra for wanted in reversed(EXTRAS) for name, extra in pairs if extra == wanted and name != "mlreduce"
    }
    return dict(sorted(packages.items(), key=lambda item: (EXTRAS.index(item[1]), item[0].lower())))
