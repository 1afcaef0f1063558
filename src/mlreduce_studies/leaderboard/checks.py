"""What an entry must do before it is run: fit, within limits, alike when done again, and without a look at test rows.

``python -m mlreduce_studies.leaderboard.checks NAME PROJECT`` prints what failed as JSON, in a process of its own.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import threadpoolctl
from numpy.typing import NDArray

from mlreduce import registry
from mlreduce.configuration import read_yaml
from mlreduce.datasets import load_dataset
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import FAILURE_COLUMNS
from mlreduce.evaluation.feature_space import embed, make_reduction
from mlreduce.evaluation.fitted_arrays import Arrays
from mlreduce.evaluation.limits import OVER
from mlreduce.evaluation.loop import Experiment
from mlreduce.evaluation.scores import as_table
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.strategy import Key
from mlreduce.evaluation.view import View
from mlreduce.exceptions import ConfigurationError, MLReduceError
from mlreduce.validation import FloatArray
from mlreduce_studies.leaderboard.entry import Entry, read_entry
from mlreduce_studies.leaderboard.packages import missing_packages

__all__ = ["DATA", "failure_of"]

#: Embedded data on which entries are checked.
DATA = "digits-300"

# Larger differences, relative to the spread of the values, are no rounding errors.
_TOLERANCE = 1e-6
_SEED = 2026
# Test rows that stay as they are while the others change.
_KEPT = 7
_SPACE = {"projection": "unit", "selection": "unit", "labelspace": "none"}


class _Done(NamedTuple):
    """A fit to the training rows of a split of data."""

    data: MultiLabelData
    test: NDArray[np.int64]
    experiment: Experiment
    fitted: dict[Key, Arrays]


class _Seen(NamedTuple):
    """What is compared of fits: arrays, and of transformers the images of some test rows."""

    fitted: list[FloatArray]
    images: FloatArray | None


class _Failed(Exception):
    """A check failed; the message is its sentence."""


def failure_of(entry: Entry, limits: Mapping[str, float], data: MultiLabelData | None = None) -> str | None:
    """Return why an entry fails the checks, in one sentence; None where it passes.

    Parameters
    ----------
    entry : Entry
    limits : dict
        Of a call of it: see `mlreduce.evaluation.limits.within_limits`.
    data : MultiLabelData or None, default=None
        None is `DATA`.
    """
    data = load_dataset(DATA) if data is None else data
    label, method = next(iter(entry.methods([8]).items()))
    try:
        registry.check_entry(label, {key: own for key, own in method.items() if key != "search"})
        with warnings.catch_warnings(), threadpoolctl.threadpool_limits(1, user_api="blas"):
            warnings.simplefilter("ignore")
            _check(entry, _Trial(entry.family, label, method, data, limits))
    except (_Failed, MLReduceError) as error:
        return _sentence(str(error))
    except MemoryError:
        return "ran out of memory"
    return None


class _Trial:
    """Fits of an entry on one split of a data set, through the loop of the studies."""

    def __init__(
        self, family: str, label: str, method: Mapping[str, Any], data: MultiLabelData, limits: Mapping[str, float]
    ) -> None:
        self.family, self.label, self.data, self.limits = family, label, data, limits
        self.method = {key: own for key, own in method.items() if key != "search"}
        order = np.random.default_rng(_SEED).permutation(data.Y.shape[0])
        self.train, self.test = (np.sort(rows) for rows in np.split(order, [2 * len(order) // 3]))

    def fit(self, data: MultiLabelData, test: NDArray[np.int64]) -> _Done:
        """Fit to the training rows of data."""
        task: Any = {
            "protocol": "check",
            "group": "entry",
            "rule": {"rows": [[self.train.tolist(), test.tolist()]]},
            "splits": (0, 0),
            "methods": {self.label: self.method},
            "predictors": {"ridge": {}},
            "dimensions": [],
        }
        settings: Any = {
            "family": self.family,
            "space": {"scaling": _SPACE[self.family], "relation": None},
            "tasks": [task],
            "limits": self.limits,
            "measured": {"sizes": [20, 50], "measures": ["average-precision", "micro-f1"]},
        }
        experiment, fitted = Experiment("check", data, settings, _SEED), dict[Key, Arrays]()
        _, failures = experiment.fit(None, as_table([], FAILURE_COLUMNS), fitted.__setitem__)
        _raise_first(failures)
        return _Done(data, test, experiment, fitted)

    def scores(self, fit: _Done) -> FloatArray:
        """Return the scores of a fit on its test rows."""
        table, failures = fit.experiment.predict(fit.fitted, None, as_table([], FAILURE_COLUMNS))
        _raise_first(failures)
        return table["value"].to_numpy(np.float64)

    def seen(self, fit: _Done, kept: NDArray[np.int64]) -> _Seen:
        """Return what a fit has found, and the images of the test rows that are kept."""
        (arrays,) = fit.fitted.values()
        if self.family != "projection":
            return _Seen([np.asarray(own, dtype=np.float64) for own in arrays.values()], None)
        view = View(fit.data, Split(self.train, fit.test), {"scaling": _SPACE[self.family], "relation": None})
        train, images = embed(make_reduction(self.label, self.method), arrays, view)
        return _Seen([train], images[np.isin(fit.test, kept)])


def _check(entry: Entry, trial: _Trial) -> None:
    once, again = (trial.fit(trial.data, trial.test) for _ in range(2))
    scores, others = trial.scores(once), trial.scores(again)
    if not np.isfinite(scores).all():
        raise _Failed("predicts NaN: its scores are not finite")
    if entry.family == "selection":
        ratings = next(iter(once.fitted.values()))["score"]
        wrong = int(np.sum(np.isnan(ratings) | np.isneginf(ratings)))
        if wrong:  # which the loop takes for the worst
            raise _Failed(f"predicts NaN: {wrong} of {len(ratings)} features that vary have no rating")
    same = [*zip(*(trial.seen(fit, fit.test).fitted for fit in (once, again)), strict=True), (scores, others)]
    if not all(_near(*own) for own in same):
        raise _Failed("is not the same twice with one seed: what it draws must come from its parameter random_state")
    _check_test_rows(entry, trial, once)


def _check_test_rows(entry: Entry, trial: _Trial, once: _Done) -> None:
    """Refuse fits that differ where test rows do, and images of rows that do so with the same features.

    Among some test rows that keep their features: other labels, other rows beside them, and none beside them.
    """
    rng = np.random.default_rng(_SEED)
    kept, others = trial.test[:_KEPT], trial.test[_KEPT:]
    X, Y = np.array(trial.data.X, dtype=np.float64), np.array(trial.data.Y)
    Y[trial.test] = 1 - Y[trial.test]
    other_labels = replace(trial.data, Y=Y)
    X[others] = rng.permuted(X[others], axis=0)
    other_rows = replace(trial.data, X=X, Y=Y)
    first = trial.seen(once, kept)
    cases = [
        ("the labels of test rows", other_labels, trial.test, True),
        ("other test rows", other_rows, trial.test, entry.batch is None),
        ("how many rows are transformed at once", other_rows, kept, entry.batch is None),
    ]
    for what, data, test, wholly in cases if entry.family == "projection" else cases[1:2]:
        found = trial.seen(trial.fit(data, test), kept)
        if not all(map(_near, first.fitted, found.fitted)):
            raise _Failed(f"looks at test rows: its fit depends on {what}")
        if wholly and first.images is not None and not _near(first.images, found.images):
            raise _Failed(f"looks at test rows: the image of a row depends on {what}")


def _near(one: FloatArray, other: FloatArray | None) -> bool:
    if other is None or one.shape != other.shape:
        return False
    spread = max(float(np.ptp(one)) if one.size else 0.0, 1e-300)
    return bool(np.all(np.abs(one - other) <= _TOLERANCE * spread))


def _raise_first(failures: pd.DataFrame) -> None:
    if len(failures):
        first = failures.iloc[0]
        said = str(first["message"])
        raise _Failed(said if first["error"] in OVER else f"{first['error']}: {said}")


def _sentence(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()[:300]


def main(arguments: Sequence[str]) -> int:
    """Check an entry of a project, and print ``failed`` (a sentence or null) and versions as JSON."""
    name, project = arguments
    entry = read_entry(name, project)
    limits = read_yaml(f"{project}/comparisons/benchmark.yaml")["limits"]
    missing = missing_packages(entry.packages)
    if missing:
        raise ConfigurationError(f"packages: {missing} instead of {dict(entry.packages)}")
    failed = failure_of(entry, limits)
    packages = {own: version(own) for own in ("mlreduce", "numpy", "scipy", "scikit-learn", *entry.packages)}
    print(json.dumps({"failed": failed, "versions": {"python": sys.version.split()[0], **packages}}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
