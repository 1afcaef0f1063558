"""Checks of an entry before its run: it fits within limits, is deterministic, and transforms rows independently."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mlreduce import registry
from mlreduce.datasets import load_dataset
from mlreduce.exceptions import MLReduceError
from mlreduce.linalg.features import constant_columns
from mlreduce.validation import FloatArray
from mlreduce.validation.limits import MemoryLimitError, TimeLimitError
from mlreduce_studies.leaderboard.apart import EntryError, close, set_apart
from mlreduce_studies.leaderboard.entry import Entry

#: Embedded data of which rows, features and labels are drawn.
DATA = "digits-300"

# Differences up to this share of the spread of the values are taken for rounding errors.
_TOLERANCE = 1e-6
# The least numbers of rows, features and labels that are drawn, and of rows that are transformed together with others.
_ROWS, _FEATURES, _LABELS, _KEPT = 150, 20, 5, 7
# Dimensions of a transformer that is given their number.
_SIZE = 8


class Sample(NamedTuple):
    """Training rows and features of others."""

    #: Of the training rows; each feature and each label varies.
    X: FloatArray
    Y: Any
    #: Features of other rows.
    others: FloatArray


class _Failed(Exception):
    """A check failed; the message is its sentence."""


def draw_sample(seed: int) -> Sample:
    """Draw rows, features and labels of `DATA`, in random numbers, so that no entry can be written for the checks.

    Examples
    --------
    >>> from mlreduce_studies.leaderboard.checks import draw_sample
    >>> [draw_sample(seed).X.shape for seed in (1, 2)]
    [(87, 20), (129, 39)]
    """
    rng, data = np.random.default_rng(seed), load_dataset(DATA)
    X, Y = np.asarray(data.X, dtype=np.float64), np.asarray(data.Y, dtype=np.int64)
    rows, features, labels = (
        rng.permutation(number)[: rng.integers(least, number + 1)]
        for number, least in zip((*X.shape, Y.shape[1]), (_ROWS, _FEATURES, _LABELS), strict=True)
    )
    X, Y = X[np.ix_(rows, features)], Y[np.ix_(rows, labels)]
    train = np.sort(rng.permutation(len(rows))[: rng.integers(len(rows) // 2, 3 * len(rows) // 4)])
    varying = ~constant_columns(X[train])
    X = X[:, varying] - X[train][:, varying].min(axis=0)
    X *= rng.uniform(0.2, 1.0, X.shape[1]) / X[train].max(axis=0)
    return Sample(X[train], Y[train], np.delete(X, train, axis=0))


def failure_of(entry: Entry, limits: Mapping[str, float], seed: int, paths: Sequence[str] = ()) -> str | None:
    """Return why an entry fails the checks, in one sentence; None where it passes.

    ``limits`` has ``seconds`` of the wall of a call of it, and ``gigabytes``; ``paths`` are folders of packages. The
    seed draws rows, features and labels.
    """
    sample = draw_sample(seed)
    method = next(iter(entry.methods([_SIZE]).values()))
    apart = set_apart(entry.family, {**method, "search": {}}, limits, paths, entry.files)
    try:
        first, second = (registry.make_entry("entry", {**apart, "random_state": seed}) for _ in range(2))
        _CHECKS[entry.family](entry, sample, first, second)
    except (_Failed, MLReduceError, EntryError, TimeLimitError, MemoryLimitError) as error:
        return re.sub(r"\s+", " ", str(error)).strip()[:300]
    finally:
        close()
    return None


def _check_projection(entry: Entry, sample: Sample, first: Any, second: Any) -> None:
    images, again = (each.fit(sample.X, sample.Y).transform(sample.others) for each in (first, second))
    _check_same(images, again)
    _check_same(first.transform(sample.X), second.transform(sample.X))
    if entry.batch is not None:
        return
    rng = np.random.default_rng(len(images))
    company = np.vstack([sample.others[:_KEPT], rng.permuted(sample.others[_KEPT:], axis=0)])
    for what, rows in (("other test rows", company), ("how many rows are transformed at once", company[:_KEPT])):
        if not _near(images[:_KEPT], first.transform(rows)[:_KEPT]):
            raise _Failed(f"looks at test rows: the image of a row depends on {what}")


def _check_selection(entry: Entry, sample: Sample, first: Any, second: Any) -> None:
    ratings, again = (each.fit(sample.X, sample.Y).scores_ for each in (first, second))
    wrong = int(np.sum(np.isnan(ratings) | np.isneginf(ratings)))
    if wrong:  # the study workflow would rank them last without a message
        raise _Failed(f"predicts NaN: {wrong} of {len(ratings)} features that vary have no rating")
    _check_same(ratings, again)


def _check_labelspace(entry: Entry, sample: Sample, first: Any, second: Any) -> None:
    codes, again = (each.fit(sample.X, sample.Y).training_codes(sample.Y) for each in (first, second))
    _check_same(codes, again)
    sizes = [1, codes.shape[1]]
    for one, other in zip(*(each.reconstruct_sizes(codes, sizes) for each in (first, second)), strict=True):
        _check_same(one, other)


_CHECKS = {"projection": _check_projection, "selection": _check_selection, "labelspace": _check_labelspace}


def _check_same(one: FloatArray, other: FloatArray) -> None:
    if not _near(one, other):
        raise _Failed("is not the same twice with one seed: what it draws must come from its parameter random_state")


def _near(one: FloatArray, other: FloatArray) -> bool:
    if one.shape != other.shape:
        return False
    finite = one[np.isfinite(one)]
    spread = max(float(np.ptp(finite)) if finite.size else 0.0, 1e-300)
    return bool(np.all((one == other) | (np.abs(one - other) <= _TOLERANCE * spread)))
