"""Command that reduces the features of a file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from mlreduce import registry
from mlreduce.commandline.arguments import add_command, add_data, read_data
from mlreduce.exceptions import ConfigurationError, from_extra

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add ``reduce``."""
    own = add_command(commands, "reduce", _reduce, "Reduce the features of a file by a method.")
    add_data(own)
    method = own.add_argument("--method", required=True, help="a projection, embedding or selection")
    method.completer = lambda **_: registry.method_names()
    own.add_argument("--components", type=int, metavar="N", help="how many features come out (default: the method's)")
    own.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter, as JSON or a word")
    own.add_argument("-o", "--output", type=Path, required=True, help="CSV or Parquet: features, then labels")


def _reduce(options: argparse.Namespace) -> Any:
    import numpy as np
    import pandas as pd

    from mlreduce.datasets.files import replacing
    from mlreduce.validation import as_dense, check_finite

    if options.output.suffix not in (".csv", ".parquet"):
        raise ConfigurationError(f"--output must end in .csv or .parquet; got {options.output}")
    family = registry.kind_of(options.method)
    if family not in ("projection", "embedding", "selection"):
        raise ConfigurationError(
            f"{options.method} is of the family {family}; features are reduced by a projection, "
            "an embedding or a selection"
        )
    parameters = dict(_parameter(text) for text in options.set)
    if options.components is not None:
        parameters["k" if family == "selection" else "n_components"] = options.components
    data = read_data(options)
    check_finite(data.X, data.feature_names, data.name, training=True)  # which knows the columns' names
    method: Any = registry.make(options.method, **parameters)
    reduced = as_dense(method.fit_transform(data.X, data.Y))
    if family == "selection":
        names = [data.feature_names[int(i)] for i in np.flatnonzero(method.get_support())]
    else:
        names = [f"{options.method}{i}" for i in range(reduced.shape[1])]
    table = pd.DataFrame(reduced, columns=pd.Index(names))
    table[data.label_names] = data.Y
    with replacing(options.output) as path:
        if options.output.suffix == ".csv":
            table.to_csv(path, index=False)
        else:
            with from_extra("data", "Parquet files"):
                import pyarrow  # noqa: F401 - pandas writes by it
            table.to_parquet(path, index=False)
    return {"output": str(options.output), "instances": len(table), "features": len(names), "labels": data.Y.shape[1]}


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ConfigurationError(f"--set takes NAME=VALUE, as in beta=0.3; got {text!r}")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value
