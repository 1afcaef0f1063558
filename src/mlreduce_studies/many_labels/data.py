"""Data with many labels: generated in published sizes, or read, in training, validation and test rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlreduce.exceptions import DataError

# Rows that are drawn at once, words of a label, share of the words of a row that are its labels'.
ROWS, LABEL_WORDS, TOPICAL = 20_000, 10, 1 / 3
# Most rows that are tested, of generated data, and that validate.
MOST = 2000


class Sizes(NamedTuple):
    """Instances, features and labels; mean numbers of words and labels of a row."""

    n: int
    d: int
    q: int
    words: int = 100
    labels: int = 5


SIZES = {
    "eurlex": Sizes(15_539, 5_000, 3_993, 237, 5),
    "wiki10": Sizes(14_146, 101_938, 30_938, 673, 19),
    "amazon": Sizes(490_449, 135_909, 670_091, 75, 5),
    "amazon-10th": Sizes(49_045, 135_909, 67_009, 75, 5),
    "amazon-30th": Sizes(16_348, 135_909, 22_336, 75, 5),
}


def sizes_of(text: str) -> Sizes:
    """Return the sizes of a name, or of ``20000x5000x20000``."""
    return SIZES[text] if text in SIZES else Sizes(*map(int, text.split("x")))


def generate(sizes: Sizes, seed: int = 0) -> tuple[sp.csr_array, sp.csr_array]:
    """Return features of unit norm to four digits, float64, and labels, int8, both CSR."""
    random = np.random.default_rng(seed)
    words_of = random.integers(sizes.d, size=(sizes.q, LABEL_WORDS))
    parts = [_rows(random, min(ROWS, sizes.n - start), sizes, words_of) for start in range(0, sizes.n, ROWS)]
    X, Y = (sp.csr_array(sp.vstack(blocks, format="csr")) for blocks in zip(*parts, strict=True))
    return X, Y


def _rows(random: Any, n: int, sizes: Sizes, words_of: Any) -> tuple[Any, Any]:
    counts = 1 + random.poisson(sizes.labels - 1, n)
    labels, starts = _zipf(random, sizes.q, counts.sum()), np.cumsum(counts) - counts
    Y = _counted(labels, counts, sizes.q)
    lengths = 1 + random.poisson(sizes.words - 1, n)
    words = _zipf(random, sizes.d, lengths.sum())
    topical = np.flatnonzero(random.random(len(words)) < TOPICAL)
    rows = np.repeat(np.arange(n), lengths)[topical]
    chosen = labels[starts[rows] + (random.random(len(rows)) * counts[rows]).astype(np.int64)]
    words[topical] = words_of[chosen, random.integers(LABEL_WORDS, size=len(rows))]
    X = _counted(words, lengths, sizes.d).astype(np.float64)
    X.data = 1 + np.log(X.data)
    X.data = np.round(X.data / np.repeat(np.sqrt(X.multiply(X).sum(axis=1)), np.diff(X.indptr)), 4)
    return X, sp.csr_array((np.ones(Y.nnz, dtype=np.int8), Y.indices, Y.indptr), shape=Y.shape)


def _zipf(random: Any, n_items: int, size: int) -> Any:
    """Draw with probability ln(1 + 1/rank) / ln(n_items + 1)."""
    return np.minimum((n_items + 1) ** random.random(size) - 1, n_items - 1).astype(np.int32)


def _counted(items: Any, lengths: Any, width: int) -> sp.csr_array:
    indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    table = sp.csr_array((np.ones(len(items)), items, indptr), shape=(len(lengths), width))
    table.sum_duplicates()
    return table


class Data(NamedTuple):
    """Features and labels, both CSR: rows to train, then to validate, then to test."""

    X: sp.csr_array
    Y: sp.csr_array
    #: First row of the validation and of the test rows.
    starts: tuple[int, int]
    #: Labels of which training rows have any: those that models are trained on.
    present: Any

    @property
    def labels(self) -> sp.csr_array:
        """Labels of the training rows, those that these have."""
        return sp.csr_array(self.Y[: self.starts[0]][:, self.present])


def prepare(entry: dict[str, Any], name: str, folder: str | Path | None) -> Data:
    """Generate or read a data set of the study, by its entry of the study's file.

    Published data are in ``NAME/train.txt`` and ``NAME/test.txt`` of the folder, in the format of the extreme
    classification repository. Raises DataError if there is no folder, or the files are not of the published sizes.
    """
    if "generated" in entry:
        X, Y = generate(sizes_of(entry["generated"]))
        cut = int(0.8 * X.shape[0])
        most = min(MOST, X.shape[0] // 8)
        parts = [slice(cut), slice(cut + most, cut + 2 * most), slice(cut, cut + most)]
        return _in_parts([(X[rows], Y[rows]) for rows in parts])
    from mlreduce.datasets.reading import read

    if folder is None:
        raise DataError(
            f"{name} is read from FOLDER/{name}/train.txt and test.txt: give --config folder=FOLDER, with the files of "
            "the extreme classification repository"
        )
    train, test = (
        read(Path(folder, name, file), format="xmc", sparse_labels=True) for file in ("train.txt", "test.txt")
    )
    shape = (*train.X.shape, train.Y.shape[1])
    if list(shape) != entry["shape"] or test.X.shape[1] != shape[1] or test.Y.shape[1] != shape[2]:
        raise DataError(f"{name}: train.txt has {shape} instances, features and labels; published are {entry['shape']}")
    cut = shape[0] - min(MOST, shape[0] // 10)
    return _in_parts([(train.X[:cut], train.Y[:cut]), (train.X[cut:], train.Y[cut:]), (test.X, test.Y)])


def _in_parts(parts: list[tuple[Any, Any]]) -> Data:
    """Put training, validation and test rows together."""
    X, Y = (sp.csr_array(sp.vstack(blocks, format="csr")) for blocks in zip(*parts, strict=True))
    first, second = (int(end) for end in np.cumsum([part[0].shape[0] for part in parts])[:2])
    present = np.flatnonzero(np.bincount(Y[:first].indices, minlength=Y.shape[1]))
    return Data(X, Y, (first, second), present)
