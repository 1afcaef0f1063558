"""Colour, marker and dashes of methods, the same in every figure and on every page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from zlib import crc32

from mlreduce import registry
from mlreduce.stats.ranking import CONTROLS

__all__ = [
    *("DASHES", "FAINT", "FAINT_IN_THE_DARK", "MARKERS", "MOST", "PALETTE"),
    *("base_method", "colour_of", "is_control", "method_styles"),
]

#: Colours of what a figure names: by CIEDE2000 at least 15 apart, also from `FAINT`, and by three to one lighter than
#: the dark pages' ground and darker than white. The first is that of chance.
PALETTE = (
    *("#878787", "#2D4BFF", "#E17800", "#007800", "#E1001E", "#B40FA5", "#1E96A5", "#96694B"),
    *("#FF4BB4", "#3C96FF", "#4BA578", "#875A69"),
)
#: Lines that are not named; the dark pages have the second.
FAINT, FAINT_IN_THE_DARK = "#BDBDBD", "#4A4A4A"
#: Lines of a figure that have colours, at most.
MOST = 8

#: Markers, so that prints without colour can be read too, and dashes.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1.5, 1.5)))

# Methods by colour, in the order of `PALETTE` from the second on: those that a chart of the committed results names
# together differ. The colour of others is by their name's checksum; what files and modules are called changes none.
_METHODS = (
    "all-features dmlda plst",
    "br cmim mlrf opls pca",
    "gmba hsl3 olpp pbr pls",
    "cs mddmf mdmr mope occa qpfs",
    "anova cca-code lsi mddmp mesd-fda qpfs-approx sfus",
    "faie mesd-lfda mesd-olpp-r mim mssl mvmd rfs scls",
    "hsl2 lasso-multitask mdfs pmu rcca",
    "majority-labels mesd-onpp-r mlc-bmad mlsi qpfs-nystrom",
    "cca cssp lrfs mesd-dla mrmr spec",
    "jmi mesd-mfa mlfs mlsmfs wmlda",
    "cplst csfs hsl1 mlda",
)
_PLACES = {name: place for place, names in enumerate(_METHODS, 1) for name in names.split()}
# Beginnings of labels that are no names of methods.
_BEGINNINGS = {"mddm": 5, "average": 11, "nystrom": 1, "half-nystrom": 10}


def base_method(label: str) -> str:
    """Return the registered method that a label of a study file begins with, or the label where there is none.

    Examples
    --------
    >>> base_method("mvmd-0.5"), base_method("gmba-code"), base_method("mine")
    ('mvmd', 'gmba', 'mine')
    """
    parts = label.split("-")
    starts = ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
    # Most labels are names with a place: the registry, which imports all methods, is not needed for these.
    return next((start for start in starts if start in _PLACES or start in registry.method_names()), label)


def is_control(label: str) -> bool:
    """Return whether a label is of no reduction or of chance."""
    base = base_method(label)
    return base in CONTROLS or base.partition("-")[0] in ("random", "controls")


def _place(label: str) -> int:
    """Return the place of a method's colour in the palette."""
    base = base_method(label)
    if base.partition("-")[0] in ("random", "controls"):
        return 0
    known = next((place for name, place in _BEGINNINGS.items() if base.startswith(name)), None)
    return _PLACES.get(base, 1 + crc32(base.encode()) % (len(PALETTE) - 1) if known is None else known)


def colour_of(label: str) -> str:
    """Return the colour of a method, the same on every page and for its variants; grey for chance.

    Examples
    --------
    >>> colour_of("mvmd") == colour_of("mvmd-0.5"), colour_of("random")
    (True, '#878787')
    """
    return PALETTE[_place(label)]


def _distinct_places(methods: Sequence[str]) -> dict[str, int]:
    """Return places of colours that differ: that of a method or, where an earlier one has that, the first free one."""
    first: dict[int, str] = {}
    for method in methods:
        first.setdefault(_place(method), method)
    free = [place for place in range(1, len(PALETTE)) if place not in first]
    places = {method: place for place, method in first.items()}
    return {
        method: places[method] if method in places else free.pop(0) if free else _place(method) for method in methods
    }


def method_styles(methods: Sequence[str], named: Collection[str] | None = None) -> dict[str, dict[str, Any]]:
    """Return colour, marker and line style of the methods of a figure, for Matplotlib.

    Methods that are not ``named`` are `FAINT`; None names all. No two named methods look the same. Up to eleven have
    different colours, which are those of `colour_of` where no earlier method has the same; of more the later ones have
    other dashes and markers.
    """
    shown = [method for method in methods if named is None or method in named]
    styles: dict[str, dict[str, Any]] = {
        method: {"color": FAINT, "marker": "", "linestyle": "-", "linewidth": 0.7, "zorder": 1.5} for method in methods
    }
    taken = set()
    for method, place in _distinct_places(shown).items():
        # Dashes first, then another marker.
        choices = [
            ((place + step) % len(MARKERS), dashes) for step in range(len(MARKERS)) for dashes in range(len(DASHES))
        ]
        marker, dashes = next((choice for choice in choices if (place, *choice) not in taken), choices[0])
        taken.add((place, marker, dashes))
        styles[method] = {"color": PALETTE[place], "marker": MARKERS[marker], "linestyle": DASHES[dashes]}
    return styles
