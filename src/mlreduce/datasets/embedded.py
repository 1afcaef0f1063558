"""Data sets that need no file: handwritten digits with attributes as labels, and a generator with a known answer."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import check_random_state

from mlreduce.datasets.data import MultiLabelData
from mlreduce.exceptions import DataError
from mlreduce.validation import FloatArray

__all__ = ["DIGIT_ATTRIBUTES", "Planted", "digits", "planted"]

#: The labels of `digits`: which of the ten digits have the attribute.
DIGIT_ATTRIBUTES: dict[str, tuple[int, ...]] = {
    "even": (0, 2, 4, 6, 8),
    "prime": (2, 3, 5, 7),
    "at_least_five": (5, 6, 7, 8, 9),
    "multiple_of_three": (0, 3, 6, 9),
    "power_of_two": (1, 2, 4, 8),
    "perfect_square": (0, 1, 4, 9),
    "closed_loop": (0, 6, 8, 9),
    "straight_strokes_only": (1, 4, 7),
}


def digits() -> MultiLabelData:
    """Return scikit-learn's handwritten digits with eight attributes of the digit as labels.

    1797 images of 8 x 8 pixels, grey values 0..16. Five labels are about the number's factors, one about its size, two
    about its shape; `DIGIT_ATTRIBUTES` lists the digits of each, and no two digits share all eight. The shape is that
    of the printed digit (an open four), whatever the hand that drew it.
    """
    images = load_digits()
    Y = np.column_stack([np.isin(images.target, members) for members in DIGIT_ATTRIBUTES.values()])
    return MultiLabelData(
        np.asarray(images.data, dtype=np.float64),
        Y.astype(np.int8),
        [str(name) for name in images.feature_names],
        list(DIGIT_ATTRIBUTES),
        "digits",
    )


class Planted(NamedTuple):
    """A generated data set and the answer that a method should find in it.

    Attributes
    ----------
    data : MultiLabelData
    feature_subspace : ndarray of shape (n_features, n_latent)
        Orthonormal basis of the only feature directions that the learnable labels depend on.
    learnable : ndarray of shape (n_labels,), bool
        Which labels depend on the features at all.
    """

    data: MultiLabelData
    feature_subspace: FloatArray
    learnable: np.ndarray[tuple[int], np.dtype[np.bool_]]


def planted(
    n_samples: int = 600,
    n_features: int = 30,
    n_labels: int = 12,
    n_latent: int = 3,
    n_distractors: int = 4,
    noise: float = 0.3,
    share: float = 0.5,
    random_state: int | np.random.RandomState | None = 0,
) -> Planted:
    """Generate labels that a few directions of the features decide, beside labels that nothing decides.

    Features are independent standard normal. A learnable label is whether one linear function of ``n_latent`` latent
    directions plus noise is large, so that its covariance with the features lies in the planted subspace.
    The distractors are copies of one coin, independent of the features: they hold the largest variance of the
    labels, which is where a method that does not look at the features goes first.

    Parameters
    ----------
    n_samples, n_features, n_labels : int
        Shape of the data.
    n_latent : int, default=3
        Dimension of the planted subspace; at most ``n_features``.
    n_distractors : int, default=4
        How many of the labels (the last ones) are the coin; less than ``n_labels``.
    noise : float, default=0.3
        Standard deviation of what is added before that is decided; >= 0.
    share : float, default=0.5
        Of the instances that have a learnable label, on average; in (0, 1).
    random_state : int, RandomState or None, default=0

    Raises
    ------
    DataError
        If the numbers do not fit together.
    """
    numbers = 0 < n_latent <= n_features and 0 <= n_distractors < n_labels and n_samples > 1
    if not (numbers and noise >= 0 and 0 < share < 1):
        raise DataError(
            "planted needs 0 < n_latent <= n_features, 0 <= n_distractors < n_labels, n_samples > 1, noise >= 0 "
            "and 0 < share < 1"
        )
    random = check_random_state(random_state)
    X = random.standard_normal((n_samples, n_features))
    subspace, _ = np.linalg.qr(random.standard_normal((n_features, n_latent)))
    n_learnable = n_labels - n_distractors
    weights = random.standard_normal((n_latent, n_learnable))
    weights /= np.linalg.norm(weights, axis=0)
    scores = X @ subspace @ weights + noise * random.standard_normal((n_samples, n_learnable))
    coin = random.random_sample(n_samples) < 0.5
    least = NormalDist().inv_cdf(1 - share) * np.sqrt(1 + noise**2)  # the scores are normal
    Y = np.column_stack([scores > least, np.repeat(coin[:, np.newaxis], n_distractors, axis=1)])
    names = [f"learnable{i}" for i in range(n_learnable)] + [f"distractor{i}" for i in range(n_distractors)]
    data = MultiLabelData(X, Y.astype(np.int8), [f"x{i}" for i in range(n_features)], names, "planted")
    return Planted(data, subspace, np.arange(n_labels) < n_learnable)
