"""Figure of matrices of proximities as images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce.plot.layout import panels
from mlreduce_studies.figures.kinds import Spec, figure, label_of
from mlreduce_studies.gathering.images import DARKEST
from mlreduce_studies.options import MEASURE, PREDICTOR


@figure("proximities", source="proximities.parquet", required={"measure": MEASURE, "predictor": PREDICTOR})
def proximity_images(images: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set and method: its matrix of proximities, dark where instances are near.

    Rows are ordered by similarity of their labels. The titles hold the score of the embedding. The greys of each panel
    run between two quantiles of its own values, see
    `mlreduce_studies.gathering.images.grey_levels`.
    """
    cells = {(str(name), str(method)): group for (name, method), group in images.groupby(["dataset", "method"])}
    shown = [(name, method) for name in sorted(images["dataset"].unique()) for method in spec["methods"]]
    shown = [key for key in shown if key in cells]
    names = []
    for name, method in shown:
        score = cells[name, method]["score"].iloc[0]
        names.append(f"{label_of(spec, method)}\n{name}" + ("" if np.isnan(score) else f" ({score:.3f})"))
    title = f"{spec['caption']}; in brackets the {measure_label(spec['measure'])}"
    drawn, axes = panels(names, title, columns=5, size=(1.9, 2.0))
    for key, axis in zip(shown, axes.values(), strict=True):
        image = cells[key].pivot(index="row", columns="column", values="level").to_numpy()
        shades = axis.imshow(image, cmap="Greys", vmin=0, vmax=DARKEST, interpolation="nearest")
        axis.set(xticks=[], yticks=[])
        axis.grid(visible=False)
        axis.title.set_fontsize(8)
    bar = drawn.colorbar(shades, ax=list(axes.values()), location="right", shrink=0.6, aspect=40, pad=0.02)
    bar.set_ticks([0, DARKEST], labels=["1 % quantile", "99 % quantile"], fontsize=8)
    bar.set_label("proximity, between quantiles of each panel", fontsize=8)
    drawn.supxlabel("training instances, in the order of their labels", fontsize=8)
    drawn.supylabel("training instances, in the same order", fontsize=8)
    return drawn
