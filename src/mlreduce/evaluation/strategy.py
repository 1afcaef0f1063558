"""What the families of methods have in common for the experiment loop: a strategy chooses, fits, scores and times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.caching import ResultCache, ScoreCache, digest_rows, entry_text
from mlreduce.evaluation.entries import Entry, Methods, Predictor, strategy_module
from mlreduce.evaluation.failures import RAISE, Failures, recorded_warnings
from mlreduce.evaluation.fitted_arrays import WARNED, Arrays
from mlreduce.evaluation.scores import SPECTRUM_COLUMNS
from mlreduce.evaluation.splitting import Split
from mlreduce.exceptions import ConfigurationError

if TYPE_CHECKING:
    from mlreduce.evaluation.search import Evaluator, Search
    from mlreduce.linalg.least_squares import Design

#: Of something fitted: split number as text and label; in the files of a job protocol and group before these.
Key: TypeAlias = tuple[str, ...]
#: (split number as text, method) to parameters of the predictor that were chosen on the training part of that split.
Chosen: TypeAlias = Mapping[tuple[str, str], Mapping[str, float]]

#: The name in a study of the scaling that the training rows of a split choose.
CHOSEN_SCALING = "chosen"

# The features as they are, by default.
_AS_THEY_ARE: Mapping[str, Any] = {"scaling": "none", "relation": None}


class Measured(NamedTuple):
    """What is measured, and at which sizes."""

    #: Names of `mlreduce.metrics.MEASURES`, with a decision or without.
    measures: Sequence[str]
    #: Percentages: of the labels; of the features; for selectors of those that vary in the training part. A method with
    #: fewer directions is measured with all it has, a control that keeps all features at 100 only.
    sizes: Sequence[int] = ()
    #: Of projections: sizes by the share of the sum of a method's eigenvalues.
    energies: Sequence[float] = ()
    #: Of label coders: at all sizes 1..n_labels too.
    every_size: bool = False
    #: Numbers of directions, features or codes, too. A projection with fewer directions is measured with all it has;
    #: there is nothing to measure where there are fewer features or labels.
    dimensions: Sequence[int] = ()
    #: Which labels are predicted from scores: see `mlreduce.predictors.decision.Decision`.
    decision: str = "half"


class Strategy:
    """How methods of a family are chosen for, fitted, scored and timed on splits of a data set.

    ``space`` is what methods see of the features: see `mlreduce.evaluation.view.View`. The seed is that of the study,
    from which those of methods and splits are derived. ``design`` is the factorised design of all rows as they are, or
    its file, for label coders; None to factorise it. ``threads`` are for a predictor of codes that has ``n_jobs`` and
    does not set it. ``share`` of False trains a predictor for each size or coder by itself, the long way round: what
    tests compare with. ``ties``, "standard" or "expected", is how measures of scores count labels that tie, in searches
    too: see `mlreduce.metrics.evaluate`.
    """

    step = "reduce"
    detail_columns: tuple[str, ...] = SPECTRUM_COLUMNS

    def __init__(
        self,
        data: MultiLabelData,
        space: Mapping[str, Any] = _AS_THEY_ARE,
        seed: int = 0,
        design: Design | str | Path | None = None,
        threads: int = 1,
        share: bool = True,
        ties: str = "standard",
    ) -> None:
        self._data, self._space, self._seed = data, space, seed
        self._given_design, self._threads, self._share, self._ties = design, threads, share, ties
        self._scalings: dict[str, str] = {}
        #: What tasks of a job have in common, if they have.
        self.results: ResultCache | None = None
        self.tried_scores: ScoreCache | None = None
        #: Whether warnings of fits are recorded instead of shown.
        self.record_warnings = False
        #: Digest of the rows of a larger data set that this one has.
        self.rows = ""

    def space_of(self, split: Split) -> Mapping[str, Any]:
        """Return what methods see of the features on a split, with the scaling that its training rows choose."""
        if self._space["scaling"] != CHOSEN_SCALING:
            return self._space
        from mlreduce.evaluation.scaling_choice import choose_scaling  # imports predictors

        rows = digest_rows(split)
        if rows not in self._scalings:
            self._scalings[rows] = choose_scaling(self._data, split)
        return {**self._space, "scaling": self._scalings[rows]}

    def fit_once(
        self, number: int, split: Split, label: str, entry: Any, work: Callable[..., Arrays], *arguments: Any
    ) -> Arrays:
        """Return what a fit of an entry on a split returns, computed by the first of several tasks that need it.

        Splits of several protocols have the same numbers, and other rows. Where warnings are recorded, the names of
        their classes are one of the arrays.
        """
        if self.record_warnings:
            work = partial(_with_warnings, work)
        if self.results is None:
            return work(*arguments)
        return self.results.get((self.rows, number, digest_rows(split), label, entry_text(entry)), work, *arguments)

    def evaluator(self, search: Search, failures: Failures = RAISE) -> Evaluator:
        """Return how a candidate of a search is fitted and measured on a part of the training rows."""
        raise NotImplementedError

    def choose(self, task: Mapping[str, Any], splits: Mapping[int, Split], failures: Failures) -> pd.DataFrame:
        """Search the parameters of the methods of a task; return candidates with scores and which were chosen."""
        if "search" not in task:
            raise ConfigurationError(f"{task['group']}: nothing is chosen for methods of this family")
        from mlreduce.evaluation.search import Search, search_on_splits  # most jobs choose nothing

        search = Search(**task["search"])
        evaluator = self.evaluator(search, failures)
        return search_on_splits(self._data, splits, task["methods"], evaluator, search, self._seed, failures)

    def chosen(self, choices: pd.DataFrame | None, splits: Mapping[int, Split], once: bool) -> Chosen:
        """Return parameters of the predictor that were chosen for methods; where ``once``, on one split for all."""
        return {}

    def fit(
        self, splits: Mapping[int, Split], methods: Methods, failures: Failures = RAISE, chosen: Chosen | None = None
    ) -> Iterator[tuple[Key, Arrays]]:
        """Fit methods on the training part of every split, in full size.

        Yields ((split number as text, label), fitted arrays), one at a time: together they may be large. ``failures``
        takes what a method raises; one that failed before on a split is passed over. ``chosen`` is from `chosen`; a
        method without a parameter of a name leaves it to the predictor. Raises DataError if a feature is missing or
        infinite.
        """
        raise NotImplementedError

    def details(self, split: int, label: str, arrays: Arrays) -> pd.DataFrame | None:
        """Positive eigenvalues of the first split, numbered from 1."""
        if split != 0 or "eigenvalues_" not in arrays:
            return None
        positive = arrays["eigenvalues_"][arrays["eigenvalues_"] > 0]
        index = np.arange(1, len(positive) + 1)
        return pd.DataFrame({"method": label, "split": 0, "index": index, "eigenvalue": positive})

    def score(
        self,
        splits: Mapping[int, Split],
        fitted: Mapping[Key, Arrays],
        methods: Methods,
        predictor: Predictor,
        measured: Measured,
        failures: Failures = RAISE,
        chosen: Chosen | None = None,
    ) -> pd.DataFrame:
        """Train a predictor on what `fit` yielded on every split, at every size, and measure it on the test part.

        The predictor, a label and an entry of a study file, is trained on labels in {0, 1}; the decision of
        ``measured`` determines the predicted labels. What regressors predict, and classifiers with ``ranks``, also
        ranks the labels for the measures that need scores. ``failures`` takes what the predictor, or a method that
        transforms or decodes, raises; a method that failed before on a split is passed over.

        Returns `mlreduce.evaluation.scores.SCORE_COLUMNS`; sorted, so that it does not depend on the order of methods
        or splits. Raises ConfigurationError if a measure or a method is unknown.
        """
        raise NotImplementedError

    def ready(
        self, number: int, split: Split, scalings: Mapping[str, str]
    ) -> Callable[[str, Entry], Callable[[], Any]]:
        """Return a function of a label and an entry that returns a fit on a split, ready to be timed.

        ``scalings`` has, by label, selectors that get features on another scale than that of the space.
        """
        raise NotImplementedError


def find_strategy(family: str) -> type[Strategy]:
    """Return the strategy of a family of methods."""
    return import_module(strategy_module(family)).STRATEGY


def _with_warnings(work: Callable[..., Arrays], *arguments: Any) -> Arrays:
    """Return the arrays of a fit, with the names of the classes of its warnings."""
    with recorded_warnings() as names:
        arrays = work(*arguments)
    return {**arrays, WARNED: np.array(sorted(names), dtype=str)} if names else arrays
