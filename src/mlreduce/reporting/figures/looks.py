"""Colour, marker and dashes of methods, the same in every figure and on every page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zlib import crc32

from mlreduce import registry

__all__ = ["DASHES", "MARKERS", "base_method", "colour_of", "method_looks"]

# Colour-blind safe: Okabe and Ito's, a dark red for their yellow, which is hard to see on white.
_HUES = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7B2D26")
_CONTROL = "#808080"

#: Markers, so that prints without colour can be read too, and dashes.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1.5, 1.5)))

# Modules of methods that papers compare have different hues; a module that is not listed has that of its checksum.
_HUE_OF = {
    **dict.fromkeys(("mope", "mvmd", "cplst", "kernel_cplst", "gmba", "average"), 0),
    **dict.fromkeys(("pca", "plst", "spectral", "nystrom"), 1),
    **dict.fromkeys(("mddm", "occa", "f_statistic", "half-nystrom"), 2),
    **dict.fromkeys(("cca", "cca_code", "relief"), 3),
    **dict.fromkeys(("mlsi", "locality", "pbr", "qpfs"), 4),
    **dict.fromkeys(("discriminant", "hypergraph", "compressed_sensing", "pmu"), 5),
    **dict.fromkeys(("pls", "morp", "br", "rfs"), 6),
    **dict.fromkeys(("mesd", "smse"), 7),
}
_CONTROLS = ("controls", "random_projection")

# How much lighter the second, third and further methods of a module are; below 0 they are darker.
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


def _place(label: str) -> tuple[str, int]:
    """Return the module of a method's formulas, and the position of the method in it."""
    base = base_method(label)
    if base.partition("-")[0] == "random":  # what studies call the draws of chance
        return "controls", 0
    if base not in registry.method_names() or registry.is_import_path(base):
        known = next((name for name in _HUE_OF if base.startswith(name)), base)
        return known, 0
    module = registry.module_of(base)
    siblings = [name for name in registry.method_names() if registry.module_of(name) == module]
    return module.rpartition(".")[2], siblings.index(base)


def _hue(module: str) -> int:
    return _HUE_OF.get(module, crc32(module.encode()) % len(_HUES))


def colour_of(label: str) -> str:
    """Return the colour of a method: a hue for the module of its formulas, a shade for the method; grey for chance.

    Parameters
    ----------
    label : str
        In a study file; variants of a method share its colour.

    Examples
    --------
    >>> colour_of("mvmd"), colour_of("mvmd-0.5"), colour_of("random")
    ('#D55E00', '#D55E00', '#808080')
    """
    module, position = _place(label)
    if module in _CONTROLS:
        return _CONTROL
    shade = _SHADES[position % len(_SHADES)] if _HUES[_hue(module)] != "#000000" else 0.25 * (position % 3)
    end = 255 if shade > 0 else 0
    parts = (int(_HUES[_hue(module)][start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(part + (end - part) * abs(shade)):02X}" for part in parts)


def method_looks(methods: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return colour, marker and line style of the methods of a figure, for Matplotlib; no two of them are alike.

    The colour is `colour_of`. Of methods that would look the same, the later ones have other dashes and markers.
    """
    looks: dict[str, dict[str, Any]] = {}
    taken = set()
    for method in methods:
        module, position = _place(method)
        colour, first = colour_of(method), _hue(module) + 5 * position
        # Dashes first, then another marker.
        looked = [
            ((first + step) % len(MARKERS), dashes) for step in range(len(MARKERS)) for dashes in range(len(DASHES))
        ]
        marker, dashes = next((own for own in looked if (colour, *own) not in taken), looked[0])
        taken.add((colour, marker, dashes))
        looks[method] = {"color": colour, "marker": MARKERS[marker], "linestyle": DASHES[dashes]}
    return looks
