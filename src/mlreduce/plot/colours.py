"""Colour, marker and dashes of methods, the same in every figure and on every page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

from mlreduce import registry

__all__ = ["DASHES", "MARKERS", "base_method", "colour_of", "method_styles"]

# Colour-blind safe: Okabe and Ito's, a dark red for their yellow, which is hard to see on white.
_HUES = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7B2D26")
_CONTROL = "#808080"

#: Markers, so that prints without colour can be read too, and dashes.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1.5, 1.5)))

# Methods by hue, in the order of `_HUES`: a bar between groups of one formula, whose methods have different shades. A
# method that is not listed has the hue of its name's checksum; what files and modules are called changes no colour.
_METHODS = (
    "cmim d2f jmi mdmr | cplst | fda lfda mfa mmc | flda | gmba | kernel-cplst | majority-labels | ml-knn | "
    "mlc-bmad | mope | mope-embedding | mvmd | ridge | self semi-supervised ssdne ssdonpp sslfda ssmfa ssmope",
    "cssp | kernel-ridge | lsi pca | plst | sfus | spec | wmlda",
    "fimf igmf mim | lasso-multitask | lle | mddm-kernel mddmf mddmp | mifs | mlfs | mrmr scls | occa | sleec",
    "br-knn cc-knn | cca rcca | cca-code | donpp onpp-r sonpp | linear | m5p | ml-grf ml-lgc | mlrf | pcut | scmfs",
    "le symmetric-spectral usc | lpp npp olpp onpp | mlnb | mlsi | pbr | qpfs qpfs-approx qpfs-nystrom | ssfda ssmmc",
    "cs | dla dne olpp-r | dmlda lda-copy mlda | faie | hsl1 hsl2 hsl3 | leml | mssl | pmu | ppt-chi2 ppt-mi | sfehs",
    "anova chi2 mutual-info | br | morp | opls pls | rfs",
    "csfs mdfs | isomap mds | lrfs lsmfs mlsmfs | mesd mesd-dla mesd-dne mesd-donpp mesd-fda mesd-lfda mesd-mfa "
    "mesd-mmc mesd-olpp-r mesd-onpp-r mesd-sonpp | slvm | smse1 smse2",
)
_PLACES = {
    name: (hue, shade)
    for hue, methods in enumerate(_METHODS)
    for group in methods.split("|")
    for shade, name in enumerate(group.split())
}
# Beginnings of labels that are no methods: approximations of a study, and groups of methods.
_BEGINNINGS = {
    **{"average": 0, "nystrom": 1, "half-nystrom": 2},
    **{"mddm": 2, "locality": 4, "discriminant": 5, "hypergraph": 5},
}
# Chance and no reduction: grey.
_CONTROLS = ("controls", "all-features")

# How much lighter the second, third and further methods of a group are; below 0 they are darker.
_SHADES = (0.0, -0.4, 0.4, -0.65, 0.6)


def base_method(label: str) -> str:
    """Return the registered method that a label of a study file begins with, or the label where there is none.

    Examples
    --------
    >>> base_method("mvmd-0.5"), base_method("gmba-code"), base_method("mine")
    ('mvmd', 'gmba', 'mine')
    """
    names, parts = registry.method_names(), label.split("-")
    starts = ("-".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((start for start in starts if start in names), label)


def _place(label: str) -> tuple[int, int] | None:
    """Return the hue of a method's group, and the number of its shade; None for chance and no reduction."""
    base = base_method(label)
    if base.partition("-")[0] == "random" or base in _CONTROLS:
        return None
    hue = next((hue for name, hue in _BEGINNINGS.items() if base.startswith(name)), crc32(base.encode()) % len(_HUES))
    return _PLACES.get(base, (hue, 0))


def colour_of(label: str) -> str:
    """Return the colour of a method: a hue for the group of its formula, a shade for the method; grey for chance.

    Parameters
    ----------
    label : str
        In a study file; variants of a method share its colour.

    Examples
    --------
    >>> colour_of("mvmd"), colour_of("mvmd-0.5"), colour_of("random")
    ('#D55E00', '#D55E00', '#808080')
    """
    place = _place(label)
    if place is None:
        return _CONTROL
    hue, position = place
    shade = _SHADES[position % len(_SHADES)] if _HUES[hue] != "#000000" else 0.25 * (position % 3)
    end = 255 if shade > 0 else 0
    parts = (int(_HUES[hue][start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(part + (end - part) * abs(shade)):02X}" for part in parts)


def method_styles(methods: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return colour, marker and line style of the methods of a figure, for Matplotlib; no two of them are alike.

    The colour is `colour_of`. Of methods that would look the same, the later ones have other dashes and markers.
    """
    styles: dict[str, dict[str, Any]] = {}
    taken = set()
    for method in methods:
        hue, position = _place(method) or (len(_HUES) - 1, 0)
        colour, first = colour_of(method), hue + 5 * position
        # Dashes first, then another marker.
        choices = [
            ((first + step) % len(MARKERS), dashes) for step in range(len(MARKERS)) for dashes in range(len(DASHES))
        ]
        marker, dashes = next((choice for choice in choices if (colour, *choice) not in taken), choices[0])
        taken.add((colour, marker, dashes))
        styles[method] = {"color": colour, "marker": MARKERS[marker], "linestyle": DASHES[dashes]}
    return styles
