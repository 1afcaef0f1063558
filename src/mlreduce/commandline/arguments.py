"""Arguments that several commands take."""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from mlreduce.exceptions import ConfigurationError, check_known_name

# A value of Python in a message, and what messages name in Python with what a command takes in its place.
_TEXT = r"""'[^']*'|"[^"]*\""""
_VALUE = rf"{_TEXT}|\[(?:{_TEXT}|[^][])*\]|\((?:{_TEXT}|[^()])*\)|[\w:]+|"
_IN_PYTHON = (
    (r"\{['\"](first|last)['\"]: (\w+)\}", r"\1:\2"),
    (r", as by urllib\.request\.\S+ \S+\)|, or in Python, with the package (?s:.*)", ""),
    (r"pandas\.read_json\(.* writes a table", "pandas or another program writes a table of it"),
    (r'mlreduce\.list_methods\(unknown_labels="cells"\)', "mlreduce list --unknown-labels cells"),
    (r"\bmlreduce\.(compare|recommend)\b", r"mlreduce \1"),
    (r"\b([Tt])he same call with the same store|\b([Tt])he same call(?= resumes)", r"\1\2he same command"),
    (r"resumes if it has a store", "resumes"),
    (r"All are in the attribute failures", "All are on the page"),
    (r"; give a dict with a label for each", "; name it once"),
    (r"\bunder predictors\b", "by --predictors"),
    (r"\btime_budget=([\d.e-]+) s", r"\1 s"),
    (r",? or None; got", "; got"),
    (r"^k must be", "--components must be"),
    (r"--config mirror=FOLDER", "--mirror FOLDER"),
    (r"--config cache=FOLDER or ", ""),
)


def add_command(commands: Any, name: str, run: Callable[[argparse.Namespace], Any], text: str) -> Any:
    """Add a command and return its parser; ``run`` returns what is shown: a dict or a list of dict or str."""
    parser = commands.add_parser(name, help=text, description=text)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run, after_interruption="", also={})
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
        help="how files are read: sep=';', encoding=latin-1, drop=id,date; may be repeated",
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
    check_known_name("file or data set", name, catalogue)
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


def in_options(text: str, also: Mapping[str, str] | None = None) -> str:
    """Return a message of the library with the options of a command where it names arguments of Python.

    ``also`` has the options of a command to arguments that are no others' than its.
    """
    for pattern, replacement in _IN_PYTHON:
        text = re.sub(pattern, replacement, text)
    forms = {name: f"--read {name}=" for name in _readable()} | {"labels": "--labels ", "impute": "--impute "}
    forms |= {name: f"{option} " for name, option in (also or {}).items()}
    names = rf"(?<!--read )\b({'|'.join(sorted(forms))})=({_VALUE})"
    text = re.sub(names, lambda each: f"{forms[each[1]]}{_typed(each[2])}".rstrip(), text)
    return re.sub(rf"(?<![-'])\b({'|'.join(also or ['$^'])})\b", lambda each: forms[each[1]].rstrip(), text)


def _typed(value: str) -> str:
    """Return a value of Python as it is typed into a shell."""
    try:
        parsed = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value
    if isinstance(parsed, (list, tuple)):
        plain = not any("," in str(each) for each in parsed)
        parsed = ",".join(map(str, parsed)) if plain else json.dumps(parsed)
    return shlex.quote(parsed if isinstance(parsed, str) else json.dumps(parsed))


def _readable() -> set[str]:
    from mlreduce.datasets.reading import TAKES

    return {"format", "name", "max_bytes"}.union(*TAKES.values()) - {"labels", "n_labels"}


def table(rows: Sequence[Sequence[Any]], head: Sequence[str]) -> list[str]:
    """Return lines of columns under their names; the last one is as wide as it is."""
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def _read_options(given: Sequence[str]) -> dict[str, Any]:
    """Return arguments of `mlreduce.read` with values of their types."""
    from mlreduce.datasets.reading import read

    hints, options, known = get_type_hints(read), {}, _readable()
    for each in given:
        name, text, value = named_value(each, "--read", "sep=';'")
        check_known_name("argument", name, known, "--read")
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
    """Refuse outputs that cannot be written, are two in one file, or are a file that is read or, not forced, there."""
    for number, output in enumerate(outputs):
        check_writable(output)
        if any(Path(path).exists() and output.exists() and output.samefile(path) for path in inputs):
            raise ConfigurationError(f"{output} is read, and would be replaced; name another file to write")
        if output.resolve() in [path.resolve() for path in outputs[:number]]:
            raise ConfigurationError(f"{output} is named for two outputs; name another file for one")
        if output.exists() and not force:
            raise ConfigurationError(f"{output} already exists; --force replaces it")


def check_writable(output: Path) -> None:
    """Refuse a file or folder that cannot be made, before hours of work."""
    there = next(path for path in (output, *output.absolute().parents) if path.exists())
    if not os.access(there, os.W_OK) or not (there.is_dir() or there == output):
        raise ConfigurationError(f"{output} cannot be written: {there} is not a folder with the right to write")


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
