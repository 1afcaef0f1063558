"""Combination of the evidence on several statements into evidence that at least some of them hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from mlreduce.exceptions import DataError
from mlreduce.validation import FloatArray

__all__ = ["Evidence", "at_least", "holds_more_often", "needed"]


class Evidence(NamedTuple):
    """Evidence for a statement and against it, both as p-values."""

    #: In [0, 1]; small where the data hardly allow that the statement is false.
    p_for: float
    #: In [0, 1]; small where the data hardly allow that it is true.
    p_against: float

    @classmethod
    def of(cls, probability: float) -> Evidence:
        """Return the evidence of a probability that a statement is true."""
        return cls(1.0 - probability, probability)


def needed(number: int, of: str | int) -> int:
    """Return how many of some statements must hold: "all" of them, "most" (more than half), or a number.

    Raises DataError if it is a number outside 1 to the number of statements.
    """
    if of == "all":
        return number
    if of == "most":
        return number // 2 + 1
    if not isinstance(of, int) or not 1 <= of <= number:
        raise DataError(f"of {number} statements 1 to {number} can be asked to hold; got {of!r}")
    return of


def at_least(number: int, evidence: Sequence[Evidence], independent: bool = False) -> Evidence:
    """Combine evidence on m statements, at least one, into evidence that at least a number k of them are true.

    That fewer than k of m are true means that some m - k + 1 are false. So the p-value for is one that combines the m -
    k + 1 largest of theirs: the largest for all of them. "At least k" is false where m - k + 1 are, and its p-value
    combines the k largest of those against. Others than independent ones are combined by Bonferroni's method: the
    smallest of them times their number. Independent ones, of data sets that share no rows, are combined by Lancaster's:
    the sum of their quantiles of chi-square with one degree of freedom has as many degrees as there are p-values. It
    finds one small p-value nearly as well as Bonferroni's and several middling ones nearly as well as Fisher's
    (docs/verdicts.md). Raises DataError if k is not in 1..m.

    References
    ----------
    Benjamini and Heller (2008), "Screening for partial conjunction hypotheses", Biometrics 64. Lancaster (1961), "The
    combination of probabilities: an application of orthonormal functions", Australian Journal of Statistics 3.

    Examples
    --------
    >>> [round(p, 9) for p in at_least(2, [Evidence.of(0.99), Evidence.of(0.98), Evidence.of(0.5)])]
    [0.04, 1.0]
    >>> [round(p, 4) for p in at_least(2, [Evidence.of(0.99), Evidence.of(0.98), Evidence.of(0.5)], independent=True)]
    [0.0532, 0.9996]
    """
    total = len(evidence)
    if not 1 <= number <= total:
        raise DataError(f"of {total} statements 1 to {total} can be asked to hold; got {number}")
    combine = _lancaster if independent else _bonferroni
    p_for = combine(np.sort([part.p_for for part in evidence])[number - 1 :])
    p_against = combine(np.sort([part.p_against for part in evidence])[total - number :])
    return Evidence(p_for, p_against)


def _bonferroni(p_values: FloatArray) -> float:
    """Combine sorted p-values."""
    return min(1.0, float(len(p_values) * p_values[0]))


def _lancaster(p_values: FloatArray) -> float:
    """Combine independent p-values; one alone stays what it is."""
    if len(p_values) == 1:
        return float(p_values[0])
    return float(special.chdtrc(len(p_values), special.chdtri(1, p_values).sum()))


def holds_more_often(first: Sequence[Evidence], second: Sequence[Evidence]) -> Evidence:
    """Combine evidence on two statements about the same m cases into evidence that the first holds in more of them.

    The cases are independent: data sets that share no rows. It does where for some k the first holds in more than k
    cases, and the second in at most k: m values of k. It does not where for some k, of m + 1, the first holds in at
    most k, and the second in k or more. The p-value is Bonferroni's over the values of k, of each the larger of the two
    by `at_least`.
    """
    total = len(first)

    def least(number: int, evidence: Sequence[Evidence]) -> Evidence:
        """At least 0 are certain, and more than all are impossible."""
        if 1 <= number <= total:
            return at_least(number, evidence, independent=True)
        return Evidence(0.0, 1.0) if number < 1 else Evidence(1.0, 0.0)

    p_for = min(max(least(k + 1, first).p_for, least(k + 1, second).p_against) for k in range(total))
    p_against = min(max(least(k + 1, first).p_against, least(k, second).p_for) for k in range(total + 1))
    return Evidence(min(1.0, total * p_for), min(1.0, (total + 1) * p_against))
