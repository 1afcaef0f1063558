"""Arguments that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mlreduce.exceptions import ConfigurationError, unknown_name

__all__ = ["add_command", "add_data", "add_labels", "add_mirror", "check_outputs", "read_data"]


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


def add_mirror(own: Any) -> None:
    """Add the folder of published files."""
    own.add_argument("--mirror", type=Path, help="folder to read published files from (default: MLREDUCE_MIRROR)")


def add_data(own: Any, *, optional: bool = False) -> None:
    """Add a data set: files, or a name of the catalogue."""
    own.add_argument(
        "data",
        nargs="*" if optional else "+",
        help="ARFF, CSV, Parquet, MATLAB, svmlight or XMC files, parts of one data set; or the name of a published one",
    )
    add_labels(own)


def add_labels(own: Any) -> None:
    """Add which columns are labels, and the folder of published files."""
    own.add_argument(
        "--labels",
        help="which are labels: how many of the last columns, first:N, names with commas, or a file (Mulan's XML, a "
        "table of labels); not needed where the file says it, as Meka's do",
    )
    add_mirror(own)


def read_data(files: Sequence[str], options: argparse.Namespace) -> Any:
    """Read a data set as `add_data` takes it.

    Parameters
    ----------
    files : sequence of str
        Files, or one name.
    options : argparse.Namespace
        With ``labels`` and ``mirror``.

    Raises
    ------
    DataError
        If it cannot be read.
    ConfigurationError
        If there is neither a file nor a data set of that name.
    """
    name = files[0]
    if len(files) == 1 and not Path(name).suffix and not Path(name).exists():
        return _published(name, options)
    from mlreduce.datasets.reading import read

    return read(files, _labels(options.labels))


def _published(name: str, options: argparse.Namespace) -> Any:
    from mlreduce.datasets.catalogue import load_dataset, read_catalogue

    catalogue = read_catalogue()
    if name not in catalogue:
        raise ConfigurationError(unknown_name("file or data set", name, catalogue))
    if options.labels is not None:
        raise ConfigurationError(f"{name}: which are its labels is known; leave --labels out")
    return load_dataset(name, options.mirror)


def check_outputs(outputs: Sequence[Path], inputs: Sequence[str | Path], force: bool) -> None:
    """Refuse to replace a file: one that is read always, any other unless it is forced.

    Raises
    ------
    ConfigurationError
        If an output is an input, or there, or named twice.
    """
    for number, output in enumerate(outputs):
        if any(Path(own).exists() and output.exists() and output.samefile(own) for own in inputs):
            raise ConfigurationError(f"{output} is read, and would be replaced; name another file to write")
        if output.resolve() in [own.resolve() for own in outputs[:number]]:
            raise ConfigurationError(f"{output} is named for two outputs; name another file for one")
        if output.exists() and not force:
            raise ConfigurationError(f"{output} is there already; --force replaces it")


def _labels(asked: str | None) -> Any:
    """Return which columns are labels, as `mlreduce.read` takes it."""
    if asked is None:
        return None
    end, _, number = asked.partition(":")
    if asked.isdigit():
        return {"last": int(asked)}
    if end in ("first", "last") and number.isdigit():
        return {end: int(number)}
    return asked if Path(asked).suffix and "," not in asked else asked.split(",")
