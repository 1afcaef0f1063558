"""Commands that list and describe methods and data sets."""

from __future__ import annotations

import argparse
from typing import Any

from mlreduce import registry
from mlreduce.commandline.arguments import add_command, add_mirror
from mlreduce.exceptions import ConfigurationError, unknown_name

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``list`` and ``info``."""
    own = add_command(commands, "list", _list, "List methods or data sets.")
    own.add_argument("what", choices=("methods", "datasets"), nargs="?", default="methods")
    own.add_argument("--family", choices=registry.FAMILIES, help="only the methods of a family")
    own = add_command(commands, "info", _info, "Describe a method or a data set.")
    own.add_argument("name", help="as mlreduce list prints it").completer = _names
    add_mirror(own)


def _names(**_: Any) -> list[str]:
    from mlreduce.datasets.catalogue import read_catalogue

    return [*registry.method_names(), *read_catalogue()]


def _list(options: argparse.Namespace) -> Any:
    if options.what == "methods":
        return registry.method_names(options.family)
    from mlreduce.datasets.catalogue import read_catalogue

    return [{"name": name, **entry.summary()} for name, entry in sorted(read_catalogue().items())]


def _info(options: argparse.Namespace) -> Any:
    from mlreduce.datasets.catalogue import read_catalogue

    if options.name in registry.method_names():
        cls = registry.method_class(options.name)
        return {
            "name": options.name,
            "class": f"{cls.__module__}.{cls.__name__}",
            "family": registry.kind_of(options.name),
            "is": (cls.__doc__ or "").partition("\n")[0],
            "parameters": {name: repr(value) for name, value in sorted(cls().get_params(deep=False).items())},
        }
    catalogue = read_catalogue()
    if options.name not in catalogue:
        raise ConfigurationError(
            unknown_name("method or data set", options.name, [*registry.method_names(), *catalogue])
        )
    entry = catalogue[options.name]
    data = entry.read(entry.fetch(options.mirror))
    return {
        "name": options.name,
        "title": entry.options.get("title", ""),
        **{key: round(value, 4) for key, value in data.describe().items()},
        **{key: str(entry.options.get(key, "")) for key in ("licence", "citation")},
    }
