"""Programs in the place of methods and predictors of a study: what an entry with ``program`` stands for."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from mlreduce.exceptions import ConfigurationError

__all__ = ["FAMILIES", "class_of_program", "versions", "with_programs"]

_PACKAGE = "mlreduce.programs"
# The class that stands for a program, by what it writes.
_CLASSES = {
    **dict.fromkeys(("scores", "ranking"), "ProgramSelector"),
    **{"directions": "ProgramProjection", "transformed": "ProgramTransformer", "codes": "ProgramCoder"},
}
#: Families of the classes.
FAMILIES = {
    f"{_PACKAGE}.ProgramSelector": "selection",
    f"{_PACKAGE}.ProgramProjection": "projection",
    f"{_PACKAGE}.ProgramTransformer": "projection",
    f"{_PACKAGE}.ProgramCoder": "labelspace",
}
# Seconds that a command may take to print its version.
_SECONDS = 60.0


def with_programs(content: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """Return the content of a study file with classes of `mlreduce.programs` in the place of programs.

    Their files are named from the folder of the study file, and get a digest, on which jobs depend. Raises
    ConfigurationError if a file does not exist, or a method does not say what its program writes.
    """

    def made(label: str, entry: Mapping[str, Any], name: str | None) -> dict[str, Any]:
        if "program" not in entry:
            return dict(entry)
        others = {key: value for key, value in entry.items() if key not in ("program", "writes")}
        return {**class_of_program(f"{path}: {label}", entry, Path(path).parent, name), **others}

    groups = {
        group: {label: made(label, entry, None) for label, entry in methods.items()}
        for group, methods in content["methods"].items()
    }
    predictors = {label: made(label, entry, "ProgramClassifier") for label, entry in content["predictors"].items()}
    return {**content, "methods": groups, "predictors": predictors}


def class_of_program(where: str, entry: Mapping[str, Any], folder: Path, name: str | None = None) -> dict[str, Any]:
    """Return the class that stands for the program of an entry, and under ``program`` this with a digest of its files.

    ``where`` is for messages. The entry has ``program`` and ``writes``; its files are named from the folder. The name
    of the class is by default that of what the program writes. Raises ConfigurationError if a file does not exist, or
    the entry does not say what its program writes.
    """
    from mlreduce.programs import with_digest

    if name is None and "writes" not in entry:
        raise ConfigurationError(f"{where}: writes must say what the program writes: {', '.join(_CLASSES)}")
    given = entry["program"]
    program = {"command": given} if isinstance(given, str) else dict(given)
    # As paths from the working folder, results do not depend on where that is.
    program["files"] = [os.path.relpath(folder / file) for file in program.get("files", [])]
    try:
        program = with_digest(program)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    return {"class": f"{_PACKAGE}.{name or _CLASSES[entry['writes']]}", "program": program}


def versions(entries: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, str]:
    """Return the first lines that the commands of programs print for their versions, by the labels of the entries."""
    found = {}
    for label, entry in entries:
        program = entry.get("program")
        if isinstance(program, Mapping) and "version" in program:
            found[label] = _first_line(program["version"])
    return found


@cache  # planning evaluates the description of a study several times
def _first_line(command: str) -> str:
    with suppress(OSError, subprocess.TimeoutExpired):
        run = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False, timeout=_SECONDS)
        return next((line.strip() for line in (run.stdout + run.stderr).splitlines() if line.strip()), "")
    return "not available"
