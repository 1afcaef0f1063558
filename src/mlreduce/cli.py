"""The command ``mlreduce``: methods and data sets, reductions of files, and what an installation lacks."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from mlreduce import registry
from mlreduce.exceptions import ConfigurationError, DataError, MLReduceError, unknown_name

__all__ = ["main"]

#: Packages that not all uses need, and what for.
OPTIONAL = {
    "pyarrow": "Parquet files",
    "matplotlib": "figures",
    "snakemake": "the workflow",
    "scikit-posthocs": "critical-difference diagrams",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0, or 1 after a sentence on what was wrong. Wrong usage exits with 2."""
    options = _parser().parse_args(arguments)
    try:
        found = options.run(options)
    except (MLReduceError, OSError) as error:
        print(f"mlreduce: {error}", file=sys.stderr)
        return 1
    try:
        print(json.dumps(found, indent=2)) if options.json else _show(found)
        sys.stdout.flush()
    except BrokenPipeError:  # as of head, which has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mlreduce", description="Dimension reduction for multi-label data.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        own = commands.add_parser(name, help=text, description=text)
        own.add_argument("--json", action="store_true", help="print JSON")
        own.set_defaults(run=run)
        return own

    own = command("list", _list, "List methods or data sets.")
    own.add_argument("what", choices=("methods", "datasets"), nargs="?", default="methods")
    own.add_argument("--family", choices=registry.FAMILIES, help="only the methods of a family")
    own = command("info", _info, "Describe a method or a data set.")
    own.add_argument("name", help="as mlreduce list prints it")
    own.add_argument("--mirror", type=Path, help="folder to read published files from (default: MLREDUCE_MIRROR)")
    own = command("fetch", _fetch, "Copy the files of data sets into a folder, checked against their SHA-256.")
    own.add_argument("names", nargs="+", metavar="name", help="data sets, or all")
    own.add_argument(
        "--to", type=Path, required=True, metavar="FOLDER", help="gets <folder>/<file>, and can be a mirror"
    )
    own.add_argument("--mirror", type=Path, help="folder to read published files from (default: MLREDUCE_MIRROR)")
    own = command("reduce", _reduce, "Reduce the features of a file by a method.")
    _add_data(own)
    own.add_argument("--method", required=True, help="a projection, embedding or selection")
    own.add_argument("--components", type=int, metavar="N", help="how many features come out (default: the method's)")
    own.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter, as JSON or a word")
    own.add_argument("-o", "--output", type=Path, required=True, help="CSV or Parquet: features, then labels")
    own = command("compare", _compare, "Compare methods on a file or data set by cross-validation; writes a page.")
    _add_data(own)
    own.add_argument("--methods", metavar="NAMES", help="names or import paths, with commas")
    own.add_argument("--predictors", metavar="NAMES", help="the same of predictors (default: ridge,ml-knn)")
    own.add_argument("--measures", metavar="NAMES", help="the first decides the order")
    own.add_argument("--folds", type=int, default=5, metavar="N", help="of the cross-validation (default: 5)")
    own.add_argument("--sizes", default="10,25,50", metavar="N,N", help="in percent (default: 10,25,50)")
    own.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes (default: all cores)")
    own.add_argument("--minutes", type=float, metavar="N", help="begin no fit after so many minutes")
    own.add_argument("--seed", type=int, default=0, metavar="N")
    own.add_argument("--mirror", type=Path, help="folder to read published files from (default: MLREDUCE_MIRROR)")
    own.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FOLDER",
        help="gets index.html, scores.csv and pairs.csv; the same command goes on after an interruption",
    )  # fmt: skip
    command("doctor", _doctor, "Say what is installed and what is missing.")
    return parser


def _add_data(own: argparse.ArgumentParser) -> None:
    own.add_argument("data", nargs="+", help="ARFF, CSV, Parquet, MATLAB, svmlight or XMC files, parts of one data set")
    own.add_argument(
        "--labels",
        help="which are labels: how many of the last columns, first:N, names with commas, or a file (Mulan's XML, a "
        "table of labels); not needed where the file says it, as Meka's do",
    )


def _data(options: argparse.Namespace) -> Any:
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


def _list(options: argparse.Namespace) -> Any:
    if options.what == "methods":
        return registry.list_methods(options.family)
    from mlreduce.datasets.catalogue import read_catalogue

    return [{"name": name, **entry.summary()} for name, entry in sorted(read_catalogue().items())]


def _info(options: argparse.Namespace) -> Any:
    from mlreduce.datasets.catalogue import read_catalogue

    if options.name in registry.list_methods():
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
            unknown_name("method or data set", options.name, [*registry.list_methods(), *catalogue])
        )
    entry = catalogue[options.name]
    data = entry.read(entry.fetch(options.mirror))
    return {
        "name": options.name,
        "title": entry.options.get("title", ""),
        **{key: round(value, 4) for key, value in data.describe().items()},
        **{key: str(entry.options.get(key, "")) for key in ("licence", "citation")},
    }


def _fetch(options: argparse.Namespace) -> Any:
    from mlreduce.datasets.catalogue import read_catalogue
    from mlreduce.datasets.fetch import copy

    catalogue = read_catalogue()
    names = [name for name, entry in catalogue.items() if entry.files] if options.names == ["all"] else options.names
    written, failed = [], 0
    for name in names:
        try:
            for entries in catalogue[name].files.values():
                for entry in entries:
                    place = options.to / entry.folder / entry.name
                    copy(entry, place, options.mirror)
                    written.append(str(place))
        except MLReduceError as error:
            failed += 1
            print(f"mlreduce: {name}: {error}", file=sys.stderr)
    if failed:
        raise DataError(f"{failed} of {len(names)} data sets were not fetched")
    return written


def _reduce(options: argparse.Namespace) -> Any:
    import numpy as np
    import pandas as pd

    from mlreduce.datasets.files import replacing
    from mlreduce.validation import as_dense

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
    data = _data(options)
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
            table.to_parquet(path, index=False)
    return {"output": str(options.output), "instances": len(table), "features": len(names), "labels": data.Y.shape[1]}


def _compare(options: argparse.Namespace) -> Any:
    from mlreduce.comparison import DEFAULT_MEASURES, DEFAULT_METHODS, DEFAULT_PREDICTORS, compare
    from mlreduce.datasets.catalogue import load_dataset, read_catalogue
    from mlreduce.datasets.files import replacing

    name = options.data[0]
    known = len(options.data) == 1 and not Path(name).exists() and name in read_catalogue()
    data = load_dataset(name, options.mirror) if known else _data(options)
    sizes = options.sizes.split(",")
    if not all(size.isdigit() for size in sizes):
        raise ConfigurationError(
            f"--sizes takes whole numbers of percent with commas, as in 10,25,50; got {options.sizes}"
        )
    found = compare(
        data,
        methods=_names(options.methods, DEFAULT_METHODS),
        predictors=_names(options.predictors, DEFAULT_PREDICTORS),
        measures=_names(options.measures, DEFAULT_MEASURES),
        cv=options.folds,
        sizes=[int(size) for size in sizes],
        n_jobs=options.jobs,
        time_budget=None if options.minutes is None else 60 * options.minutes,
        store=options.output / "fits",
        random_state=options.seed,
    )
    for file, table in (("scores.csv", found.scores), ("pairs.csv", found.pairs())):
        with replacing(options.output / file) as path:
            table.to_csv(path, index=False)
    page = found.to_html(options.output / "index.html")
    best = {
        predictor: found.table(predictor).index[0]
        for predictor in found.settings["predictors"]
        if predictor in set(found.scores["predictor"])
    }
    measure = found.settings["measures"][0]
    return {"page": str(page), **{f"best {measure} with {label}": method for label, method in best.items()}}


def _names(text: str | None, otherwise: Sequence[str]) -> list[str]:
    return list(otherwise) if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ConfigurationError(f"--set takes NAME=VALUE, as in beta=0.3; got {text!r}")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _doctor(options: argparse.Namespace) -> Any:
    found: dict[str, Any] = {"python": platform.python_version(), "mlreduce": _version("mlreduce")}
    for name in ("numpy", "scipy", "scikit-learn", "numba", "pandas"):
        found[name] = _version(name)
    for name, use in OPTIONAL.items():
        found[name] = _version(name) or f"missing; needed for {use}: pip install {name}"
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _show(found: Any) -> None:
    """Print a result for people: lines of a list, a table of records, or names with values."""
    if isinstance(found, dict):
        width = max(map(len, found))
        for name, value in found.items():
            shown = ", ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else value
            print(f"{name:<{width}}  {shown}")
        return
    for own in found:
        if isinstance(own, dict):
            sizes = " x ".join(str(own[key]) for key in ("instances", "attributes", "labels") if key in own)
            print(f"{own['name']:<16} {sizes:<22} {own['title']}")
        else:
            print(own)
