"""Command that compares methods and writes a page."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlreduce.commandline.arguments import add_command, add_data, check_writable, read_data
from mlreduce.exceptions import ConfigurationError

_FILES = ("index.html", "scores.csv", "pairs.csv")


def add_commands(commands: Any) -> None:
    """Add ``compare``."""
    parser = add_command(
        commands, "compare", _compare, "Compare methods on a file or data set by cross-validation; writes a page."
    )
    add_data(parser)
    also = {"time_budget": "--minutes", "memory_limit": "--gigabytes", "n_jobs": "--jobs", "random_state": "--seed"}
    parser.set_defaults(after_interruption="; the same command resumes with the results that are saved", also=also)
    parser.add_argument("--methods", metavar="NAMES", help="names or import paths, with commas")
    parser.add_argument("--predictors", metavar="NAMES", help="the same of predictors (default: ridge,ml-knn)")
    parser.add_argument("--measures", metavar="NAMES", help="the first decides the order")
    parser.add_argument(
        "--folds", type=int, default=5, metavar="N", help="of the stratified cross-validation (default: 5)"
    )
    parser.add_argument("--sizes", default="10,25,50", metavar="N,N", help="in percent (default: 10,25,50)")
    parser.add_argument(
        "--impute", metavar="HOW", help="fill missing values: mean, median or most-frequent of each fold"
    )
    parser.add_argument(
        "--decision", default="one-threshold", metavar="RULE",
        help="which labels are predicted from scores: one-threshold (default), half, per-label, cardinality or top-k",
    )  # fmt: skip
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="processes (default: all cores)")
    parser.add_argument("--minutes", type=float, metavar="N", help="end after so many minutes, with what is done")
    parser.add_argument(
        "--gigabytes", type=float, metavar="N", help="that fits may take (with --minutes: half of what is available)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FOLDER",
        help="gets index.html, scores.csv and pairs.csv; the same command resumes after an interruption",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace files of these names that are of something else")


def _compare(options: argparse.Namespace) -> Any:
    from mlreduce.evaluation.compare import DEFAULT_MEASURES, DEFAULT_METHODS, DEFAULT_PREDICTORS, compare
    from mlreduce.folders import check_replaceable, replacing_files

    check_writable(options.output / _FILES[0])
    for name, least in (("folds", 2), ("minutes", 0), ("gigabytes", 0), ("seed", 0)):
        if (given := getattr(options, name)) is not None and not given >= least:
            raise ConfigurationError(f"--{name} must be at least {least}; got {given:g}")
    if not options.force:  # refuse an existing file now rather than after hours of work
        check_replaceable(options.output, _FILES)
    sizes = options.sizes.split(",")
    if not all(size.isdigit() and 1 <= int(size) <= 100 for size in sizes):
        raise ConfigurationError(
            f"--sizes takes percentages, 1 to 100, with commas, as in 10,25,50; got {options.sizes}"
        )
    comparison = compare(
        read_data(options.data, options),
        methods=_split_names(options.methods, DEFAULT_METHODS),
        predictors=_split_names(options.predictors, DEFAULT_PREDICTORS),
        measures=_split_names(options.measures, DEFAULT_MEASURES),
        cv=options.folds,
        sizes=[int(size) for size in sizes],
        decision=options.decision,
        impute=options.impute,
        n_jobs=options.jobs,
        time_budget=None if options.minutes is None else 60 * options.minutes,
        memory_limit=options.gigabytes,
        store=options.output / "fits",
        random_state=options.seed,
    )
    with replacing_files(options.output, _FILES, force=options.force) as (page, scores, pairs):
        comparison.to_html(page)
        comparison.scores.to_csv(scores, index=False)
        comparison.pairs().to_csv(pairs, index=False)
    written, verdict = str(options.output / _FILES[0]), comparison.explain().splitlines()
    return {"page": written, "verdict": verdict} if options.json else [*verdict, f"page: {written}"]


def _split_names(text: str | None, otherwise: Sequence[str]) -> list[str]:
    return list(otherwise) if text is None else [name.strip() for name in text.split(",") if name.strip()]
