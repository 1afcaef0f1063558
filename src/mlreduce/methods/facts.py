"""Facts of a method, each from where it is declared: its docstring, its base class, its tags."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from mlreduce import registry
from mlreduce.complexity import Complexity

#: Methods of fitted estimators that take instances which `fit` has not seen.
_VERBS = ("encode", "predict", "transform")


class Method(NamedTuple):
    """What the declaration and the docstring of a method contain."""

    name: str
    family: str = ""
    module: str = ""
    class_name: str = ""
    #: First line of the docstring; here and below without marks of code.
    headline: str = ""
    #: The paragraphs before the parameters, each on one line.
    text: str = ""
    references: str = ""
    #: Headline and text with their marks of code.
    marked: str = ""

    @property
    def paper(self) -> str:
        """The first reference, on one line."""
        text = re.sub(r"\s+", " ", self.references)
        return re.split(r"; (?=[A-Z])|(?<=\d{4})\. |(?<=\")\. ", text, maxsplit=1)[0].rstrip(".")

    @property
    def full_name(self) -> str:
        """The part of the headline before the first colon, semicolon or full stop."""
        return re.split(r"[:;]|\.$", self.headline, maxsplit=1)[0]

    @property
    def year(self) -> int | None:
        """The year of the first reference."""
        year = re.search(r"\b(?:18|19|20)\d\d\b", self.paper)
        return int(year[0]) if year else None


@dataclass(frozen=True)
class Facts:
    """Facts of a method.

    Attributes
    ----------
    name : str
        Registry name.
    full_name : str
        From the first line of the docstring.
    family : str
        A family of the package, or the family under which your method was registered.
    needs_labels : bool or None
        Whether `fit` needs them. None, as below, for a class of yours that does not declare it.
    unknown_labels : {"no", "rows", "cells"}
        Whether labels may be unknown (NaN): not, those of complete instances, or any.
    single_label : bool
        Whether an instance must have one label.
    least_labels, least_instances : int
        Fewest that it takes, with its default parameters.
    negative : bool
        Whether features may be negative.
    least_second_set : int
        In how many instances the second most frequent set of labels must occur, with its default parameters.
    linear : bool or None
        Whether what it returns is linear in the features; of label coders, in the labels.
    sparse : {"kept", "made dense", "made dense unless large", "no"} or None
        What becomes of sparse features.
    out_of_sample : bool
        Whether a fitted estimator takes further instances.
    cost : str
        Order of the operations of a fit, such as ``"O(s m + m^3)"``, for n instances, d features, q labels,
        m = min(n, d), s stored entries of the features and k directions; empty where none is declared.
    year : int or None
        Of the paper.
    paper : str
        Empty for some controls.
    control : bool
        Whether it is there for other methods to be compared with.

    Examples
    --------
    >>> import mlreduce
    >>> facts = mlreduce.describe("mvmd").facts
    >>> facts.full_name, facts.needs_labels, facts.sparse
    ('Maximal feature variance and feature-label dependence (MVMD)', True, 'kept')
    """

    name: str
    full_name: str
    family: str
    needs_labels: bool | None
    unknown_labels: str
    single_label: bool
    least_labels: int
    least_instances: int
    negative: bool
    least_second_set: int
    linear: bool | None
    sparse: str | None
    out_of_sample: bool
    cost: str
    year: int | None
    paper: str
    control: bool


def sections(docstring: str) -> dict[str, str]:
    """Return the sections of a docstring by their titles; the text before them has the title ""."""
    parts = re.split(r"(?m)^(\w[\w ]*)\n-{3,}\n", docstring)
    titled = zip(parts[1::2], parts[2::2], strict=True)
    return {"": parts[0].strip()} | {title: text.strip("\n") for title, text in titled}


def method_of(name: str) -> Method:
    """Return what the declaration and the docstring of a method contain, by its registry name.

    Raises ConfigurationError if no method has this name.
    """
    cls = registry.method_class(name)
    docstring = re.sub(r" \[\d+\]_|^\.\. \[\d+\] ", "", inspect.getdoc(cls) or "", flags=re.MULTILINE)
    parts = sections(docstring.replace("`", ""))
    headline, _, text = parts[""].partition("\n")
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", text).strip()
    references, marked = parts.get("References", ""), sections(docstring)[""]
    return Method(name, registry.kind_of(name), cls.__module__, cls.__qualname__, headline, text, references, marked)


def facts_of(name: str) -> Facts:
    """Return the facts of a method by its registry name; raise ConfigurationError if no method has this name."""
    cls: Any = registry.method_class(name)
    declared = method_of(name)
    complexity: Complexity | None = getattr(cls, "complexity", None)
    method = _made(cls)
    tags = method.__sklearn_tags__() if hasattr(method, "__sklearn_tags__") else None
    return Facts(
        name=name,
        full_name=declared.full_name,
        family=declared.family,
        needs_labels=None if tags is None else bool(tags.target_tags.required),
        unknown_labels=next((part for part in ("cells", "rows") if getattr(cls, f"takes_unknown_{part}", False)), "no"),
        single_label=getattr(cls, "single_label", False),
        least_labels=getattr(cls, "least_labels", 1),
        least_instances=getattr(method, "least_instances", 2),
        negative=tags is None or not tags.input_tags.positive_only,
        least_second_set=getattr(method, "min_count", 0),
        linear=getattr(cls, "linear", None),
        sparse=None if tags is None else _sparse(tags.input_tags.sparse, complexity),
        out_of_sample=any(callable(getattr(cls, verb, None)) for verb in _VERBS),
        cost="" if complexity is None else str(complexity),
        year=declared.year,
        paper=declared.paper,
        control="control" in declared.headline,
    )


def _made(cls: Any) -> Any:
    """Return an estimator with default parameters; None for a class that needs some."""
    try:
        return cls()
    except TypeError:
        return None


def _sparse(accepted: bool, complexity: Complexity | None) -> str:
    if not accepted:
        return "no"
    if complexity is None or not complexity.makes_dense:
        return "kept"
    return "made dense unless large" if complexity.iterated else "made dense"
