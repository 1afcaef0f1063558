"""One curve of a study from scratch: from the data through split, choice, fit and prediction to scores.

The workflow goes this road in jobs, with files between them and many methods a job. Here the loops of the experiments
are asked for one method and one split at a time, which must not change a bit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mlreduce.datasets.data import MultiLabelData
from mlreduce.exceptions import ConfigurationError
from mlreduce.experiments.feature_space import reduce_features, score_features
from mlreduce.experiments.kernel_choice import choose_on_splits, chosen_parameters
from mlreduce.experiments.label_space import reduce_labels, score
from mlreduce.experiments.scores import SCORE_COLUMNS, resolve_sizes
from mlreduce.experiments.search import Search, chosen_entries, search_on_splits
from mlreduce.experiments.selection import rank_features, score_ranked
from mlreduce.experiments.splitting import Split, draw_splits, load_splits
from mlreduce.experiments.study import Group, Study
from mlreduce.linalg.least_squares import Design

__all__ = ["Curve", "DataSource", "curve_scores", "curve_splits"]


class Curve(NamedTuple):
    """What shares its fits: all measures and sizes of a method with a predictor.

    Attributes
    ----------
    study, protocol, dataset, method, predictor : str
        The method is a label of the study file, or the name of the mean of several draws.
    """

    study: str
    protocol: str
    dataset: str
    method: str
    predictor: str

    def __str__(self) -> str:
        return " ".join(self)


class DataSource:
    """A data set with what is found once for all its curves.

    Parameters
    ----------
    data : MultiLabelData
    """

    def __init__(self, data: MultiLabelData) -> None:
        self.data = data

    @cached_property
    def design(self) -> Design:
        """The factorised design of all rows."""
        return Design.of(self.data.X, rcond=0.0)


class _Asked(NamedTuple):
    """A curve that the study has, with what computing it takes."""

    study: Study
    curve: Curve
    group: Group
    methods: Mapping[str, Mapping[str, Any]]
    source: DataSource
    splits: Mapping[int, Split]
    seed: int

    @property
    def predictor(self) -> tuple[str, Mapping[str, Any]]:
        """Its name and parameters."""
        return self.curve.predictor, self.study.predictors[self.curve.predictor]


def curve_splits(study: Study, curve: Curve) -> int:
    """Return on how many splits a curve is computed.

    Raises
    ------
    ConfigurationError
        If the study does not have the curve.
    """
    return study.splits_of(_place(study, curve)[0], curve.dataset)


def curve_scores(study: Study, curve: Curve, source: DataSource, seed: int) -> Iterator[pd.DataFrame]:
    """Compute the scores of a curve, a split at a time.

    Parameters
    ----------
    study : Study
    curve : Curve
    source : DataSource
        Of the curve's data set.
    seed : int
        Of the study.

    Yields
    ------
    DataFrame
        With the columns study and protocol and `mlreduce.experiments.scores.SCORE_COLUMNS`; where the curve is the mean
        of several draws, those of the draws.

    Raises
    ------
    ConfigurationError
        If the study does not have the curve.
    """
    group_name, labels = _place(study, curve)
    group = study.groups[group_name]
    methods = {label: group.methods[label] for label in labels}
    rule = study.rule_of(curve.protocol, curve.dataset)
    splits = _splits(study, source.data, rule, study.splits_of(group_name, curve.dataset), seed)
    scores_of = {"labelspace": _label_scores, "projection": _feature_scores, "selection": _ranked_scores}[study.family]
    for scores in scores_of(_Asked(study, curve, group, methods, source, splits, seed)):
        scores.insert(0, "protocol", curve.protocol)
        scores.insert(0, "study", curve.study)
        yield scores[["study", "protocol", *SCORE_COLUMNS]]


def _place(study: Study, curve: Curve) -> tuple[str, list[str]]:
    """Return the group that a curve belongs to, and the labels of its method's draws, or its own."""
    labels = list(study.averages.get(curve.method, [curve.method]))
    if curve.protocol in study.protocols and curve.dataset in study.datasets:
        for name, group in study.groups.items():
            if group.runs_on(curve.protocol) and labels[0] in group.methods and curve.predictor in group.predictors:
                return name, labels
    raise ConfigurationError(f"{curve}: the study file does not ask for this")


def _splits(study: Study, data: MultiLabelData, rule: Mapping[str, Any], number: int, seed: int) -> dict[int, Split]:
    """Draw the splits of a study and take those of a protocol, by way of a file as the workflow does."""
    drawn = draw_splits(data.Y, study.splits, seed, data.name, "parts" in rule)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "splits.npz"
        np.savez(path, allow_pickle=False, **drawn)
        return load_splits(path, rule, f"0-{number - 1}")


def _label_scores(asked: _Asked) -> Iterator[pd.DataFrame]:
    study, curve, group, methods, source, splits, seed = asked
    data, design = source.data, source.design
    sizes = resolve_sizes(study.sizes, len(data.label_names), curve.dataset in study.curves)
    once = bool(group.choice) and group.chosen_once(curve.dataset)
    choices = None
    for number, split in splits.items():
        part, chosen = {number: split}, None
        if group.choice:
            if choices is None or not once:
                choices = choose_on_splits(data, part, methods, group.candidates(curve.dataset), seed)
            chosen = chosen_parameters(choices, part, once)
        fitted = reduce_labels(data, design, part, methods, seed, chosen)
        yield score(data, design, part, fitted, methods, asked.predictor, sizes, sorted(study.measures), chosen=chosen)


def _feature_scores(asked: _Asked) -> Iterator[pd.DataFrame]:
    study, curve, group, methods, source, splits, seed = asked
    data, space = source.data, study.space_of(curve.dataset)
    dimension = study.dimension_of(curve.protocol, curve.dataset)
    entries: Mapping[str, Mapping[str, Any]] = methods
    if any("search" in entry for entry in methods.values()):
        own = dict(group.search or {}, dimension=dimension)
        own["predictor"] = group.predictors[0], study.predictors[group.predictors[0]]
        search = Search(**own)
        entries = chosen_entries(methods, search_on_splits(data, {0: splits[0]}, methods, space, search, seed))
    for number, split in splits.items():
        part = {number: split}
        fitted = dict(reduce_features(data, part, entries, space, seed))
        yield score_features(
            data,
            part,
            fitted,
            entries,
            asked.predictor,
            study.sizes,
            study.energies,
            sorted(study.measures),
            space,
            dimension,
        )


def _ranked_scores(asked: _Asked) -> Iterator[pd.DataFrame]:
    study, curve, _, methods, source, splits, seed = asked
    data, scaling = source.data, str(study.space_of(curve.dataset)["scaling"])
    for number, split in splits.items():
        part = {number: split}
        rankings = rank_features(data, part, methods, scaling, seed)
        yield score_ranked(data, part, rankings, methods, asked.predictor, study.sizes, sorted(study.measures), scaling)
