"""Descriptions of methods: what each is, its parameters, its cost and its paper."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from mlreduce import registry
from mlreduce.methods.evidence import complexities, rankings_of
from mlreduce.methods.facts import Facts, facts_of, method_of

_WIDTH = 100


@dataclass(frozen=True)
class Description:
    """What is known of a method; printed as a page of text.

    Attributes
    ----------
    facts : Facts
        As in the table of methods.
    summary : str
        First line of the docstring.
    formula : str
        What follows it, up to the parameters.
    parameters : dict of str to str
        Defaults by name, as Python writes them.
    cost, memory : str
        Operations and numbers held, up to a factor; empty where none is declared.
    evidence : list of str
        Average ranks in the committed studies.
    documented : str
        Import path of the class.

    Examples
    --------
    >>> import mlreduce
    >>> description = mlreduce.describe("rcca")
    >>> description.parameters
    {'n_components': 'None', 'ridge': 'None'}
    >>> description.memory, description.documented
    ('m^2 + d q + d k numbers', 'mlreduce.projection.cca.RCCA')
    """

    facts: Facts
    summary: str
    formula: str
    parameters: Mapping[str, str]
    cost: str
    memory: str
    evidence: list[str]
    documented: str

    def to_dict(self) -> dict[str, Any]:
        """Return the description as names and values of JSON.

        Returns
        -------
        dict
            In the order in which they are printed.
        """
        facts = self.facts
        return {
            "name": facts.name,
            "is": self.summary,
            "formula": self.formula,
            "family": facts.family,
            "needs labels": facts.needs_labels,
            "unknown labels": facts.unknown_labels,
            "linear": facts.linear,
            "sparse": facts.sparse,
            "out of sample": facts.out_of_sample,
            "parameters": dict(self.parameters),
            "cost": self.cost,
            "memory": self.memory,
            "paper": facts.paper,
            "evidence": list(self.evidence),
            "class": self.documented,
        }

    def __str__(self) -> str:
        """Return a page of text."""
        return "\n".join(self.lines())

    def lines(self, width: int = _WIDTH) -> list[str]:
        """Return the lines of a page of text, below its first line none longer than a width.

        Parameters
        ----------
        width : int, default=100
            Characters.

        Returns
        -------
        list of str
            The first has the name and what the method does.
        """
        lines = [f"{self.facts.name}: {self.summary}", ""]
        lines += [line for part in self.formula.split("\n\n") for line in [*textwrap.wrap(part, width), ""] if part]
        for name, value in self.to_dict().items():
            if name in ("name", "is", "formula") or value in ("", None, [], {}):
                continue
            lines += textwrap.wrap(
                _text(value), width, initial_indent=f"{name:<15}", subsequent_indent=15 * " ", break_on_hyphens=False
            )
        return lines

    def _repr_html_(self) -> str:
        """Return the page for notebooks."""
        return f"<pre>{escape(str(self))}</pre>"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name}={default}" for name, default in value.items())
    return "; ".join(value) if isinstance(value, list) else str(value)


def describe(name: str) -> Description:
    """Describe a method: what it computes, its parameters, cost and paper, and how it ranked in the studies.

    Parameters
    ----------
    name : str
        A name of `mlreduce.list_methods`, such as ``"dne"``.

    Returns
    -------
    Description
        Print it.

    Raises
    ------
    ConfigurationError
        If no method has this name; the message names the nearest known one.

    Examples
    --------
    >>> import mlreduce
    >>> print(mlreduce.describe("lpp"))  # doctest: +ELLIPSIS
    lpp: Locality preserving projections (LPP): squared differences of neighbours relative to the scatter.
    <BLANKLINE>
    max tr(P'X'(W - D(W))XP) subject to P'(X'D(W)X + ridge I)P = I, or with X'X in place of X'D(W)X.
    Features are centred only where variance_share is below 1. Eigenvalues lie in [-2, 0] with
    constraint="degree".
    <BLANKLINE>
    family         projection
    needs labels   no
    unknown labels no
    linear         yes
    sparse         kept
    out of sample  yes
    parameters     n_components=None, proximity=None, constraint='degree', ridge='0.1%',
                   variance_share=0.2
    cost           O(n s + s m + m^3 + d k) operations, by iteration where instances and features are
                   more than 6000
    memory         m^2 + t + d k numbers
    paper          He and Niyogi (2003), "Locality preserving projections"
    evidence       rank ... (benchmark-2-projections, average-precision with...ridge)
    class          mlreduce.projection.locality.LPP
    """
    cls: Any = registry.method_class(name)
    parameters = inspect.signature(cls.__init__ if "__init__" in dir(cls) else cls).parameters
    parts = complexities(name)
    declared, iterated = method_of(name), ", by iteration where instances and features are more than 6000"
    return Description(
        facts=facts_of(name),
        summary=declared.headline,
        formula=declared.text,
        parameters={
            key: repr(parameter.default)
            for key, parameter in parameters.items()
            if parameter.default is not inspect.Parameter.empty
        },
        cost=f"{parts[0]} operations{iterated if parts[0].iterated else ''}" if parts else "",
        memory=f"{parts[0].memory} numbers" if parts else "",
        evidence=[str(ranking) for ranking in rankings_of(name)],
        documented=f"{declared.module}.{declared.class_name}",
    )
