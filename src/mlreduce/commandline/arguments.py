"""Arguments that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["add_command", "add_data", "add_mirror", "read_data"]


def add_command(commands: Any, name: str, run: Callable[[argparse.Namespace], Any], text: str) -> Any:
    """Add a command and return its parser.

    Parameters
    ----------
    commands : object
        From ``add_subparsers``.
    name : str
    run : callable
        Takes the parsed arguments and returns what is shown: a dict or a list of dict or str.
    text : str
        What it does.
    """
    own = commands.add_parser(name, help=text, description=text)
    own.add_argument("--json", action="store_true", help="print JSON")
    own.set_defaults(run=run, after_interruption="")
    return own


def add_mirror(own: argparse.ArgumentParser) -> None:
    """Add the folder of published files."""
    own.add_argument("--mirror", type=Path, help="folder to read published files from (default: MLREDUCE_MIRROR)")


def add_data(own: argparse.ArgumentParser) -> None:
    """Add the files of a data set."""
    own.add_argument("data", nargs="+", help="ARFF, CSV, Parquet, MATLAB, svmlight or XMC files, parts of one data set")
    own.add_argument(
        "--labels",
        help="which are labels: how many of the last columns, first:N, names with commas, or a file (Mulan's XML, a "
        "table of labels); not needed where the file says it, as Meka's do",
    )


def read_data(options: argparse.Namespace) -> Any:
    """Read the files that `add_data` takes."""
    from mlreduce.datasets.reading import read

    asked: Any = options.labels
    if asked is not None:
        end, _, number = asked.partition(":")
        if asked.isdigit():
            asked = {"last": int(asked)}
        elif end in ("first", "last") and number.isdigit():
            asked = {end: int(number)}
        elif not Path(asked).suffix or "," in asked:
            asked = asked.split(",")
    return read(options.data, asked)
