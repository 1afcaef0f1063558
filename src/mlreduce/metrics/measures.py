"""The decorator that declares a measure, and the look-up of measures by name.

A measure is a function of one `mlreduce.metrics.outcome.Outcome`, in a module of this package::

    @measure("micro-f1", label="micro-F1", higher_is_better=True)
    def micro_f1(outcome): ...

``micro-f1@one-threshold`` is the same measure of the labels that another decision predicts: see `in_parts`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from mlreduce.exceptions import ConfigurationError, unknown_name
from mlreduce.registry import MEASURES, Declarations

if TYPE_CHECKING:
    from mlreduce.metrics.outcome import Outcome

__all__ = [
    "DECISIONS",
    "MEASURES",
    "Measure",
    "find_measure",
    "higher_is_better",
    "in_parts",
    "measure",
    "measure_label",
    "measures_that_need",
]

#: Ways to predict labels from scores (`mlreduce.predictors.decision.Decision`), with their descriptions in figures.
DECISIONS = {
    "half": "cut at one half",
    "one-threshold": "one threshold",
    "per-label": "a threshold per label",
    "cardinality": "as many labels as in training",
    "top-k": "k labels per instance",
}

_Formula: TypeAlias = "Callable[[Outcome], float]"
_Need: TypeAlias = Literal["labels", "scores", "propensities", "codes"]

_MISSING = {
    "scores": "measure scores of the labels, but only labels are predicted here: choose another measure, or a "
    "predictor with probabilities for a study of features",
    "propensities": "measure scores of the labels by how often these are in the training data: give "
    "propensity=mlreduce.metrics.propensities(Y_train), or choose another predictor where labels have no scores",
    "codes": "measure codes of the labels, and this method makes none: choose another measure or a label-space method",
}


@dataclass(frozen=True)
class Measure:
    """A measure as its decorator declares it; called with an outcome, it returns the value."""

    #: In study files, and in tables and figures.
    name: str
    label: str
    #: False for losses.
    higher_is_better: bool
    #: One of "labels", "scores", "propensities", "codes". What an outcome must hold in addition to the predicted
    #: labels; "propensities" need scores, too.
    needs: _Need
    formula: _Formula

    @property
    def orders(self) -> bool:
        """Whether it is computed from scores of the labels."""
        return self.needs in ("scores", "propensities")

    def __call__(self, outcome: Outcome) -> float:
        """Return the value; a ConfigurationError if the outcome lacks what the measure needs."""
        if self.needs != "labels" and not getattr(outcome, f"has_{self.needs}"):
            raise self.lacking()
        return self.formula(outcome)

    def lacking(self) -> ConfigurationError:
        """Return the error that what the measure needs is not there."""
        *first, last = measures_that_need(self.needs)
        return ConfigurationError(f"{', '.join(first)} and {last} {_MISSING[self.needs]}")


def measure(
    name: str, *, label: str = "", higher_is_better: bool, needs: _Need = "labels"
) -> Callable[[_Formula], _Formula]:
    """Declare a function of an outcome as a measure.

    Parameters
    ----------
    name : str
        In study files; lower case with hyphens.
    label : str, default=""
        In tables and figures; the name where it is empty.
    higher_is_better : bool
        False for losses.
    needs : {"labels", "scores", "propensities", "codes"}, default="labels"
        What an outcome must hold in addition to the predicted labels.

    Returns
    -------
    callable
        The decorator: it takes the function and returns it as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.metrics import Outcome, find_measure, measure
    >>> @measure("labels-predicted", label="labels per instance", higher_is_better=False)
    ... def labels_predicted(outcome):
    ...     return float(outcome.predicted.sum(axis=1).mean())
    >>> outcome = Outcome(labels=np.eye(2, dtype=int), predicted=np.array([[1, 1], [0, 1]]))
    >>> find_measure("labels-predicted")(outcome)
    1.5
    """

    def declare(formula: _Formula) -> _Formula:
        MEASURES.add(name, Measure(name, label or name, higher_is_better, needs, formula), formula.__module__)
        return formula

    return declare


def measures_that_need(part: _Need) -> list[str]:
    """Return the names of the measures that need labels, scores or codes, sorted."""
    return [name for name, declared in MEASURES.items() if declared.needs == part]


def find_measure(name: str) -> Measure:
    """Return a measure by its name.

    Parameters
    ----------
    name : str
        As in study files, such as ``"hamming-loss"``.

    Returns
    -------
    Measure
        Its formula, label, direction, and what it needs of an `Outcome`.

    Raises
    ------
    ConfigurationError
        If there is none; the sentence holds the nearest known one.

    Examples
    --------
    >>> from mlreduce.metrics import find_measure
    >>> find_measure("ranking-loss").label, find_measure("ranking-loss").needs
    ('ranking loss', 'scores')
    """
    declared: Declarations[Measure] = MEASURES
    plain, decision = in_parts(name)
    declaration = declared.find(plain)
    if decision is None:
        return declaration
    if declaration.needs != "labels":
        raise ConfigurationError(f"{name}: a decision does not change {plain}, which needs no predicted labels")
    return replace(declaration, name=name, label=f"{declaration.label}, {DECISIONS[decision]}")


def in_parts(name: str) -> tuple[str, str | None]:
    """Return the measure and the decision of a name such as ``micro-f1@one-threshold``; None where it has none.

    The decision predicts the labels that are measured. Raises ConfigurationError if there is no such decision; the
    sentence holds the nearest known one.

    Examples
    --------
    >>> from mlreduce.metrics.measures import find_measure, in_parts
    >>> in_parts("micro-f1@one-threshold"), in_parts("micro-f1")
    (('micro-f1', 'one-threshold'), ('micro-f1', None))
    >>> find_measure("micro-f1@half").label
    'micro-F1, cut at one half'
    """
    plain, at, decision = name.partition("@")
    if not at:
        return plain, None
    if decision not in DECISIONS:
        raise ConfigurationError(f"{name}: {unknown_name('decision', decision, DECISIONS)}")
    return plain, decision


def higher_is_better(name: str) -> bool:
    """Return whether larger values of a measure are better.

    Parameters
    ----------
    name : str
        As of `find_measure`.

    Returns
    -------
    bool
        False for losses.

    Raises
    ------
    ConfigurationError
        If there is no such measure; the sentence holds the nearest known one.

    Examples
    --------
    >>> from mlreduce.metrics import higher_is_better
    >>> higher_is_better("micro-f1"), higher_is_better("hamming-loss")
    (True, False)
    """
    return MEASURES.find(in_parts(name)[0]).higher_is_better


def measure_label(name: str) -> str:
    """Return the name of a measure in tables and figures; also of "all", the name of all measures together.

    Parameters
    ----------
    name : str
        As of `find_measure`, or "all".

    Returns
    -------
    str
        Such as ``"Hamming loss"``; the name itself where there is no label.

    Examples
    --------
    >>> from mlreduce.metrics import measure_label
    >>> measure_label("instance-f1"), measure_label("all")
    ('F1', 'all measures')
    """
    if name == "all":
        return "all measures"
    return find_measure(name).label if name.partition("@")[0] in MEASURES else name
