"""Scores of every split for the comparison in the page, as scripts that are loaded on demand."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce.metrics import higher_is_better, measure_label
from mlreduce_studies.gathering.areas import averaged_draws
from mlreduce_studies.gathering.summary import with_own_size
from mlreduce_studies.runs import StudyResults
from mlreduce_studies.verdicts.studies import part_sizes

#: Most scores of a study that reach the page; where there are more, these are means over the splits.
LIMIT = 1_000_000

_BLOCK = ["protocol", "predictor", "dataset"]
_SETTING = ["size_percent", "energy", "own_size"]


def is_summarised(study: StudyResults, limit: int = LIMIT) -> bool:
    """Whether the page has means over splits instead of scores: there are too many, or the run stored none."""
    path = study.folder / "scores.parquet"
    if not path.is_file():
        return True
    import pyarrow.parquet as pq

    return bool(pq.ParquetFile(path).metadata.num_rows > limit)


def comparable_scores(study: StudyResults, limit: int = LIMIT) -> pd.DataFrame:
    """Return values by split, the draws of a method averaged; means over the splits where `is_summarised`.

    Returns
    -------
    DataFrame
        Columns protocol, predictor, dataset, measure, method, size_percent, energy, own_size, split and value.
    """
    if is_summarised(study, limit):
        rows = study.summary.assign(split=0).rename(columns={"mean": "value"})
    else:
        scores = study.frame("scores")
        assert scores is not None  # the file is there
        averages = study.description["averages"]
        failures = study.failures.reindex(columns=list(FAILURE_COLUMNS))
        rows = averaged_draws(scores, averages, None if failures.empty else failures)
        rows = rows[~rows["method"].isin(study.draws) & rows["value"].notna()]
    columns = [*_BLOCK, "measure", "method", *_SETTING, "split", "value"]
    return with_own_size(rows)[columns]


def scores_by_measure(study: StudyResults, limit: int = LIMIT) -> Iterator[tuple[str, str]]:
    """Yield each measure of a study and its scores as JSON.

    The scores are 32-bit floating-point numbers by gzip in base64, a block per protocol, predictor and data set:
    methods by settings by splits, NaN where there is none. Blocks of a protocol and data set have the same splits, so
    that measures and predictors can be averaged split by split.
    """
    rows = comparable_scores(study, limit)
    splits = {key: np.unique(part) for key, part in rows.groupby(["protocol", "dataset"], observed=True)["split"]}
    for measure, measured in rows.groupby("measure", observed=True, sort=True):
        blocks, values, offset = [], [], 0
        for (protocol, predictor, dataset), part in measured.groupby(_BLOCK, observed=True, sort=True):
            block, array = _block(part, splits[protocol, dataset])
            blocks.append({"protocol": protocol, "predictor": predictor, "dataset": dataset, "offset": offset} | block)
            values.append(array.ravel())
            offset += array.size
        content = {
            "label": measure_label(str(measure)),
            "higher": higher_is_better(str(measure)),
            "summarised": is_summarised(study, limit),
            "blocks": blocks,
            "values": _packed(np.concatenate(values)),
        }
        yield str(measure), json.dumps(content, separators=(",", ":"))


def _packed(values: Any) -> str:
    return base64.b64encode(gzip.compress(values.astype("<f4").tobytes(), 6, mtime=0)).decode("ascii")


def _block(part: pd.DataFrame, splits: Any) -> tuple[dict[str, Any], Any]:
    methods, which_method = np.unique(part["method"].astype(str), return_inverse=True)
    settings, which_setting = np.unique(part[_SETTING].to_numpy(float), axis=0, return_inverse=True)
    which_split = np.searchsorted(splits, part["split"])
    array = np.full((len(methods), len(settings), len(splits)), np.nan)
    array[which_method, which_setting.ravel(), which_split] = part["value"]
    return {"methods": methods.tolist(), "settings": settings.tolist(), "splits": len(splits)}, array


def part_shares(study: StudyResults) -> Mapping[tuple[str, str], float]:
    """Return the share of the rows in a test part, by protocol and data set."""
    datasets = study.frame("datasets")
    if datasets is None:
        return {}
    rows = dict(zip(datasets["dataset"], datasets["instances"], strict=True))
    shares = {}
    for protocol, rules in study.description["rules"].items():
        for dataset, rule in rules.items():
            if dataset in rows:
                train, test = part_sizes(rule, int(rows[dataset]))
                shares[protocol, dataset] = test / (train + test)
    return shares
