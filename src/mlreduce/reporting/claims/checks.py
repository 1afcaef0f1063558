"""The decorator that declares a check of a claim.

A check is a function of a table of a study's results and its data sets, in a module of this package, with the arguments
of a claim as keywords::

    @check("slower-by", looks_at="times")
    def slower_by(times, datasets, *, method, than, least): ...

A claim is about some data sets. Where the results lack one of them, or a method on it, the verdict is "undecided", and
the evidence names what is missing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from mlreduce.registry import CHECKS
from mlreduce.reporting.claims.verdicts import Verdict
from mlreduce.reporting.options import MEASURE, Options

__all__ = ["CHECKS", "TEXTS", "Arguments", "Check", "check"]

Arguments: TypeAlias = Mapping[str, Any]
_Rule: TypeAlias = Callable[[Arguments, Sequence[str] | None], str]

#: Schema of a list of names.
TEXTS = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}}

_TEXT = {"type": "string"}
# Of the features or labels; 0 for sizes that are numbers of dimensions.
_PERCENT = {"type": "integer", "minimum": 0, "maximum": 100}

# Schemas of arguments that several checks have.
_ARGUMENTS: Options = {
    **dict.fromkeys(("protocol", "predictor", "method", "than"), _TEXT),
    **dict.fromkeys(("predictors", "methods"), TEXTS),
    "measure": MEASURE,
    "measures": {**TEXTS, "items": MEASURE},
    "energy": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "size_percent": _PERCENT,
    "size_percents": {**TEXTS, "items": _PERCENT},
    "tolerance_se": {"type": "number", "minimum": 0},
}


@dataclass(frozen=True)
class Check:
    """A check as its decorator declares it; see `check`."""

    function: Callable[..., Verdict]
    looks_at: str
    schema: Mapping[str, Any]
    rule: _Rule | None


def check(
    name: str, *, looks_at: str = "summary", options: Options | None = None, rule: _Rule | None = None
) -> Callable[[Callable[..., Verdict]], Callable[..., Verdict]]:
    """Declare a function as a check of claims.

    Its parameters by keyword alone are the arguments of a claim; those without a default are required.

    Parameters
    ----------
    name : str
        The ``check`` in a claims file.
    looks_at : str, default="summary"
        The table of results that the function is given: "summary", "areas", "approximation" or "times".
    options : dict of str to schema, default=None
        Schemas of arguments that no other check has, or has with another schema.
    rule : callable, default=None
        Returns a sentence on arguments that do not go together, given the arguments and the data sets of a claim;
        empty where they do.
    """

    def declare(function: Callable[..., Verdict]) -> Callable[..., Verdict]:
        parameters = inspect.signature(function).parameters.values()
        own = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
        schema = {
            "required": [parameter.name for parameter in own if parameter.default is parameter.empty],
            "properties": {p.name: (options or {}).get(p.name) or _ARGUMENTS[p.name] for p in own},
        }
        CHECKS.add(name, Check(function, looks_at, schema, rule), function.__module__)
        return function

    return declare
