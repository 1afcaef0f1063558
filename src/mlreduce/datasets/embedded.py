"""Data sets without files: handwritten digits with attributes as labels, and generators."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.utils import check_random_state

from mlreduce.datasets.data import MultiLabelData
from mlreduce.exceptions import DataError
from mlreduce.validation import FloatArray

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


def digits(n_samples: int = 1797) -> MultiLabelData:
    """Return the first of scikit-learn's handwritten digits, with eight attributes of the digit as labels.

    1797 images of 8 x 8 pixels, grey values 0..16. Five labels are about the number's factors, one about its size, two
    about its shape; `DIGIT_ATTRIBUTES` lists the digits of each, and no two digits share all eight. The shape is that
    of the printed digit (an open four), whatever the hand that drew it.
    """
    images = load_digits()
    Y = np.column_stack([np.isin(images.target, members) for members in DIGIT_ATTRIBUTES.values()])
    return MultiLabelData(
        np.asarray(images.data, dtype=np.float64)[:n_samples],
        Y.astype(np.int8)[:n_samples],
        [str(name) for name in images.feature_names],
        list(DIGIT_ATTRIBUTES),
        "digits",
    )


class Planted(NamedTuple):
    """A generated data set with its ground truth."""

    data: MultiLabelData
    #: Orthonormal basis, shape (n_features, n_latent), of the only feature directions that learnable labels depend on.
    feature_subspace: FloatArray
    #: Which labels depend on the features at all.
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
    """Generate labels that depend on a few directions of the features, and labels independent of them.

    Features are independent standard normal. A learnable label is whether one linear function of ``n_latent`` latent
    directions plus noise is large, so that its covariance with the features lies in the planted subspace. The
    distractors are copies of one coin, independent of the features: they hold the largest variance of the labels, which
    methods that ignore the features choose first.

    The planted subspace has ``n_latent`` dimensions, at most ``n_features``. The last ``n_distractors`` of the labels
    copy the coin. ``noise`` is the standard deviation of the noise, and ``share`` the mean share of the instances that
    have a learnable label, in (0, 1). Raises DataError if the numbers do not fit together.
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


# Share of the words of a document that are about its labels.
_TOPICAL = 0.1
# The shares of all documents that the five largest labels have, and the largest and the smallest of the others.
_LARGE, _OTHERS = (0.34, 0.31, 0.28, 0.26, 0.25), (0.14, 0.0015)
_MOST_LABELS, _FEWEST_LABELS = 17, 30


def documents(
    n_samples: int = 2149,
    n_features: int = 1_721_881,
    n_labels: int = 107,
    n_words: int = 40_000,
    random_state: int | np.random.RandomState | None = 0,
) -> MultiLabelData:
    """Generate long documents with many labels: counts of words by Zipf's law, some of which the labels decide.

    The defaults have the numbers that mope-mesd-2012 states of the documents of the Education Evidence Portal. Four
    percent of the documents have one label, the others 2 to 17. Five labels are large, with 25 to 34 percent of the
    documents; the sizes of the others fall geometrically from 14 to 0.15 percent (for the defaults, 534 to 735, and 300
    down to 3).

    A document has about ``n_words`` words, a number whose logarithm is normal with standard deviation 1/2; with the
    defaults that is some 250 KB of text. Words are drawn with probability ln(1 + 1/rank), nearly 1/rank; by that law
    40,000 words are some 18,000 different ones. A tenth of them are about the document's labels: drawn likewise, but
    with ranks counted from a place in the vocabulary that depends on the label.

    X is sparse; a column whose word no document has is empty. There are at least 30 labels: fewer of these sizes are
    not two for nearly every document. Raises DataError if a number is too small.
    """
    if min(n_samples, n_features) < 2 or n_labels < _FEWEST_LABELS or n_words < 1:
        raise DataError(
            f"documents needs two rows and features, {_FEWEST_LABELS} labels and one word; got "
            f"n_samples={n_samples}, n_features={n_features}, n_labels={n_labels}, n_words={n_words}"
        )
    random = check_random_state(random_state)
    Y = _label_sets(random, n_samples, n_labels)
    places = random.randint(n_features, size=n_labels)
    lengths = np.ceil(n_words * np.exp(0.5 * random.standard_normal(n_samples) - 0.125)).astype(int)
    words, counts = [], []
    for labels, length in zip(Y, lengths, strict=True):
        # By the inverse of the distribution function.
        ranks = ((n_features + 1) ** random.random_sample(length)).astype(np.int32) - 1
        topical = int(_TOPICAL * length)
        ranks[:topical] += random.choice(places[labels], topical).astype(np.int32)
        ranks[ranks >= n_features] -= n_features
        different, number = np.unique(ranks, return_counts=True)
        words.append(different)
        counts.append(number.astype(np.int32))
    stops = np.cumsum([0, *map(len, words)])
    index_type = np.int32 if stops[-1] <= np.iinfo(np.int32).max else np.int64  # that of SciPy's products
    X = sp.csr_array(
        (np.concatenate(counts).astype(np.float64), np.concatenate(words), stops.astype(index_type)),
        shape=(n_samples, n_features),
    )
    return MultiLabelData(
        X,
        Y.astype(np.int8),
        [f"word{i}" for i in range(n_features)],
        [f"concept{i}" for i in range(n_labels)],
        "documents",
    )


def _label_sets(random: np.random.RandomState, n_samples: int, n_labels: int) -> NDArray[np.bool_]:
    """Draw which labels each document has."""
    shares = np.r_[_LARGE, np.geomspace(*_OTHERS, n_labels - len(_LARGE))]
    single = random.permutation(n_samples) < round(0.04 * n_samples)
    # Two labels and a geometric number of further ones, with what remains of the shares as its mean.
    further = (shares.sum() - 0.04) / 0.96 - 2
    numbers = np.minimum(1 + random.geometric(1 / (1 + further), n_samples), _MOST_LABELS)
    numbers[single] = 1
    # A document takes the labels with the highest keys; weights are set so that each is taken as often as it should be.
    keys, weights = random.gumbel(size=(n_samples, n_labels)), np.log(shares)
    for _ in range(60):
        order = np.argsort(-(keys + weights), axis=1)
        places = np.argsort(order, axis=1)
        Y: NDArray[np.bool_] = places < numbers[:, np.newaxis]
        weights += 0.3 * np.log(shares * n_samples / np.maximum(Y.sum(axis=0), 0.5))
    return Y
