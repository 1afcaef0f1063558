"""Combination of the evidence on several statements into evidence that at least some of them hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlreduce.exceptions import DataError

__all__ = ["Evidence", "at_least", "holds_more_often", "needed"]


class Evidence(NamedTuple):
    """Evidence for a statement and against it, both as p-values.

    Attributes
    ----------
    p_for : float
        In [0, 1]; small where the data hardly allow that the statement is false.
    p_against : float
        In [0, 1]; small where the data hardly allow that it is true.
    """

    p_for: float
    p_against: float

    @classmethod
    def of(cls, probability: float) -> Evidence:
        """Return the evidence of a probability that a statement is true."""
        return cls(1.0 - probability, probability)


def needed(number: int, of: str | int) -> int:
    """Return how many of some statements must hold: "all" of them, "most" (more than half), or a number.

    Raises
    ------
    DataError
        If it is a number outside 1 to the number of statements.
    """
    if of == "all":
        return number
    if of == "most":
        return number // 2 + 1
    if not isinstance(of, int) or not 1 <= of <= number:
        raise DataError(f"of {number} statements 1 to {number} can be asked to hold; got {of!r}")
    return of


def at_least(number: int, evidence: Sequence[Evidence]) -> Evidence:
    """Combine evidence on statements into evidence that at least a number of them are true.

    That fewer than k of m are true means that some m - k + 1 are false. The p-value for is ``m - k + 1`` times the k-th
    smallest of theirs (Bonferroni's among the m - k + 1 largest): the largest for all of them. "At least k" is false
    where m - k + 1 are, with the p-value ``k`` times the (m - k + 1)-th smallest of those against. No independence is
    assumed.

    Parameters
    ----------
    number : int
        k, in 1..m.
    evidence : sequence of Evidence
        Of the m statements, at least one.

    Raises
    ------
    DataError
        If the number is not in 1..m.

    References
    ----------
    Benjamini and Heller (2008), "Screening for partial conjunction hypotheses", Biometrics 64.

    Examples
    --------
    >>> [round(p, 9) for p in at_least(2, [Evidence.of(0.99), Evidence.of(0.98), Evidence.of(0.5)])]
    [0.04, 1.0]
    """
    total = len(evidence)
    if not 1 <= number <= total:
        raise DataError(f"of {total} statements 1 to {total} can be asked to hold; got {number}")
    others = total - number + 1
    p_for = others * np.sort([part.p_for for part in evidence])[number - 1]
    p_against = number * np.sort([part.p_against for part in evidence])[others - 1]
    return Evidence(min(1.0, float(p_for)), min(1.0, float(p_against)))


def holds_more_often(first: Sequence[Evidence], second: Sequence[Evidence]) -> Evidence:
    """Combine evidence on two statements about the same m cases into evidence that the first holds in more of them.

    It does where for some k the first holds in more than k cases, and the second in at most k: m values of k. It does
    not where for some k, of m + 1, the first holds in at most k, and the second in k or more. The p-value is
    Bonferroni's over the values of k, of each the larger of the two by `at_least`.

    Parameters
    ----------
    first, second : sequence of Evidence
        On each statement in each case.
    """
    total = len(first)

    def least(number: int, evidence: Sequence[Evidence]) -> Evidence:
        """At least 0 are certain, and more than all are impossible."""
        if 1 <= number <= total:
            return at_least(number, evidence)
        return Evidence(0.0, 1.0) if number < 1 else Evidence(1.0, 0.0)

    p_for = min(max(least(k + 1, first).p_for, least(k + 1, second).p_against) for k in range(total))
    p_against = min(max(least(k + 1, first).p_against, least(k, second).p_for) for k in range(total + 1))
    return Evidence(min(1.0, total * p_for), min(1.0, (total + 1) * p_against))
