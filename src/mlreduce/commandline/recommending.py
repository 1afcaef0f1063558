"""Command that recommends methods for a file."""

from __future__ import annotations

import argparse
import json
from typing import Any

from mlreduce import registry
from mlreduce.commandline.arguments import add_command, add_data, in_options, read_data


def add_commands(commands: Any) -> None:
    """Add ``recommend``."""
    parser = add_command(
        commands, "recommend", _recommend, "Recommend methods for a file or data set, by its shape and the studies."
    )
    add_data(parser)
    parser.set_defaults(also={"time_budget": "--seconds"})
    parser.add_argument("--goal", choices=registry.FAMILIES, help="only the methods of a family")
    parser.add_argument("--predictor", metavar="NAME", help="ridge or ml-knn (default: ridge)")
    parser.add_argument("--measure", metavar="NAME", help="average-precision or micro-f1 (default: average-precision)")
    parser.add_argument("--tuned", action="store_true", help="where parameters are tuned (default: defaults)")
    parser.add_argument("--seconds", type=float, metavar="N", help="that a fit may take (default: no limit)")
    parser.add_argument(
        "--impute", metavar="HOW", help="that missing values will be filled: mean, median or most-frequent"
    )


def _recommend(options: argparse.Namespace) -> Any:
    from mlreduce.methods.recommendation import CAUTION, recommend

    data = read_data(options.data, options)
    how = {name: getattr(options, name) for name in ("goal", "predictor", "measure", "tuned", "impute")}
    made = recommend(data, time_budget=options.seconds, **how)
    if options.json:
        return json.loads(made.table.reset_index().to_json(orient="records"))  # NaN, which JSON lacks, as null
    text = str(made).removesuffix(CAUTION) + CAUTION.replace("\n", " ")
    return in_options(text.replace(", in .table)", "; --json has all)"), options.also).splitlines()
