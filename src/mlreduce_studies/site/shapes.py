"""The shapes of data sets: what the form of the front page computes with, and a drawing of instances and features."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from mlreduce.complexity import DENSE_SIDE
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.methods import evidence, recommendation, shapes
from mlreduce.methods.facts import facts_of
from mlreduce.stats.ranking import CONTROLS
from mlreduce_studies.site.findings import ANSWERED

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
        what they cost; ``sets``: for each of these studies name and `mlreduce.methods.evidence.Traits` of its data
        sets; and the ``constants`` of the arithmetic.
    """
    constants = {
        **{"seconds": evidence.SECONDS, "arrays": evidence.ARRAYS, "dense": DENSE_SIDE, "stored": STORED},
        "asked": shapes.MAX_COMPONENTS,
        **{"share": shapes.SHARE, "nearest": recommendation.NEAREST, "far": recommendation.FAR},
        **{"few": evidence.FEW, "entry": evidence.ENTRY},
    }
    families, sets = {}, {}
    for family in ANSWERED:
        compared = evidence.foremost(family)
        study = compared[0].study
        families[family] = {"study": study, "methods": [*map(_method, compared)]}
        sets[study] = [(name, *traits) for name, traits in evidence.sets_of(study).items()]
    return {"families": families, "sets": sets, "constants": constants}


def _method(one: evidence.Ranking) -> dict[str, Any]:
    facts = facts_of(one.method)
    keys = ("time", "memory", "iterated", "iterates_on", "most")
    return {
        **{"name": one.method, "control": one.method in CONTROLS, "near": one.near, "low": one.low, "high": one.high},
        **{"by_set": {item.name: item.near for item in one.by_set}, "rates": evidence.constants(one.method)},
        "takes": {
            "sparse": facts.sparse != "no",
            "single_label": facts.single_label,
            "least_instances": facts.least_instances,
        },
        "parts": [{key: getattr(part, key) for key in keys} for part in evidence.complexities(one.method)],
    }


def shapes_of_studies() -> list[tuple[str, int, int, int]]:
    """Return name, instances, features and labels of the data sets that the form compares with."""
    studies = [evidence.foremost(family)[0].study for family in ANSWERED]
    return sorted({(name, *value[:3]) for study in studies for name, value in evidence.sets_of(study).items()})


def catalogued(name: str, names: Iterable[str]) -> dict[str, Any]:
    """Return the catalogue's description of a data set: title, domain, licence, citation, address and views.

    Parameters
    ----------
    names : iterable of str
        Data sets that are shown. ``same_instances`` names those among them that have the same instances.
    """
    catalogue, known = read_catalogue(), ("title", "domain", "licence", "citation")
    if name not in catalogue:
        return dict.fromkeys((*known, "address"), "") | {"same_instances": []}
    dataset = catalogue[name]
    files = dataset.entries
    address = next((address for entry in files for address in entry.addresses[:1]), "")
    same = {other for family in _views() if name in family for other in family} & set(names) - {name}
    return {key: str(dataset.options.get(key, "")) for key in known} | {
        "address": address,
        "same_instances": sorted(same),
    }


@cache
def _views() -> list[set[str]]:
    """Return the data sets of the catalogue that have the same instances."""
    catalogue = read_catalogue()
    views = {name: catalogue[name].views() for name in catalogue}
    return [{name, *(view.name for view in value)} for name, value in views.items() if value]


def scatter(sets: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return where a drawing of data sets has its marks: instances to the right, features upwards, both logarithmic.

    Parameters
    ----------
    sets : sequence of dict
        Each with ``name``, ``instances``, ``features`` and ``labels``.

    Returns
    -------
    dict
        ``points``, the largest first, each with ``name``, ``x``, ``y``, ``r`` and ``label`` (which end of its name is
        where, None without room for it); ``x`` and ``y``, the ticks of both axes: places and texts; and the sides of
        the drawing.
    """
    sides = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "top": TOP, "bottom": HEIGHT - BELOW}
    if not sets:
        return {"points": [], "x": [], "y": []} | sides
    across, x_ticks = _axis([item["instances"] for item in sets], LEFT, WIDTH - 24)
    upwards, y_ticks = _axis([item["features"] for item in sets], HEIGHT - BELOW, TOP)
    points: list[dict[str, Any]] = [
        {"name": item["name"], "x": across(item["instances"]), "y": upwards(item["features"])}
        | {"r": round(3 + 3.5 * math.log10(max(item["labels"], 1)), 1), "label": None}
        for item in sorted(sets, key=lambda row: (-row["labels"], row["name"]))
    ]
    taken = [(point["x"] - point["r"], point["x"] + point["r"], point["y"]) for point in points]
    for point in points:
        x, y, apart, width = point["x"], point["y"], point["r"] + 3, _LETTER * len(point["name"])
        for anchor, start in (("start", x + apart), ("end", x - apart - width)):
            end = start + width
            free = all(abs(y - other) > _LINE or end < low or start > high for low, high, other in taken)
            if free and start > LEFT and end < WIDTH:
                taken.append((start, end, y))
                point["label"] = (anchor, round(x + apart if anchor == "start" else x - apart, 1))
                break
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
