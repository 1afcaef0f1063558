"""Figure of matrices of proximities as images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce.reporting.figures.kinds import Spec, figure, label_of
from mlreduce.reporting.figures.layout import house_style, panels
from mlreduce.reporting.options import MEASURE, PREDICTOR

__all__ = ["grey_levels", "proximity_images"]

# Shares of the values of an image between which its greys run, and the darkest of these.
_GREYS = (0.01, 0.99)
_DARKEST = 255


def grey_levels(images: pd.DataFrame) -> pd.DataFrame:
    """Return images of proximities as levels of grey, a byte per pixel in the place of a number.

    Parameters
    ----------
    images : DataFrame
        With `mlreduce.experiments.proximities.IMAGE_COLUMNS`.

    Returns
    -------
    DataFrame
        With ``level`` from 0 (the 1 % quantile of an image and less) to 255 (its 99 % quantile and more) in the place
        of ``value``, and these quantiles as ``low`` and ``high``.
    """
    groups = images.groupby(["dataset", "method"], observed=True)["value"]
    low, high = (groups.transform("quantile", share) for share in _GREYS)
    span = (high - low).clip(lower=1e-12)
    levels = (_DARKEST * (images["value"] - low) / span).clip(0, _DARKEST).round().astype("uint8")
    pixels = images[["row", "column"]].astype("int16")
    return images.drop(columns="value").assign(**pixels, level=levels, low=low, high=high)


@figure("proximities", source="proximities.parquet", required={"measure": MEASURE, "predictor": PREDICTOR})
def proximity_images(images: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set and method: its matrix of proximities, dark where instances are near.

    Rows are ordered by similarity of their labels. The titles hold the score of the embedding. The greys of each panel
    run between two quantiles of its own values, see `grey_levels`.
    """
    cells = {(str(name), str(method)): own for (name, method), own in images.groupby(["dataset", "method"])}
    shown = [(name, method) for name in sorted(images["dataset"].unique()) for method in spec["methods"]]
    shown = [key for key in shown if key in cells]
    names = []
    for name, method in shown:
        score = cells[name, method]["score"].iloc[0]
        names.append(f"{label_of(spec, method)}\n{name}" + ("" if np.isnan(score) else f" ({score:.3f})"))
    title = f"{spec['caption']}; in brackets the {measure_label(spec['measure'])}"
    with house_style():
        drawn, axes = panels(names, title, columns=5, size=(1.9, 2.0))
        for key, axis in zip(shown, axes.values(), strict=True):
            image = cells[key].pivot(index="row", columns="column", values="level").to_numpy()
            shades = axis.imshow(image, cmap="Greys", vmin=0, vmax=_DARKEST, interpolation="nearest")
            axis.set(xticks=[], yticks=[])
            axis.grid(visible=False)
            axis.title.set_fontsize(8)
        bar = drawn.colorbar(shades, ax=list(axes.values()), location="right", shrink=0.6, aspect=40, pad=0.02)
        bar.set_ticks([0, _DARKEST], labels=["1 % quantile", "99 % quantile"], fontsize=8)
        bar.set_label("proximity, between quantiles of each panel", fontsize=8)
        drawn.supxlabel("training instances, in the order of their labels", fontsize=8)
        drawn.supylabel("training instances, in the same order", fontsize=8)
    return drawn
