"""Commands and names in docs/compare.md exist; its Python runs with that of the other pages."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from pathlib import Path

import mlreduce.comparison
from mlreduce.commandline.program import parser

PAGE = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def test_what_it_names_is_there():
    names = re.findall(r"^\| `found\.(\w+)", PAGE, flags=re.MULTILINE)
    assert len(names) == 6
    known = {*dir(mlreduce.comparison.Comparison), *(own.name for own in fields(mlreduce.comparison.Comparison))}
    assert set(names) <= known


def test_the_commands_are_understood():
    commands = [line for line in "".join(blocks("bash")).splitlines() if line.startswith("mlreduce ")]
    assert len(commands) == 3
    for line in commands:
        parser().parse_args(shlex.split(line, comments=True)[1:])
