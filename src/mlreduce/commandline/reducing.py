"""Command that reduces the features of a file, by a method that is fitted to it or was saved."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlreduce import registry
from mlreduce.commandline.arguments import add_command, add_data, check_outputs, named_value, read_data
from mlreduce.exceptions import ConfigurationError, DataError, from_extra
from mlreduce.methods.evidence import measured_methods

#: Fitted attributes that a saved model holds: what `transform` of the selectors and projections uses.
_FITTED = ("ranking_", "components_", "mean_")


def add_commands(commands: Any) -> None:
    """Add ``reduce``."""
    parser = add_command(
        commands, "reduce", _reduce, "Reduce the features of a file by a method, fitted to it or to other instances."
    )
    add_data(parser, optional=True)
    parser.set_defaults(also={"n_components": "--components"})
    method = parser.add_argument("--method", help="a projection, embedding or selection")
    method.completer = lambda **_: measured_methods()
    parser.add_argument(
        "--components", metavar="N", help="how many features come out, or what percentage: 50%% (default: the method's)"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter, as JSON or a word"
    )
    parser.add_argument("--apply", metavar="TEST", help="reduce these instances, which the method was not fitted to")
    parser.add_argument("--save-model", type=Path, metavar="FILE", help="keep the fitted method, as .npz")
    parser.add_argument("--model", type=Path, metavar="FILE", help="with --apply: a saved method, in place of data")
    parser.add_argument(
        "-o", "--output", type=Path, required=True,
        help="CSV or Parquet: features, then labels, of TEST where --apply names it, otherwise of the data",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace files that are there")


def _reduce(options: argparse.Namespace) -> Any:
    from mlreduce.methods.facts import facts_of
    from mlreduce.validation import check_finite

    _check(options)
    parameters: dict[str, Any]
    if options.model is None:
        name, parameters = options.method, _read_parameters(options)
        data = read_data(options.data, options)
        check_finite(data.X, data.feature_names, data.name, training=True)  # which knows the columns' names
        method: Any = registry.make(name, **parameters)
        # Embeddings have no transform: those of the training instances are all that there are.
        rows, reduced = data, method.fit_transform(data.X, data.Y)
        features = list(data.feature_names)
    else:
        name, method, features = _load(options.model)
    if options.apply is not None:
        rows = read_data([options.apply], options)
        check_finite(rows.X, rows.feature_names, rows.name)
        reduced = method.transform(columns_of(rows, features))
    if options.save_model is not None:
        _save(method, name, parameters, features, options.save_model)
    if registry.kind_of(name) == "selection":
        names = [feature for feature, selected in zip(features, method.get_support(), strict=True) if selected]
    else:
        names = [f"{name}{i}" for i in range(reduced.shape[1])]
    write_table([(reduced, names), (rows.Y, rows.label_names)], options.output, "leave labels out")
    shape = {"instances": rows.X.shape[0], "features": len(names), "labels": rows.Y.shape[1]}
    result = {"output": str(options.output), **shape}
    if options.save_model is not None:
        result["model"] = str(options.save_model)
    if options.apply is None and facts_of(name).needs_labels is not False:
        result["note"] = (
            f"{name} used the labels of these instances: scores of a predictor on them mean nothing; reduce others by "
            "--apply, and score on those"
        )
    return result


def _check(options: argparse.Namespace) -> None:
    """Refuse combinations of arguments that mean nothing, and outputs that would replace a file."""
    outputs = [options.output, *([options.save_model] if options.save_model else [])]
    if options.output.suffix not in (".csv", ".parquet"):
        raise ConfigurationError(f"--output must end in .csv or .parquet; got {options.output}")
    if options.save_model is not None and options.save_model.suffix != ".npz":
        raise ConfigurationError(f"--save-model must end in .npz; got {options.save_model}")
    if options.model is not None:
        fitting = {"data": options.data, "--method": options.method, "--components": options.components}
        fitting |= {"--set": options.set, "--save-model": options.save_model}
        given = [name for name, value in fitting.items() if value]
        if given or options.apply is None:
            raise ConfigurationError(
                "--model FILE goes with --apply TEST and an output alone: its method is fitted already"
                + (f"; leave out {', '.join(given)}" if given else "")
            )
    elif not options.data or options.method is None:
        raise ConfigurationError("reduce takes data and a --method to fit, or --model FILE and --apply TEST")
    else:
        family = registry.kind_of(options.method)
        if family not in ("projection", "embedding", "selection"):
            raise ConfigurationError(
                f"{options.method} is of the family {family}; features are reduced by a projection, "
                "an embedding or a selection"
            )
        if family == "embedding" and (options.apply or options.save_model):
            raise ConfigurationError(
                f"{options.method} is an embedding, of the instances that it is fitted to alone: leave --apply and "
                "--save-model out, or take a projection"
            )
    inputs = [*options.data, options.apply, options.labels, options.model]
    check_outputs(outputs, [path for path in inputs if path is not None], options.force)


def _read_parameters(options: argparse.Namespace) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for text in options.set:
        name, _, value = named_value(text, "--set", "beta=0.3")
        parameters[name] = value
    if options.components is not None:
        size = int(options.components) if options.components.isdecimal() else options.components
        parameters["k" if registry.kind_of(options.method) == "selection" else "n_components"] = size
    return parameters


def columns_of(rows: Any, features: list[str]) -> Any:
    """Return the features of other instances in the order of the fit."""
    if list(rows.feature_names) == features:
        return rows.X
    places = {name: place for place, name in enumerate(rows.feature_names)}
    missing = [name for name in features if name not in places]
    if missing:
        raise DataError(
            f"{rows.name}: has no feature {missing[0]!r}, which the method was fitted to, and lacks "
            f"{len(missing) - 1} more of {len(features)}"
        )
    return rows.X[:, [places[name] for name in features]]


def _save(method: Any, name: str, parameters: dict[str, Any], features: list[str], path: Path) -> None:
    """Write a fitted projection or selector as arrays, without pickles: what is read back can run nothing."""
    import numpy as np

    from mlreduce.files import replacing

    text = json.dumps({"method": name, "parameters": parameters, "features": features})
    fitted: dict[str, Any] = {
        attribute: np.asarray(value) for attribute in _FITTED if (value := getattr(method, attribute, None)) is not None
    }
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, said=np.frombuffer(text.encode(), dtype=np.uint8), **fitted)


def _load(path: Path) -> tuple[str, Any, list[str]]:
    """Return the name of a saved method, the method, and the names of its features."""
    from mlreduce.files import read_arrays

    if not path.is_file():
        raise DataError(f"{path}: no such file; --save-model writes one")
    arrays = read_arrays(path, "saved model", ("said",))
    try:
        entry = json.loads(arrays["said"].tobytes())
        name, features = str(entry["method"]), [str(feature) for feature in entry["features"]]
        shapes: dict[str, tuple[int, ...]] = {"ranking_": (len(features),)}
        if registry.kind_of(name) == "projection":  # a name of the package, never an import path
            size = len(arrays["components_"])
            shapes = {"components_": (size, len(features)), "mean_": (len(features),)}
        for attribute, shape in shapes.items():
            if arrays[attribute].shape != shape or arrays[attribute].dtype.kind not in "if":
                raise ValueError(f"{attribute} does not fit its features")
        method: Any = registry.make(name, **entry["parameters"])
        vars(method).update({attribute: arrays[attribute] for attribute in shapes}, n_features_in_=len(features))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: not a complete saved model ({error}); save it again") from error
    return name, method, features


def write_table(parts: Sequence[tuple[Any, Sequence[str]]], path: Path, advice: str) -> None:
    """Write matrices with the names of their columns, next to each other, as CSV or Parquet."""
    import pandas as pd

    from mlreduce.escaping import without_formulas
    from mlreduce.files import replacing
    from mlreduce.guards import check_names
    from mlreduce.validation import check_memory, is_sparse

    every = [name for _, names in parts for name in names]
    check_names(every, "column", str(path))
    check_memory(16.0 * parts[0][0].shape[0] * len(every), f"{path} as a table", advice)
    dense = [(values.toarray() if is_sparse(values) else values, pd.Index(names)) for values, names in parts]
    table = pd.concat([pd.DataFrame(values, columns=names) for values, names in dense], axis=1)
    with replacing(path) as temporary:
        if path.suffix == ".csv":
            without_formulas(table).to_csv(temporary, index=False)
        else:
            with from_extra("data", "Parquet files"):
                import pyarrow  # noqa: F401 - pandas writes by it
            table.to_parquet(temporary, index=False)
