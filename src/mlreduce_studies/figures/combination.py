"""Figure of how a proximity by labels and one by features are combined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mlreduce.plot.layout import panels
from mlreduce_studies.figures.kinds import Spec, figure

_NUMBER = {"type": "number", "minimum": 0}
# Between two level lines.
_STEP = 0.1


@figure("combination", source="datasets.csv", required={"a": _NUMBER, "b": _NUMBER, "beta": _NUMBER})
def level_lines(datasets: pd.DataFrame, spec: Spec) -> Any:
    """Draw level lines of MOPE's combined proximity over the unit square; no result of the study is needed.

    It is `mlreduce.spectral.graphs.combination.combined` with priority to the labels and the entry's ``a``, ``b`` and
    ``beta``.
    """
    from mlreduce.spectral.graphs.combination import combined

    numbers = {name: float(spec[name]) for name in ("a", "b", "beta")}
    steps = np.linspace(0.0, 1.0, 201)
    weights, proximities = np.meshgrid(steps, steps)
    values = combined(weights, proximities, "priority", **numbers)
    title = ", ".join(f"{name} = {number:g}" for name, number in numbers.items())
    drawn, axes = panels([title], spec["caption"], "proximity by features, w", "proximity by labels, g", size=(5, 5))
    levels = np.arange(_STEP, 1.0, _STEP)
    axes[title].contourf(weights, proximities, values, levels=[0.0, *levels, 1.0], cmap="Greys", alpha=0.6)
    level = axes[title].contour(weights, proximities, values, levels=levels, colors="black", linewidths=0.8)
    axes[title].clabel(level, fmt="%.1f", fontsize=8)
    axes[title].set_aspect("equal")
    return drawn
