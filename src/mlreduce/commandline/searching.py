"""Command that searches for a good model of a file within a time, and predicts the labels of other instances."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from mlreduce.commandline.arguments import add_command, add_data, check_outputs, read_data
from mlreduce.commandline.reducing import columns_of, write_table
from mlreduce.exceptions import ConfigurationError

# Rows of the leaderboard that are printed, and their columns.
_PRINTED = 10
_COLUMNS = ("candidate", "features", "score", "low", "high", "folds", "seconds", "status")


def add_commands(commands: Any) -> None:
    """Add ``auto``."""
    parser = add_command(
        commands, "auto", _search, "Search for a good model of a file within a time, and predict labels of others."
    )
    add_data(parser)
    parser.set_defaults(also={"time_budget": "--seconds", "random_state": "--seed"})
    parser.add_argument("--apply", metavar="TEST", help="predict the labels of these instances")
    parser.add_argument("-o", "--output", type=Path, help="CSV or Parquet: the predicted labels of TEST")
    parser.add_argument("--page", type=Path, metavar="FILE", help="HTML: what was tried, and what came of it")
    parser.add_argument("--seconds", type=float, default=60, metavar="N", help="that the search takes (default: 60)")
    parser.add_argument(
        "--measure", default="average-precision", metavar="NAME", help="to search for (default: average-precision)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of folds and estimators (default: 0)")
    parser.add_argument("--force", action="store_true", help="replace files that are there")


def _search(options: argparse.Namespace) -> Any:
    from mlreduce.auto.reducer import AutoReducer
    from mlreduce.validation import check_finite

    _check(options)
    data = read_data(options.data, options)
    check_finite(data.X, data.feature_names, data.name, training=True)  # which knows the columns' names
    rows = None
    if options.apply is not None:  # read before the search, so that what is wrong with it is known at once
        rows = read_data([options.apply], options)
        check_finite(rows.X, rows.feature_names, rows.name)
        features = columns_of(rows, list(data.feature_names))
    model = AutoReducer(options.seconds, options.measure, random_state=options.seed).fit(data.X, data.Y)
    written: dict[str, Any] = {} if options.page is None else {"page": str(model.to_html(options.page))}
    if rows is not None:
        predicted = model.predict(features), data.label_names
        write_table([predicted], options.output, "predict fewer instances")
        written |= {"output": str(options.output), "instances": rows.X.shape[0], "labels": len(data.label_names)}
    table = model.leaderboard_
    if options.json:
        records = json.loads(table.to_json(orient="records"))  # NaN, which JSON lacks, as null
        score = None if model.score_ != model.score_ else model.score_  # NaN too
        return {**written, "score": score, "explanation": model.explain(), "leaderboard": records}
    shown = table[list(_COLUMNS)].head(_PRINTED).round(4).to_string(index=False, na_rep="").splitlines()
    more = [f"and {len(table) - _PRINTED} more; --json prints all"] if len(table) > _PRINTED else []
    saved = [] if options.page is None else ["", f"page: {options.page}"]
    saved += ["", f"predicted labels of {rows.X.shape[0]} instances: {options.output}"] if rows is not None else []
    explained = model.explain().replace("see leaderboard_", "--json lists all").splitlines()
    return [*explained, "", *shown, *more, *saved]


def _check(options: argparse.Namespace) -> None:
    """Refuse arguments that mean nothing, before files are read."""
    if (options.apply is None) != (options.output is None):
        raise ConfigurationError("--apply TEST and --output FILE go together: the labels of TEST are predicted")
    if not options.seconds > 0:
        raise ConfigurationError(f"--seconds must be above 0; got {options.seconds:g}")
    if options.seed < 0:
        raise ConfigurationError(f"--seed must be 0 or above; got {options.seed}")
    if options.output is not None and options.output.suffix not in (".csv", ".parquet"):
        raise ConfigurationError(f"--output must end in .csv or .parquet; got {options.output}")
    if options.page is not None and options.page.suffix != ".html":
        raise ConfigurationError(f"--page must end in .html; got {options.page}")
    inputs = [path for path in (*options.data, options.apply, options.labels) if path is not None]
    outputs = [path for path in (options.output, options.page) if path is not None]
    check_outputs(outputs, inputs, options.force)
