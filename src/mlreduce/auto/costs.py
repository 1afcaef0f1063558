"""What fits of candidates are expected to take, by the complexities that their methods declare."""

from __future__ import annotations

from dataclasses import replace

from mlreduce.auto.candidates import GIVEN, NEIGHBOURS, NONE, RIDGE, Candidate
from mlreduce.methods.evidence import estimated
from mlreduce.methods.shapes import Shape
from mlreduce.registry import kind_of

#: Predictors whose complexity is declared.
DECLARED = (RIDGE, NEIGHBOURS)
# The power of the rows by which the seconds of others grow: of a linear SVM and a forest, of those of the user.
_GROWTH, _GIVEN_GROWTH = 1.3, 1.5


def estimated_seconds(candidate: Candidate, shape: Shape, rows: int) -> float | None:
    """Return the estimated seconds of the steps that declare a complexity; None where none does.

    Parameters
    ----------
    candidate : Candidate
    shape : Shape
        Of all rows.
    rows : int
        At least 1.
    """
    if candidate.predictor == GIVEN or candidate.reduction == GIVEN:
        return None
    sizes, sparse = shape.sizes, shape.sparse
    sizes = replace(sizes, n=rows, s=max(1, sizes.s * rows // sizes.n), k=candidate.size or 1, p=None)
    seconds = []
    if candidate.reduction != NONE:
        seconds.append(estimated(candidate.reduction, sizes, sparse))
        if kind_of(candidate.reduction) == "labelspace":
            sizes = replace(sizes, q=sizes.k)
        else:
            sizes = replace(sizes, d=sizes.k, s=rows * sizes.k)
            sparse = False
    if candidate.predictor in DECLARED:
        seconds.append(estimated(candidate.predictor, sizes, sparse))
    return sum(one.seconds for one in seconds if one is not None) or None


def grown_seconds(
    candidate: Candidate, shape: Shape, seconds: float, rows: int, more: int, slower: float = 1.0
) -> float:
    """Return the seconds that a fit to more rows is expected to take.

    The part that its declared complexity accounts for grows with that, the rest with a power of the rows.

    Parameters
    ----------
    candidate : Candidate
    shape : Shape
        Of all rows.
    seconds : float
        Of a fit to ``rows``.
    rows, more : int
    slower : float, default=1.0
        How many times as long as estimated fits take on this machine.
    """
    few, many = (estimated_seconds(candidate, shape, number) or 0.0 for number in (rows, more))
    declared = min(slower * few, seconds)
    if GIVEN in (candidate.predictor, candidate.reduction):
        power = _GIVEN_GROWTH
    else:
        power = 1.0 if candidate.predictor in DECLARED else _GROWTH
    rest = (seconds - declared) * max(more / rows, 1.0) ** power
    return rest + (declared * max(many / few, 1.0) if few else 0.0)
