"""Images of proximities in levels of grey, as they are stored and drawn."""

from __future__ import annotations

import pandas as pd

# Shares of the values of an image between which its greys run.
_GREYS = (0.01, 0.99)
#: The darkest grey.
DARKEST = 255


def grey_levels(images: pd.DataFrame) -> pd.DataFrame:
    """Return images of proximities as levels of grey, a byte per pixel in the place of a number.

    They have ``level`` from 0 (the 1 % quantile of an image and less) to 255 (its 99 % quantile and more) in the place
    of ``value``, and these quantiles as ``low`` and ``high``.
    """
    groups = images.groupby(["dataset", "method"], observed=True)["value"]
    low, high = (groups.transform("quantile", share) for share in _GREYS)
    span = (high - low).clip(lower=1e-12)
    levels = (DARKEST * (images["value"] - low) / span).clip(0, DARKEST).round().astype("uint8")
    pixels = images[["row", "column"]].astype("int16")
    return images.drop(columns="value").assign(**pixels, level=levels, low=low, high=high)
