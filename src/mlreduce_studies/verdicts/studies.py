"""The results of a study as verdicts need them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pandas as pd

from mlreduce_studies.gathering.areas import averaged_draws
from mlreduce_studies.verdicts.baselines import printed_cells
from mlreduce_studies.verdicts.quantities import Results
from mlreduce_studies.verdicts.statements import TABLES

__all__ = ["part_sizes", "results_of"]


def results_of(
    settings: Mapping[str, Any],
    tables: Mapping[str, pd.DataFrame],
    failures: pd.DataFrame | None = None,
    audit: pd.DataFrame | None = None,
    ratios: pd.DataFrame | None = None,
) -> Results:
    """Return the results of a study, with `mlreduce_studies.verdicts.settings.claim_settings`.

    ``tables`` has gathered tables by name: ``scores`` and ``datasets``; where the study has them, ``times``, ``errors``
    and others of `mlreduce_studies.verdicts.statements.TABLES`. ``failures`` are the failed cells of the scores: a
    split on which a draw failed has no mean of draws. ``audit`` and ``ratios`` have printed and reproduced numbers; see
    `mlreduce_studies.verdicts.baselines.printed_cells`.
    """
    datasets = tables["datasets"]
    rows = dict(zip(datasets["dataset"], datasets["instances"], strict=True))
    return Results(
        scores=averaged_draws(tables["scores"], settings["averages"], failures),
        datasets=datasets,
        parts=lambda protocol, dataset: part_sizes(settings["rules"][protocol][dataset], int(rows[dataset])),
        times=tables.get("times"),
        errors=tables.get("errors"),
        tables={name: table for name, table in tables.items() if name in TABLES},
        printed=None if audit is None else printed_cells(audit, settings["tables"], ratios),
        proposed=tuple(settings.get("proposed", ())),
    )


def part_sizes(rule: Mapping[str, Any], n_samples: int) -> tuple[int, int]:
    """Return how many rows of a split train, and how many test.

    The rule is as of `mlreduce.evaluation.splitting.take_splits`. Of folds or thirds of unequal size these are the most
    rows to train, and the fewest to test.
    """
    if "folds" in rule:
        test = n_samples // int(rule["folds"])
        return n_samples - test, test
    if "parts" in rule:
        return -(-n_samples // 3), n_samples // 3
    if "train" in rule:
        train = int(n_samples * Fraction(str(rule["train"])))
        return train, n_samples - train
    return int(rule["train_rows"]), int(n_samples * Fraction(str(rule["test"])))
