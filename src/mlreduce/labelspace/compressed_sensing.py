"""Compressed sensing: random codes, decoded as sparse vectors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.labelspace.base import LabelCoder, LabelStatistics
from mlreduce.labelspace.statistics import centred_product
from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_memory, check_option

IntArray = NDArray[np.integer[Any]]

# Labels beyond which no matrix of all pairs is formed: its rows are computed where they are needed.
_MANY_LABELS = 2000

# A squared correlation, or a squared distance of an atom from those picked, below which there is none.
_NOTHING = np.finfo(float).eps

# Decimals of a mean number of labels.
_DIGITS = 9

_DIRECTIONS = ("gaussian", "hadamard")


@register("cs")
class CompressedSensing(LabelCoder):
    """Compressed sensing: random directions of the labels, decoded by orthogonal matching pursuit.

    Directions are Gaussian or rows of a Hadamard matrix, each entry of variance one over the number of labels, so that
    the column of a label has an expected squared norm of one at full size. The features are not used. Decoding takes an
    instance to have few labels: one after the other it picks the label whose column has the largest correlation with
    what is not yet explained of the code, and fits all it has picked by least squares.

    The paper's code is ``Vy``. Here it is ``V(y - mean)``, as of all coders, which differs by a constant that
    decoding adds again. Decoding is not linear: the errors of codes are computed as for other coders, but do not bound
    the Hamming loss here. With one direction every label explains a code fully, and the first label is picked.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    n_nonzero : int, "largest" or None, default=None
        Most labels that decoding gives an instance, 1..n_labels, and never more than the code is long. None for the
        mean number of labels of a training row, rounded up, ``"largest"`` for the largest number.
    random_state : int, RandomState or None, default=None
        Seed of the directions. They are nested: size m is the first m of one sample.
    directions : {"gaussian", "hadamard"}, default="gaussian"
        ``"hadamard"``: rows in random order of the first columns of the Hadamard matrix that has at least as many
        columns as there are labels, all entries +1 or -1 before they are scaled.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Sum of squares of the training rows' codes along each direction; they are in no order.
    n_nonzero_ : int
    components_ : ndarray or csr_array of shape (n_components, n_labels)
        V; a CSR array where labels were sparse, each direction is one label, and its cells are more than 2**25.
    mean_ : ndarray of shape (n_labels,)
        Means of the labels; those not known are filled in.
    n_components_, n_labels_ : int
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    References
    ----------
    Hsu, Kakade, Langford and Zhang (2009), "Multi-label prediction via compressed sensing"; Chen and Lin (2012),
    section 2. Hadamard matrix, largest number of labels: Tai and Lin (2010), section 4.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> coder = mlreduce.CompressedSensing(n_components=6, random_state=0).fit(None, data.Y)
    >>> coder.encode(data.Y).shape
    (1797, 6)
    """

    complexity = Complexity("n k + k q", "n k + k q")
    calibrated = True

    def __init__(
        self,
        n_components: int | str | None = None,
        n_nonzero: int | str | None = None,
        random_state: int | np.random.RandomState | None = None,
        directions: str = "gaussian",
    ) -> None:
        super().__init__(n_components)
        self.n_nonzero = n_nonzero
        self.random_state = random_state
        self.directions = directions

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        check_option(self.directions, "directions", _DIRECTIONS)
        self.n_nonzero_ = self._check_n_nonzero(statistics)
        size, n_labels = self.n_components_, self.n_labels_
        what = f"{size} random directions of {n_labels} labels"
        check_memory(3 * 8.0 * size * n_labels, what, "take fewer components, or pbr")
        random = check_random_state(self.random_state)
        # Row by row: a short code is the start of a long one.
        if self.directions == "hadamard":
            directions = _hadamard(random, size, n_labels) / np.sqrt(n_labels)
        else:
            directions = random.standard_normal((size, n_labels)) / np.sqrt(n_labels)
        if statistics.labels is None:  # of instances with weights
            return directions, np.einsum("ij,jk,ik->i", directions, statistics.gram, directions)
        codes = centred_product(statistics.labels, statistics.mean, directions)
        return directions, np.square(codes).sum(axis=0)

    def _check_n_nonzero(self, statistics: LabelStatistics) -> int:
        wanted = self.n_nonzero
        if wanted is None:
            # A mean of 2 must not come out as 2 + 1e-16.
            return max(1, math.ceil(round(float(statistics.mean.sum()), _DIGITS)))
        if wanted == "largest":
            return max(1, round(statistics.largest_set))
        is_integer = isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool)
        if isinstance(wanted, str) or not is_integer or not 1 <= wanted <= self.n_labels_:
            raise DataError(
                f"n_nonzero must be an integer of 1..{self.n_labels_}, the number of labels, 'largest' or None; "
                f"got {wanted!r}"
            )
        return int(wanted)

    def reconstruct_sizes(self, codes: FloatArray, sizes: Sequence[int]) -> Iterator[FloatArray]:
        """Reconstruct from the first columns of a code, for several sizes, each by a separate pursuit.

        Parameters
        ----------
        codes : ndarray of shape (n_samples, n_columns)
            Codes or predictions of codes.
        sizes : sequence of int
            Ascending, each in 1..n_columns.

        Yields
        ------
        ndarray of shape (n_samples, n_labels)
            Labels less their training means, for each size.

        Raises
        ------
        DataError
            If a size is larger than the code is long.
        """
        self._check_sizes(codes, sizes)
        signals = codes + self.components_[: codes.shape[1]] @ self.mean_
        for size in sizes:
            yield _sparsest(signals[:, :size], self.components_[:size], min(self.n_nonzero_, size)) - self.mean_


def _hadamard(random: np.random.RandomState, size: int, n_labels: int) -> FloatArray:
    """Return some rows of Sylvester's matrix: -1 in row i, column j where ``i & j`` has an odd number of ones."""
    n_bits = (n_labels - 1).bit_length()
    rows, columns = random.permutation(1 << n_bits)[:size], np.arange(n_labels)
    odd = np.zeros((size, n_labels), dtype=bool)
    for bit in range(n_bits):
        odd ^= np.outer(rows >> bit & 1, columns >> bit & 1).astype(bool)
    return np.where(odd, -1.0, 1.0)


def _sparsest(signals: FloatArray, directions: FloatArray, n_nonzero: int) -> FloatArray:
    """Return sparse vectors ``y``, one row per signal, with ``directions @ y`` near the signal."""
    norms = np.linalg.norm(directions, axis=0)
    norms[norms == 0] = 1.0  # of labels that were known nowhere
    atoms = directions / norms  # of norm one, so that correlations compare
    recovered = np.zeros((len(signals), len(norms)))
    gram = atoms.T @ atoms if len(norms) <= _MANY_LABELS else np.empty((0, 0))
    _pursue(np.ascontiguousarray(atoms), gram, np.ascontiguousarray(signals @ atoms), n_nonzero, recovered)
    recovered /= norms
    return recovered


@compiled
def _pursue(
    atoms: FloatArray, gram: FloatArray, correlations: FloatArray, n_nonzero: int, recovered: FloatArray
) -> None:
    """Batch-OMP: orthogonal matching pursuit of each row from the Gram matrix of the atoms and its correlations.

    Rows of the Gram matrix are computed where they are needed if it is empty. A pursuit ends early where nothing is
    left to explain, as in the code of an instance with fewer labels than allowed, and where the next atom depends on
    those picked. Both times what it has is the best there is. See Rubinstein, Zibulevsky and Elad (2008), "Efficient
    implementation of the K-SVD algorithm using batch orthogonal matching pursuit".
    """
    n_atoms = atoms.shape[1]
    left = np.empty(n_atoms)  # correlations with what is not yet explained
    order = np.arange(n_atoms)  # the picked atoms come first; ties go to the first in this order
    products = np.empty((n_nonzero, n_atoms))  # of the picked atoms with all
    factor = np.empty((n_nonzero, n_nonzero))  # Cholesky factor of the Gram matrix of the picked atoms
    solution = np.empty(n_nonzero)
    for row in range(len(correlations)):
        for atom in range(n_atoms):
            left[atom] = correlations[row, atom]
            order[atom] = atom
        picked = 0
        while picked < n_nonzero:
            place = _largest(left, order)
            atom = order[place]
            if place < picked or left[atom] * left[atom] < _NOTHING:
                break
            if len(gram):
                products[picked] = gram[atom]
            else:
                products[picked] = 0.0
                for i in range(len(atoms)):
                    products[picked] += atoms[i, atom] * atoms[i]
            if not _extend(factor, products[picked], order, picked, atom):
                break
            order[place], order[picked] = order[picked], atom
            picked += 1
            for i in range(picked):
                solution[i] = correlations[row, order[i]]
            _solve(factor, solution, picked)
            if picked < n_nonzero:
                _subtract(left, products, correlations[row], solution, picked)
        for i in range(picked):
            recovered[row, order[i]] = solution[i]


@compiled_part
def _largest(left: FloatArray, order: IntArray) -> int:
    """Return the first place in the order of the correlation of largest magnitude."""
    best, place = -1.0, 0
    for candidate in range(len(order)):
        size = abs(left[order[candidate]])
        if size > best:
            best, place = size, candidate
    return place


@compiled_part
def _extend(factor: FloatArray, products: FloatArray, order: IntArray, picked: int, atom: int) -> bool:
    """Add an atom's row to the Cholesky factor; false if the atom depends on those picked."""
    rest = products[atom]
    for i in range(picked):
        entry = products[order[i]]
        for j in range(i):
            entry -= factor[i, j] * factor[picked, j]
        entry /= factor[i, i]
        factor[picked, i] = entry
        rest -= entry * entry
    factor[picked, picked] = np.sqrt(max(rest, 0.0))
    return picked == 0 or rest > _NOTHING


@compiled_part
def _solve(factor: FloatArray, solution: FloatArray, picked: int) -> None:
    """Solve with the Cholesky factor, in place."""
    for i in range(picked):
        for j in range(i):
            solution[i] -= factor[i, j] * solution[j]
        solution[i] /= factor[i, i]
    for i in range(picked - 1, -1, -1):
        for j in range(i + 1, picked):
            solution[i] -= factor[j, i] * solution[j]
        solution[i] /= factor[i, i]


@compiled_part
def _subtract(
    left: FloatArray, products: FloatArray, correlations: FloatArray, solution: FloatArray, picked: int
) -> None:
    """Set ``left`` to the correlations minus what the picked atoms explain of them."""
    for atom in range(len(left)):
        left[atom] = correlations[atom]
    for i in range(picked):
        for atom in range(len(left)):
            left[atom] -= products[i, atom] * solution[i]
