"""JSON schemas of the options that kinds of tables and figures share.

In addition to JSON Schema's keywords a schema may have ``names``: the kind of thing that the text or number names. The
reader of study files looks it up: a measure, predictor, method, protocol, data set, energy threshold or size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from mlreduce.registry import Declarations

if TYPE_CHECKING:
    import pandas as pd

#: Kinds of tables and of figures, by name.
TABLES: Declarations[Any] = Declarations("kind of table", "mlreduce_studies.tables")
FIGURES: Declarations[Any] = Declarations("kind of figure", "mlreduce_studies.figures")

#: Gathered tables to the kinds of job files that each is made from, where that is not the kind of its name alone: or of
#: all that one job makes.
FILES_OF = {
    **dict.fromkeys(("summary", "areas"), ("scores",)),
    **dict.fromkeys(("spectra", "rankings"), ("details",)),
    "datasets": ("data",),
    "ratios": ("times",),
    **dict.fromkeys(("approximation", "errors", "theorem", "dependencies"), ("errors", "theorem", "dependencies")),
    "proximities": ("images", "scores"),
}
#: Gathered tables with many rows for each split: without CSV, and not rounded.
LONG = ("scores", "errors", "spectra", "rankings", "proximities")

Options: TypeAlias = Mapping[str, Mapping[str, Any]]

#: An entry of a study file under ``tables`` or ``figures``.
Spec: TypeAlias = Mapping[str, Any]

METHOD = {"type": "string", "names": "method"}
METHODS = {"type": "array", "minItems": 1, "items": METHOD}
MEASURE = {"type": "string", "names": "measure"}
MEASURES = {"type": "array", "minItems": 1, "maxItems": 8, "items": MEASURE}
PREDICTOR = {"type": "string", "names": "predictor"}
#: Approximations of dependencies are no methods of the study.
APPROXIMATIONS = {"type": "array", "minItems": 1, "items": {"type": "string", "names": "approximation"}}
LABELS = {"type": "object", "additionalProperties": {"type": "string"}}

#: The share of the eigenvalues' sum, or the size in percent, at which methods are compared; 0 for neither.
ENERGY = {"type": "number", "names": "energy"}
SIZE_PERCENT = {"type": "integer", "names": "size"}
SIZE_PERCENTS = {
    **{"type": "array", "minItems": 1, "uniqueItems": True},
    "items": {"type": "integer", "minimum": 1, "maximum": 100, "names": "size"},
}

#: Compare methods by the area under their curves, over the sizes below 100 percent.
AREA = {"type": "boolean"}

# Options of every table and figure.
_COMMON = {
    "kind": {"type": "string"},
    "caption": {"type": "string"},
    # Made by a separate job, where others that are made from the same files share one.
    "alone": {"type": "boolean"},
    "methods": METHODS,
    "protocols": {
        **{"type": "array", "minItems": 1, "uniqueItems": True},
        "items": {"type": "string", "names": "protocol"},
    },
    # Data sets that are not shown, such as one of two with the same instances where data sets are counted.
    "leave_out": {
        **{"type": "array", "minItems": 1, "uniqueItems": True},
        "items": {"type": "string", "names": "data set"},
    },
}


#: A difference that is of no practical importance, in units of the measure.
MARGIN = {"type": "number", "exclusiveMinimum": 0}

#: A number of dimensions that is no percentage.
DIRECTIONS = {"type": "integer", "minimum": 1}


def kind_of(kinds: Declarations[Any], spec: Spec) -> str:
    """Return the kind of a table or figure, by the entry of the study file."""
    return str(spec.get("kind", "curves" if kinds is FIGURES else "sizes"))


def kept(rows: pd.DataFrame, spec: Spec, protocols: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the rows of a table or figure: its predictor and protocols, without the data sets that it leaves out."""
    if "leave_out" in spec:
        rows = rows[~rows["dataset"].isin(spec["leave_out"])]
    predictors = [spec["predictor"]] if spec.get("predictor") is not None else None
    for column, values in (("protocol", protocols), ("predictor", predictors)):
        if column in rows and values is not None:
            rows = rows[rows[column].isin(values)]
    return rows


def schema_of(kinds: Declarations[Any], spec: Spec) -> dict[str, Any]:
    """Return the schema of an entry of a study file under ``tables`` or ``figures``, as its kind declares it."""
    if kind_of(kinds, spec) not in kinds:
        return {"properties": {"kind": {"enum": [*kinds]}}}
    declared = kinds.find(kind_of(kinds, spec))
    return {
        "type": "object",
        "required": ["caption", "methods", *declared.required],
        "additionalProperties": False,
        "properties": {
            **_COMMON,
            **({"labels": LABELS} if kinds is FIGURES else {}),
            **declared.required,
            **declared.optional,
        },
    }


def source_of(kinds: Declarations[Any], spec: Spec) -> str:
    """Return the name of the gathered table that a table or figure is made from."""
    if spec.get("area"):
        return "areas"
    source: str = kinds.find(kind_of(kinds, spec)).source
    return source.partition(".")[0]
