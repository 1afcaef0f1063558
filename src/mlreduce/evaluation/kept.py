"""What tasks of a job have in common is computed once: those that differ in predictors or measures fit the same."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mlreduce.evaluation.failures import PASSING, Failures
from mlreduce.evaluation.splitting import Split

if TYPE_CHECKING:
    from mlreduce.evaluation.search import Search
    from mlreduce.evaluation.strategy import Predictor

__all__ = ["Kept", "Tried", "entry_key", "rows_key"]

_Result = TypeVar("_Result")


class Kept:
    """Results of calls by a key, the least recently used forgotten first. What a call raised is kept and raised again.

    Parameters
    ----------
    n_bytes : float, default=0
        Bytes of arrays in all results together; with 0 nothing is kept.

    Examples
    --------
    >>> kept = Kept(1000)
    >>> kept.of(("square", 3), lambda x: x * x, 3), kept.of(("square", 3), lambda x: 1 / 0, 3)
    (9, 9)
    """

    def __init__(self, n_bytes: float = 0) -> None:
        self._most, self._bytes = n_bytes, 0
        self._results: OrderedDict[tuple[Any, ...], tuple[int, Any]] = OrderedDict()

    def of(self, key: tuple[Any, ...], work: Callable[..., _Result], *arguments: Any) -> _Result:
        """Return what was returned before by a key, or what a call returns.

        Parameters
        ----------
        key : tuple
            Of everything that decides the result.
        work : callable
        *arguments
            Of ``work``.
        """
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
            return result  # type: ignore[no-any-return]
        self._results.move_to_end(key)
        result = self._results[key][1]
        if isinstance(result, Exception):
            raise result
        return result  # type: ignore[no-any-return]

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


class Tried:
    """Scores of candidates of a search that were measured before, by any of the predictors that try the same.

    Parameters
    ----------
    shares : bool, default=False
        Whether other tasks of the job try the same; otherwise nothing is kept.
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

        Parameters
        ----------
        cell : (split number, label)
        key : tuple
            Of the rows and the candidate.
        search : Search
            Its predictors measure what is fitted together.
        failures : Failures
            Takes what the fit or the search's own predictor raises.
        fit : callable
            Returns something of length 0 where the candidate does not suit the rows.
        measure : callable
            Returns the search's measures by a predictor.
        """
        key = (*key, *sorted(search.measures), search.dimension, search.size_percent)
        own = (*key, entry_key(search.predictor))
        found = self._scores.get(own)
        if isinstance(found, Exception):
            failures.attempt(*cell, _raised, found)
            return math.nan
        if found is None:
            found = self._measured(cell, key, search, failures, fit, measure)
        return found.get(search.measure, math.nan)

    def _measured(
        self,
        cell: tuple[int, str],
        key: tuple[Any, ...],
        search: Search,
        failures: Failures,
        fit: Callable[[], Any],
        measure: Callable[[Predictor, Any, Failures], Mapping[str, float]],
    ) -> Mapping[str, float]:
        others = [predictor for predictor in search.together if predictor != search.predictor] if self._shares else []

        def fitted() -> Any:
            try:
                return fit()
            except PASSING:
                raise
            except Exception as error:
                if self._shares:
                    self._scores |= {(*key, entry_key(own)): error for own in (search.predictor, *others)}
                raise

        result = failures.attempt(*cell, fitted)
        if result is None:
            return {}
        for predictor in (search.predictor, *others):
            own = predictor == search.predictor
            aside = failures if own else Failures("choose")
            with warnings.catch_warnings(action="default" if own else "ignore"):
                scores = measure(predictor, result, aside) if len(result) else {}
            if own:
                found = scores
            # What another predictor fails at is tried again where it is asked for.
            if self._shares and (own or not any(map(math.isnan, scores.values()))):
                self._scores[*key, entry_key(predictor)] = scores
        return found


def _raised(error: Exception) -> None:
    raise error


def rows_key(split: Split) -> str:
    """Return a digest of the rows of a split."""
    digest = hashlib.sha256()
    for rows in split:
        digest.update(b"-" if rows is None else np.ascontiguousarray(rows, dtype=np.int64).tobytes() + b"|")
    return digest.hexdigest()


def entry_key(entry: Any) -> str:
    """Return an entry of a study file, or a predictor with its label, as text."""
    return json.dumps(entry, sort_keys=True)
