"""What a claim may state: kinds of sentences, quantities and tables that they are about. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["KINDS", "QUANTITIES", "TABLES", "WORDINGS", "Columns", "Kind", "Line", "Statement", "Wording"]

#: Quantities that are no measures of predictions.
QUANTITIES = ("seconds", "directions", "approximation-error", "approximation-error-fall")


class Columns(NamedTuple):
    """Columns of a gathered table: those that tell its rows apart, and its numbers."""

    keys: tuple[str, ...]
    numbers: tuple[str, ...]


#: Gathered tables that a claim may take numbers from.
TABLES: Mapping[str, Columns] = {
    "datasets": Columns(("dataset",), ("instances", "features", "labels", "cardinality", "zeros")),
    "dependencies": Columns(
        ("dataset", "discretise", "n_bins"),
        ("smallest_eigenvalue", "negative_eigenvalues", "mean_entropy", "mean_dependency"),
    ),
    "theorem": Columns(
        ("dataset", "nystrom", "condition"), ("cells", "holds", "better_where_it_holds", "better_elsewhere")
    ),
    "costs": Columns(
        ("dataset", "method", "swept", "space", "rows", "features", "prototypes"), ("seconds", "gigabytes")
    ),
}


class Wording(NamedTuple):
    """How a sentence says on how many data sets it holds, and the scope that this has in all papers."""

    says: str
    holds: str | int | None


#: Name in claims to wording. "counted" has its number in the claim.
WORDINGS: Mapping[str, Wording] = {
    "plain": Wording("no word of number: outperforms, is best, is similar", "most"),
    "every": Wording("all, every, always, both, consistently", "all"),
    "mostly": Wording("mostly, generally, usually, commonly, in most cases", "most"),
    "counted": Wording("a number of data sets", None),
    "sometimes": Wording("sometimes, can, may, in some cases", 1),
    "named": Wording("the data sets that it is about, by their names", "all"),
    "average": Wording("overall, on average over data sets, by average ranks", "tendency"),
}


@dataclass(frozen=True)
class Kind:
    """A kind of sentence."""

    #: Keys of a claim that it must have in addition to those that all have.
    needs: tuple[str, ...]
    #: Keys of which it must have one.
    one_of: tuple[str, ...] = ()
    #: One of "above", "not below", "within", "below", "". Where a difference is to be, seen from the margin; "" where
    #: bounds of the claim say it.
    asks: str = ""
    #: One of "losses", "all", "". Which differences change their sign first, so that a positive one speaks for the
    #: first method.
    turned: str = ""


_PAIR = ("than",)

#: Name in claims to kind.
KINDS: Mapping[str, Kind] = {
    "better": Kind(_PAIR, asks="above", turned="losses"),
    "no-worse": Kind(_PAIR, asks="not below", turned="losses"),
    "similar": Kind(_PAIR, asks="within", turned="losses"),
    "worse": Kind(_PAIR, asks="below", turned="losses"),
    "best": Kind(_PAIR, asks="above", turned="losses"),
    "among-best": Kind(_PAIR, asks="not below", turned="losses"),
    "larger": Kind(_PAIR, asks="above"),
    "smaller": Kind(_PAIR, asks="above", turned="all"),
    "ratio": Kind(("than",), ("about", "at_least", "at_most", "nearer_one_than_on")),
    "bound": Kind((), ("at_least", "at_most", "more_than_on")),
    "correlation": Kind((), ("at_least", "at_most")),
    "monotone": Kind(("direction",)),
    "more-datasets": Kind((*_PAIR, "control"), asks="above", turned="losses"),
}


@dataclass(frozen=True)
class Statement:
    """A sentence in one setting, for one data set or several."""

    #: Of `KINDS`.
    kind: str
    methods: tuple[str, ...]
    than: tuple[str, ...]
    quantities: tuple[str, ...]
    #: Of the methods, and of ``than`` where that differs; see `mlreduce_studies.verdicts.quantities.values_of`.
    select: Mapping[str, Any]
    #: One of "mean", "each", "most". Whether the mean over the selected sizes, predictors and quantities is compared,
    #: or each of them.
    cells: str = "mean"
    #: Of practical equivalence, in units of the quantity, or of the second value where ``relative``.
    margin: float | None = None
    relative: bool = False
    #: ``about``, ``factor``, ``at_least``, ``at_most``, ``nearer_one_than_on``, ``more_than_on``, ``direction``,
    #: ``control`` of the kinds that have them; ``table`` (see `mlreduce_studies.verdicts.quantities.table_value`); and
    #: ``relative_to``: a method whose value in the same cell is subtracted from others, which are then divided by its
    #: mean over the splits.
    options: Mapping[str, Any] = field(default_factory=dict)
    than_select: Mapping[str, Any] | None = None
    #: How many of the methods must hold against all of ``than``.
    methods_hold: str | int = "all"

    @property
    def compared(self) -> list[tuple[str, str]]:
        """The pairs that it compares: of methods, or of a method with itself elsewhere."""
        if self.kind == "more-datasets":
            return [(method, self.options["control"]) for method in dict.fromkeys((*self.methods, *self.than))]
        same = self.than_select is not None
        return [(method, other) for method in self.methods for other in self.than if same or method != other]


@dataclass(frozen=True)
class Line:
    """A statement with the data sets that it is about."""

    #: Of the setting; "" for a claim with one.
    name: str
    statement: Statement
    datasets: tuple[str, ...]
    #: On how many of them: "all", "most", a number, or "tendency".
    holds: str | int
    #: False where it is only shown with a claim: on replacements for a paper's data, or in a setting that the paper
    #: does not leave open.
    counted: bool = True
    #: Whether data sets are combined as independent of each other; False for the table of sensitivity.
    independent: bool = True
