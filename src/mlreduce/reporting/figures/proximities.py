"""Figure of matrices of proximities as images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce.reporting.figures.kinds import Spec, figure, label_of
from mlreduce.reporting.figures.layout import house_style, panels
from mlreduce.reporting.options import MEASURE, PREDICTOR

__all__ = ["proximity_images"]

# Shares of the values of an image between which its greys run.
_GREYS = (0.01, 0.99)


@figure("proximities", source="proximities.parquet", required={"measure": MEASURE, "predictor": PREDICTOR})
def proximity_images(images: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set and method: its matrix of proximities, dark where instances are near.

    Rows are ordered by similarity of their labels. The titles hold the score of the embedding.
    """
    cells = {(str(name), str(method)): own for (name, method), own in images.groupby(["dataset", "method"])}
    shown = [(name, method) for name in sorted(images["dataset"].unique()) for method in spec["methods"]]
    shown = [key for key in shown if key in cells]
    names = []
    for name, method in shown:
        score = cells[name, method]["score"].iloc[0]
        names.append(f"{name}: {label_of(spec, method)}" + ("" if np.isnan(score) else f" ({score:.3f})"))
    title = f"{spec['caption']}; in brackets the {measure_label(spec['measure'])}"
    with house_style():
        drawn, axes = panels(names, title, columns=5, size=(1.9, 2.0))
        for key, axis in zip(shown, axes.values(), strict=True):
            image = cells[key].pivot(index="row", columns="column", values="value").to_numpy()
            low, high = np.quantile(image, _GREYS)
            axis.imshow(image, cmap="Greys", vmin=low, vmax=max(high, low + 1e-12), interpolation="nearest")
            axis.set(xticks=[], yticks=[])
            axis.grid(visible=False)
            axis.title.set_fontsize(7.5)
        drawn.supxlabel(
            "instances, in the order of their labels; dark is near, from the 1 % to the 99 % quantile of each",
            fontsize=8,
        )
        drawn.supylabel("instances", fontsize=8)
    return drawn
