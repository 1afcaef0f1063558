"""The shapes of data sets: what the form of the front page computes with, and a drawing of instances and features."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mlreduce.complexity import DENSE_SIDE
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.methods import evidence, recommendation, shapes
from mlreduce.methods.facts import facts_of
from mlreduce.stats.ranking import CONTROLS
from mlreduce_studies.site.findings import ANSWERED

__all__ = ["catalogued", "form_data", "scatter", "shapes_of_studies"]

#: Stored entries of a row of sparse features, as in the fits that were measured (docs/scale.md).
STORED = 50

# The drawing: its size, the space for axes at the left and below, and the height and the width of a letter.
WIDTH, HEIGHT, LEFT, BELOW, TOP = 760, 460, 84, 56, 40
_LETTER, _LINE = 7.5, 14


def form_data() -> dict[str, Any]:
    """Return what the form computes with, as `mlreduce.recommend` does, for the families of the three questions.

    Returns
    -------
    dict
        ``families``: for each the ``study`` that says most of it and its ``methods`` in order, with what they take and
        what they cost; ``sets``: for each of these studies name, instances, features and labels of its data sets; and
        the ``constants`` of the arithmetic.
    """
    constants = {
        **{"seconds": evidence.SECONDS, "arrays": evidence.ARRAYS, "dense": DENSE_SIDE, "stored": STORED},
        **{"asked": shapes.ASKED, "share": shapes.SHARE, "nearest": recommendation.NEAREST, "far": recommendation.FAR},
    }
    families = {
        family: {"study": evidence.foremost(family)[0].study, "methods": [*map(_method, evidence.foremost(family))]}
        for family in ANSWERED
    }
    studies = {own["study"] for own in families.values()}
    return {"families": families, "sets": {study: evidence.sets_of(study) for study in sorted(studies)}} | {
        "constants": constants
    }


def _method(one: evidence.Ranking) -> dict[str, Any]:
    facts = facts_of(one.method)
    keys = ("time", "memory", "iterated", "iterates_on", "most")
    return {
        **{"name": one.method, "control": one.method in CONTROLS, "near": one.near, "low": one.low, "high": one.high},
        **{"by_set": one.by_set, "rates": evidence.constants(one.method)},
        "takes": {
            **{"sparse": facts.sparse != "no", "single_label": facts.single_label},
            **{"least_instances": facts.least_instances, "least_labels": facts.least_labels},
        },
        "parts": [{key: getattr(part, key) for key in keys} for part in evidence.complexities(one.method)],
    }


def shapes_of_studies() -> list[tuple[str, int, int, int]]:
    """Return name, instances, features and labels of the data sets that the form compares with."""
    studies = [evidence.foremost(family)[0].study for family in ANSWERED]
    return sorted({own for study in studies for own in evidence.sets_of(study)})


def catalogued(name: str, names: Iterable[str]) -> dict[str, Any]:
    """Return what the catalogue says of a data set: title, domain, licence, citation, address and views.

    Parameters
    ----------
    name : str
    names : iterable of str
        Data sets that are shown. ``alike`` names those among them that have the same instances.
    """
    catalogue, known = read_catalogue(), ("title", "domain", "licence", "citation")
    if name not in catalogue:
        return dict.fromkeys((*known, "address"), "") | {"alike": []}
    own = catalogue[name]
    files = [entry for entries in own.files.values() for entry in entries]
    address = next((address for entry in files for address in entry.addresses[:1]), "")
    families = [
        {other, *(view.name for view in catalogue[other].views())} for other in catalogue if catalogue[other].views()
    ]
    alike = {other for family in families if name in family for other in family} & set(names) - {name}
    return {key: str(own.options.get(key, "")) for key in known} | {"address": address, "alike": sorted(alike)}


def scatter(sets: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return where a drawing of data sets has its marks: instances to the right, features upwards, both logarithmic.

    Parameters
    ----------
    sets : sequence of dict
        Each with ``name``, ``instances``, ``features`` and ``labels``.

    Returns
    -------
    dict
        ``points``, the largest first, each with ``name``, ``x``, ``y``, ``r`` and ``label`` (whether there is room for
        its name); ``x`` and ``y``, the ticks of both axes: places and texts; and the sides of the drawing.
    """
    sides = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "top": TOP, "bottom": HEIGHT - BELOW}
    if not sets:
        return {"points": [], "x": [], "y": []} | sides
    across, x_ticks = _axis([own["instances"] for own in sets], LEFT, WIDTH - 24)
    upwards, y_ticks = _axis([own["features"] for own in sets], HEIGHT - BELOW, TOP)
    points = [
        {"name": own["name"], "x": across(own["instances"]), "y": upwards(own["features"])}
        | {"r": round(3 + 3.5 * math.log10(max(own["labels"], 1)), 1)}
        for own in sorted(sets, key=lambda own: (-own["labels"], own["name"]))
    ]
    taken = [(point["x"] - point["r"], point["x"] + point["r"], point["y"]) for point in points]
    for point in points:
        start = point["x"] + point["r"] + 3
        end, y = start + _LETTER * len(point["name"]), point["y"]
        point["label"] = end < WIDTH and all(
            abs(y - other) > _LINE or end < low or start > high for low, high, other in taken
        )
        taken += [(start, end, y)] if point["label"] else []
    return {"points": points, "x": x_ticks, "y": y_ticks} | sides


def _axis(values: Sequence[int], start: float, end: float) -> tuple[Callable[[float], float], list[tuple[float, str]]]:
    """Return where values of a logarithmic axis are, and its ticks: the powers of ten around the values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)

    def place(value: float) -> float:
        return round(start + (end - start) * (math.log10(value) - low) / (high - low), 1)

    return place, [(place(10**power), _brief(10**power)) for power in range(low, high + 1)]


def _brief(value: int) -> str:
    return str(value) if value < 1000 else f"{value // 1000}k" if value < 10**6 else f"{value // 10**6}M"
