"""Commands that list and describe methods and data sets."""

from __future__ import annotations

import argparse
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mlreduce import registry
from mlreduce.commandline.arguments import add_command, add_labels, read_data, table
from mlreduce.datasets.built_in import BUILT_IN, FURTHER, read_entries
from mlreduce.exceptions import ConfigurationError, unknown_name
from mlreduce.methods.evidence import measured_methods


def add_commands(commands: Any) -> None:
    """Add ``list`` and ``info``."""
    parser = add_command(commands, "list", _list, "List methods or data sets.")
    parser.add_argument("what", choices=("methods", "datasets"), nargs="?", default="methods")
    parser.add_argument("--family", choices=registry.FAMILIES, help="only the methods of a family")
    parser.add_argument(
        "--unknown-labels", choices=("no", "rows", "cells"), help="only the methods that take instances without labels "
        "(rows), or single unknown labels (cells)",
    )  # fmt: skip
    parser = add_command(commands, "info", _info, "Describe a method, a published data set or a file.")
    parser.add_argument("name", help="as mlreduce list prints it, or a file").completer = _names
    add_labels(parser)


def _names(**_: Any) -> list[str]:
    """Return the names that a shell completes: of files, for the modules of all methods take a second to import."""
    entries = [entry for file in (BUILT_IN, FURTHER) for entry in read_entries(file)["datasets"]]
    return [*measured_methods(), *entries]


def _list(options: argparse.Namespace) -> Any:
    if options.what == "methods":
        from mlreduce.methods.facts import facts_of, method_of

        names = registry.method_names(options.family)
        if options.unknown_labels is not None:
            names = [name for name in names if facts_of(name).unknown_labels == options.unknown_labels]
        if options.json:
            return [asdict(facts_of(name)) for name in names]
        rows = [(info.name, info.family, info.year or "", info.full_name) for info in map(method_of, names)]
        return table(rows, ("name", "family", "year", "method"))
    from mlreduce.datasets.catalogue import read_catalogue

    sets = [{"name": name, **entry.summary()} for name, entry in sorted(read_catalogue().items())]
    keys = ("name", "instances", "attributes", "labels", "title")
    cells = [[entry.get(key, "") for key in keys] for entry in sets]
    return sets if options.json else table(cells, [key.replace("attributes", "features") for key in keys])


def _info(options: argparse.Namespace) -> Any:
    from mlreduce.datasets.catalogue import read_catalogue

    if options.name in registry.method_names():
        from mlreduce.methods.description import describe

        description = describe(options.name)
        return description.to_dict() if options.json else description.lines(shutil.get_terminal_size().columns)
    catalogue = read_catalogue()
    if options.name not in catalogue and not Path(options.name).suffix and not Path(options.name).exists():
        raise ConfigurationError(
            unknown_name("method, data set or file", options.name, [*registry.method_names(), *catalogue])
        )
    data = read_data([options.name], options)
    described = catalogue[options.name].options if options.name in catalogue else {}
    return {
        "name": data.name,
        **({"title": described.get("title", "")} if described else {}),
        **{key: round(value, 4) for key, value in data.describe().items()},
        **{key: str(described.get(key, "")) for key in ("licence", "citation") if described},
        "checks": "; ".join(data.check()) or "no problems",
    }
