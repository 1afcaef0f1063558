"""What a fit costs: operations and memory as each method declares them, by which costs of other sizes are estimated."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["DENSE_SIDE", "PAIRS", "Complexity", "Sizes"]

#: Order up to which matrices are decomposed densely (0.3 GB) by methods that can iterate with products.
DENSE_SIDE = 6000

#: Pairs of instances whose distances are one table (0.13 GB); of more, blocks of rows are computed.
PAIRS = 2**24

_FACTOR = re.compile(r"(?:[ndqmrskpt](?:\^[2-9])?|[1-9][0-9]*)")


@dataclass(frozen=True)
class Sizes:
    """Sizes of a training set and of the requested result.

    Attributes
    ----------
    n, d, q : int
        Instances, features and labels.
    s : int
        Stored entries of the features: n d, or of a sparse matrix those that are not zero.
    k : int
        Requested directions, columns or features.
    p : int or None, default=None
        Labels that are present, over all instances; None takes n q, all of them.

    Examples
    --------
    >>> from mlreduce.complexity import Sizes
    >>> Sizes(n=1000, d=100, q=5, s=100_000, k=10).m
    100
    """

    n: int
    d: int
    q: int
    s: int
    k: int
    p: int | None = None

    def __post_init__(self) -> None:
        if self.p is None:
            object.__setattr__(self, "p", self.n * self.q)

    @property
    def m(self) -> int:
        """The smaller number of instances and features."""
        return min(self.n, self.d)

    @property
    def r(self) -> int:
        """The smaller number of instances and labels."""
        return min(self.n, self.q)

    @property
    def t(self) -> int:
        """Entries of a table of all pairs of instances, or of its part that is in memory where they are many."""
        return min(self.n**2, PAIRS)


@dataclass(frozen=True)
class Complexity:
    """Operations and memory of a fit, up to a factor, as sums of products such as ``"s m + m^3"``.

    Attributes
    ----------
    time : str
        Operations. Symbols are those of `Sizes`; of a predictor with the predictions of as many instances.
    memory : str
        Numbers stored in addition to the given features. With a term ``"n d"`` sparse features are made dense.
    iterated : str or None, default=None
        Operations by iteration with products, which takes the place of ``time`` where m exceeds 6000
        (`DENSE_SIDE`); about so many, not only up to a factor. None where there is no iteration.
    iterates_on : {"any", "sparse"}, default="any"
        Which features the iteration takes.
    most : int or None, default=None
        Largest m without iteration; None if only memory and time limit it.
    least_bytes : float, default=4.0
        Bytes that a fit was measured to take at least for each number of ``memory`` (docs/scale.md): it is refused
        where these are too many. Few where the method makes its matrices in blocks.

    Examples
    --------
    >>> from mlreduce.complexity import Complexity, Sizes
    >>> complexity = Complexity("s m + m^3", "m^2")
    >>> sizes = Sizes(n=1000, d=100, q=5, s=100_000, k=10)
    >>> complexity.operations(sizes), complexity.numbers(sizes)
    (11000000.0, 10000.0)
    """

    time: str
    memory: str
    iterated: str | None = None
    iterates_on: Literal["any", "sparse"] = "any"
    most: int | None = None
    least_bytes: float = 4.0

    def __post_init__(self) -> None:
        for text in (self.time, self.memory, self.iterated or "n"):
            for factor in re.split(r" \+ | ", text):
                if not _FACTOR.fullmatch(factor):
                    raise ValueError(f"{factor!r} in {text!r} is no number, symbol or power of a symbol")

    def operations(self, sizes: Sizes) -> float:
        """Return the operations without iteration.

        Parameters
        ----------
        sizes : Sizes
            Of the training set.

        Returns
        -------
        float
            Up to a factor of the method's.
        """
        return sum(self.terms(sizes))

    def terms(self, sizes: Sizes) -> list[float]:
        """Return the operations of each term of ``time``.

        Parameters
        ----------
        sizes : Sizes
            Of the training set.

        Returns
        -------
        list of float
            Up to factors of the method's.
        """
        return _terms(self.time, sizes)

    def numbers(self, sizes: Sizes) -> float:
        """Return how many numbers are stored in addition to the features.

        Parameters
        ----------
        sizes : Sizes
            Of the training set.

        Returns
        -------
        float
            Up to a factor of the method's.
        """
        return sum(_terms(self.memory, sizes))

    def iterations(self, sizes: Sizes) -> float:
        """Return the operations by iteration.

        Parameters
        ----------
        sizes : Sizes
            Of the training set.

        Returns
        -------
        float
            Not only up to a factor; 0 where there is no iteration.
        """
        return sum(_terms(self.iterated, sizes)) if self.iterated else 0.0

    def iterates(self, sizes: Sizes, sparse: bool) -> bool:
        """Whether a fit iterates with products instead of decomposing matrices.

        Parameters
        ----------
        sizes : Sizes
            Of the training set.
        sparse : bool
            Whether the features are sparse.

        Returns
        -------
        bool
            Then ``memory`` does not hold.
        """
        return sizes.m > DENSE_SIDE and self.iterated is not None and (sparse or self.iterates_on == "any")

    @property
    def makes_dense(self) -> bool:
        """Whether sparse features are made dense, unless the method iterates."""
        return "n d" in self.memory.split(" + ")

    def __str__(self) -> str:
        """Return the order of the operations, such as ``O(s m + m^3)``, without numbers."""
        return f"O({_order(self.time)})"


def _terms(text: str, sizes: Sizes) -> list[float]:
    return [math.prod(_factor(factor, sizes) for factor in term.split(" ")) for term in text.split(" + ")]


def _factor(text: str, sizes: Sizes) -> float:
    if text.isdigit():
        return float(text)
    symbol, _, power = text.partition("^")
    return float(getattr(sizes, symbol)) ** int(power or 1)


def _order(text: str) -> str:
    terms = (" ".join(factor for factor in term.split(" ") if not factor.isdigit()) for term in text.split(" + "))
    return " + ".join(terms)
