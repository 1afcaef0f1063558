"""Caches of a job: its tasks fit the same methods where they differ only in predictors or measures."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mlreduce.evaluation.entries import Predictor
from mlreduce.evaluation.failures import PASSING, Failures
from mlreduce.evaluation.splitting import Split

if TYPE_CHECKING:
    from mlreduce.evaluation.search import Search

_Result = TypeVar("_Result")


class ResultCache:
    """A cache of the results of calls, which removes the least recently used first. Exceptions are cached, too.

    The arrays in all results have ``n_bytes`` together at most; with 0 nothing is cached.

    Examples
    --------
    >>> results = ResultCache(1000)
    >>> results.get(("square", 3), lambda x: x * x, 3), results.get(("square", 3), lambda x: 1 / 0, 3)
    (9, 9)
    """

    def __init__(self, n_bytes: float = 0) -> None:
        self._most, self._bytes = n_bytes, 0
        self._results: OrderedDict[tuple[Any, ...], tuple[int, Any]] = OrderedDict()

    def get(self, key: tuple[Any, ...], work: Callable[..., _Result], *arguments: Any) -> _Result:
        """Return the cached result of a key, which decides all of it, or call a function and cache its result."""
        if not self._most:
            return work(*arguments)
        if key not in self._results:
            try:
                result: Any = work(*arguments)
            except PASSING:
                raise
            except Exception as error:
                self._add(key, error)
                raise
            self._add(key, result)
            return result
        self._results.move_to_end(key)
        result = self._results[key][1]
        if isinstance(result, Exception):
            raise result
        return result

    def _add(self, key: tuple[Any, ...], result: Any) -> None:
        size = _size(result)
        if size > self._most:
            return
        self._results[key] = size, result
        self._bytes += size
        while self._bytes > self._most:
            self._bytes -= self._results.popitem(last=False)[1][0]


def _size(result: Any) -> int:
    """Return about how many bytes a result takes."""
    if isinstance(result, np.ndarray):
        return result.nbytes + 100
    if isinstance(result, Mapping):
        return sum(map(_size, result.values())) + 100
    return sum(map(_size, result)) + 100 if isinstance(result, tuple | list) else 100


class ScoreCache:
    """A cache of the scores of a search's candidates, for all predictors whose searches have the same candidates.

    Nothing is cached unless it ``shares``: other tasks of the job have the same candidates.
    """

    def __init__(self, shares: bool = False) -> None:
        self._shares = shares
        self._scores: dict[tuple[Any, ...], Mapping[str, float] | Exception] = {}

    def score(
        self,
        cell: tuple[int, str],
        key: tuple[Any, ...],
        search: Search,
        failures: Failures,
        fit: Callable[[], _Result],
        measure: Callable[[Predictor, _Result, Failures], Mapping[str, float]],
    ) -> float:
        """Return the score of a candidate by the search's measure and predictor; NaN where it failed.

        A cell is a split number and a label, the key the rows and the candidate. The predictors of the search measure
        what is fitted together. ``failures`` records exceptions of the fit and of the search's predictor. ``fit``
        returns something of length 0 where the candidate does not suit the rows, and ``measure`` the search's measures
        by a predictor.
        """
        key = (*key, *sorted(search.measures), search.dimension, search.size_percent)
        scores = self._scores.get((*key, entry_text(search.predictor)))
        if isinstance(scores, Exception):
            failures.attempt(*cell, _raise, scores)
            return math.nan
        if scores is None:
            scores = self._measure_all(cell, key, search, failures, fit, measure)
        return scores.get(search.measure, math.nan)

    def _measure_all(
        self,
        cell: tuple[int, str],
        key: tuple[Any, ...],
        search: Search,
        failures: Failures,
        fit: Callable[[], Any],
        measure: Callable[[Predictor, Any, Failures], Mapping[str, float]],
    ) -> Mapping[str, float]:
        others = [predictor for predictor in search.together if predictor != search.predictor] if self._shares else []

        def fit_and_cache_error() -> Any:
            try:
                return fit()
            except PASSING:
                raise
            except Exception as error:
                if self._shares:
                    self._scores |= {(*key, entry_text(one)): error for one in (search.predictor, *others)}
                raise

        result = failures.attempt(*cell, fit_and_cache_error)
        if result is None:
            return {}
        for predictor in (search.predictor, *others):
            first = predictor == search.predictor
            with warnings.catch_warnings(action="default" if first else "ignore"):
                recorded = failures if first else Failures("choose")
                scores = measure(predictor, result, recorded) if len(result) else {}
            if first:
                scores_of_search = scores
            # Failures of another predictor are not cached: its search has to record them.
            if self._shares and (first or not any(map(math.isnan, scores.values()))):
                self._scores[*key, entry_text(predictor)] = scores
        return scores_of_search


def _raise(error: Exception) -> None:
    raise error


def digest_rows(split: Split) -> str:
    """Return a digest of the rows of a split."""
    digest = hashlib.sha256()
    for rows in split:
        digest.update(b"-" if rows is None else np.ascontiguousarray(rows, dtype=np.int64).tobytes() + b"|")
    return digest.hexdigest()


def entry_text(entry: Any) -> str:
    """Return an entry of a study file, or a predictor with its label, as text."""
    return json.dumps(entry, sort_keys=True)
