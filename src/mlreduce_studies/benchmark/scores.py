"""Scores of the pieces as the ranking reads them: a row per cell, the mean over its folds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from mlreduce import registry
from mlreduce.stats.ranking import CONTROLS
from mlreduce_studies.benchmark.pieces import Pieces
from mlreduce_studies.gathering.rankings import names_of
from mlreduce_studies.study import Study

__all__ = ["SETS", "names_in", "predictor_names", "summary_of"]

#: What describes the data sets, a row each, from the root of the project: what `MultiLabelData.describe` says.
SETS = "comparisons/benchmark-sets.csv"

#: Columns of a cell; ``size_percent`` is 0 where the number of dimensions is the size.
_KEYS = ["dataset", "method", "predictor", "measure", "percent", "number"]


def names_in(study: Study) -> tuple[dict[str, str], dict[str, Sequence[str]]]:
    """Return the labels of a study to names of methods, and the labels of means to those of the draws.

    A label that is the name of a control is that control, whatever class stands for it.
    """
    registered = {
        label: label if label in CONTROLS else registry.entry_name(label, entry)
        for label, entry in study.methods.items()
    }
    averages: dict[str, Sequence[str]] = {label: [*draws] for label, draws in study.averages.items()}
    return names_of(registered, averages), averages


def predictor_names(study: Study) -> dict[str, str]:
    """Return the labels of the predictors of a study to registered names; classes of others keep their label."""
    names = {label: registry.entry_name(label, entry) for label, entry in study.predictors.items()}
    return {label: label if registry.is_import_path(name) else name for label, name in names.items()}


def summary_of(
    pieces: Pieces, study: Study, candidates: int, measures: Collection[str], datasets: Collection[str] | None = None
) -> pd.DataFrame:
    """Return the means over folds of a study of the benchmark, as a summary of a study has them.

    A cell that failed on a fold has no value. A method that needs no features has a separate predictor;
    it has a row with each of the other predictors.

    Parameters
    ----------
    candidates : int
        How many a search had.
    datasets : collection of str or None, default=None
        None takes all of which there are pieces.

    Returns
    -------
    DataFrame
        Columns protocol, dataset, method, predictor, measure, size_percent, number, energy, size, mean, seconds.
    """
    parts = []
    for piece in pieces.listed():
        if (piece.study, piece.candidates) == (study.name, candidates) and (not datasets or piece.dataset in datasets):
            table = pieces.read(piece)
            rows = table[table["measure"].isin(list(measures))]
            parts.append(rows.astype(dict.fromkeys(("method", "predictor", "measure", "status"), object)))
    (protocol,) = study.protocols
    if not parts:
        return pd.DataFrame(
            columns=["protocol", *_KEYS[:4], "size_percent", "number", "energy", "size", "mean", "seconds"]
        )
    table = _beside_all(pd.concat(parts, ignore_index=True), study.predictors)
    cells = table.groupby(_KEYS, sort=True, observed=True)
    means = cells.agg(size=("size", "mean"), mean=("value", "mean"), seconds=("seconds", "mean"))
    means["mean"] = means["mean"].astype(float).mask(cells["value"].count() < cells["value"].size())
    return means.reset_index().rename(columns={"percent": "size_percent"}).assign(protocol=protocol, energy=0.0)


def _beside_all(table: pd.DataFrame, predictors: Mapping[str, object]) -> pd.DataFrame:
    """Return the rows with those of the majority of the labels once for each predictor that is there."""
    alone = table["method"] == "majority-labels"
    others = [name for name in predictors if name in set(table.loc[~alone, "predictor"])]
    repeated = [table[alone].assign(predictor=name) for name in others]
    return pd.concat([table[~alone], *repeated], ignore_index=True)
