"""Arguments that several commands take."""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from mlreduce.exceptions import ConfigurationError, unknown_name


def add_command(commands: Any, name: str, run: Callable[[argparse.Namespace], Any], text: str) -> Any:
    """Add a command and return its parser; ``run`` returns what is shown: a dict or a list of dict or str."""
    parser = commands.add_parser(name, help=text, description=text)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run, after_interruption="")
    return parser


def add_mirror(parser: Any) -> None:
    """Add the folder of published files."""
    parser.add_argument("--mirror", type=Path, help="folder to read published files from (default: MLREDUCE_MIRROR)")


def add_data(parser: Any, *, optional: bool = False) -> None:
    """Add a data set: files, or a name of the catalogue."""
    parser.add_argument(
        "data",
        nargs="*" if optional else "+",
        help="ARFF, CSV, Parquet, MATLAB, svmlight or XMC files, parts of one data set; or the name of a published one",
    )
    add_labels(parser)


def add_labels(parser: Any) -> None:
    """Add which columns are labels, how files are read, and the folder of published files."""
    parser.add_argument(
        "--labels",
        help="which are labels: how many of the last columns, first:N, names with commas, or a file (Mulan's XML, a "
        "table of labels); not needed if the file declares the labels, as Meka's do",
    )
    parser.add_argument(
        "--read", action="append", default=[], metavar="NAME=VALUE",
        help="an argument of mlreduce.read: sep=';', encoding=latin-1, drop=id,date; may be repeated",
    )  # fmt: skip
    add_mirror(parser)


def read_data(files: Sequence[str], options: argparse.Namespace) -> Any:
    """Read a data set, files or one name, as `add_data` and `add_labels` take it."""
    name = files[0]
    if len(files) == 1 and not Path(name).suffix and not Path(name).exists():
        return _published(name, options)
    from mlreduce.datasets.reading import read

    return read(files, _parse_labels(options.labels), **_read_options(options.read))


def _published(name: str, options: argparse.Namespace) -> Any:
    from mlreduce.datasets.catalogue import load_dataset, read_catalogue

    catalogue = read_catalogue()
    if name not in catalogue:
        raise ConfigurationError(unknown_name("file or data set", name, catalogue))
    if options.labels is not None or options.read:
        raise ConfigurationError(f"{name}: how it is read, and its labels, are known; leave --labels out, and --read")
    return load_dataset(name, options.mirror)


def named_value(text: str, option: str, example: str) -> tuple[str, str, Any]:
    """Return the name of NAME=VALUE, the text of the value, and the value in JSON or Python, otherwise the text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ConfigurationError(f"{option} takes NAME=VALUE, as in {example}; got {text!r}")
    for parsed in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return name, value, parsed(value)
    return name, value, value


def _read_options(given: Sequence[str]) -> dict[str, Any]:
    """Return arguments of `mlreduce.read` with values of their types."""
    from mlreduce.datasets.reading import TAKES, read

    hints, options = get_type_hints(read), {}
    known = {"format", "name", "max_bytes"}.union(*TAKES.values()) - {"labels", "n_labels"}
    for each in given:
        name, text, value = named_value(each, "--read", "sep=';'")
        if name not in known:
            raise ConfigurationError(unknown_name("argument", name, known, "--read"))
        kinds = [get_origin(kind) or kind for kind in get_args(hints[name])]
        if kinds[0] is Sequence:
            listed = isinstance(value, (list, tuple)) and text[0] in "[("
            plain = listed and all(isinstance(item, (str, int, float)) for item in value)
            value = value if plain else text.split(",")
        elif kinds[0] is str:
            value = value if isinstance(value, str) else text
        elif not isinstance(value, tuple(kinds)):
            wanted = "true or false" if bool in kinds else "an integer"
            raise ConfigurationError(f"--read {name} takes {wanted}; got {text!r}")
        options[name] = value
    return options


def check_outputs(outputs: Sequence[Path], inputs: Sequence[str | Path], force: bool) -> None:
    """Refuse to replace a file: one that is read always, any other unless it is forced; and two outputs in one file."""
    for number, output in enumerate(outputs):
        if any(Path(path).exists() and output.exists() and output.samefile(path) for path in inputs):
            raise ConfigurationError(f"{output} is read, and would be replaced; name another file to write")
        if output.resolve() in [path.resolve() for path in outputs[:number]]:
            raise ConfigurationError(f"{output} is named for two outputs; name another file for one")
        if output.exists() and not force:
            raise ConfigurationError(f"{output} already exists; --force replaces it")


def _parse_labels(text: str | None) -> Any:
    """Return which columns are labels, as `mlreduce.read` takes it."""
    if text is None:
        return None
    end, _, number = text.partition(":")
    if text.isdigit():
        return {"last": int(text)}
    if end in ("first", "last") and number.isdigit():
        return {end: int(number)}
    return text if Path(text).suffix and "," not in text else text.split(",")
