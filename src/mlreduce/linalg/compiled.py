"""Loops compiled by Numba on their first call and cached on disk."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.event import Event, Listener, register
from numba.extending import register_jitable
from numpy.typing import NDArray

from mlreduce.exceptions import warn
from mlreduce.validation import FloatArray

# Tile size for mirroring a matrix: two tiles fit into the L1 cache.
_TILE = 32


class Announcement(Listener):
    """Logs once, as a warning, that loops are being compiled, where a process has waited ``patience`` seconds for them.

    Loops in Numba's cache take no such wait. ``logging.getLogger("mlreduce").setLevel(logging.ERROR)`` leaves it out.
    """

    def __init__(self, patience: float = 1.0) -> None:
        self.patience = patience
        self._depth = 0
        self._spent = self._since = 0.0
        self._timer: threading.Timer | None = None

    def on_start(self, event: Event) -> None:
        """Count the seconds from here on; a loop that another one calls is compiled within it."""
        loop = event.data["dispatcher"]
        self._depth += 1
        if self._depth > 1 or self._spent > self.patience or not str(loop.py_func.__module__).startswith("mlreduce."):
            return
        self._since = time.monotonic()
        self._timer = threading.Timer(self.patience - self._spent, self._announce, [loop])
        self._timer.daemon = True
        self._timer.start()

    def on_end(self, event: Event) -> None:
        """Add up the seconds."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._spent += time.monotonic() - self._since

    def _announce(self, loop: Any) -> None:
        module = str(loop.py_func.__module__).rpartition(".")[2].strip("_")
        place = getattr(getattr(loop, "_cache", None), "cache_path", None)
        logging.getLogger("mlreduce").warning(
            "mlreduce compiles loops (%s) on their first use, model trees for about 15 s, others for 1 to 5%s; "
            "the command 'mlreduce doctor --compile' does so ahead",
            module,
            "" if place is None else f", and stores them in {place}",
        )


#: The announcement of this process, which is not notified of what is loaded from the cache.
announcement = Announcement()
register("numba:compile", announcement)


class _Cache(FunctionCache):
    """Numba's cache of a function, of which damage and a full disk cost time and a warning, and no fit."""

    _warned = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled loop; None where it is not there or cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # noqa: BLE001 - whatever unpickling damaged bytes raises
            self._warn(error)
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled loop, where that is possible."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # noqa: BLE001 - a full disk, or damaged bytes in the index
            self._warn(error)

    def _warn(self, error: Exception) -> None:
        """Warn of the first failure in a process."""
        if not _Cache._warned:
            _Cache._warned = True
            warn(
                f"the compiled loops in {self._cache_file._index_path} cannot be read or written "
                f"({type(error).__name__}: {error}), and are compiled without the cache; where this is repeated, "
                f"delete the files of {self.cache_path}, or name another folder by NUMBA_CACHE_DIR",
                UserWarning,
            )


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function of numbers and arrays, which releases the GIL."""
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True}  # C calls none of them
    loop: Any = numba.njit(**options)(function)
    with suppress(RuntimeError):  # neither the package's folder nor the user's cache can be written
        loop._cache = _Cache(function)
    return loop


def compiled_part(function: Callable[..., Any]) -> Any:
    """Mark a function that compiled ones call, and are compiled with.

    What Python itself calls goes through a wrapper, which costs as much to compile as a short function. Called from
    Python, a part is not compiled.
    """
    return register_jitable(no_cfunc_wrapper=True)(function)


@compiled_part
def _mirror(matrix: FloatArray) -> None:
    """Copy what is above the diagonal below it."""
    order = len(matrix)
    for top in range(0, order, _TILE):
        for left in range(0, top + 1, _TILE):
            for row in range(top, min(top + _TILE, order)):
                for column in range(left, min(left + _TILE, row)):
                    matrix[row, column] = matrix[column, row]


@compiled
def scatter_of_rows(
    indptr: NDArray[np.integer[Any]],
    indices: NDArray[np.integer[Any]],
    values: FloatArray,
    weights: FloatArray,
    n_features: int,
) -> FloatArray:
    """Return ``X'diag(weights)X`` of a CSR matrix in canonical format as an array.

    SciPy's product first computes a sparsity pattern, but a scatter matrix is nearly dense.
    """
    scatter = np.zeros((n_features, n_features))
    for row in range(len(indptr) - 1):
        stop = indptr[row + 1]
        for first in range(indptr[row], stop):
            line = scatter[indices[first]]
            value = weights[row] * values[first]
            for second in range(first, stop):
                line[indices[second]] += value * values[second]
    _mirror(scatter)
    return scatter


@compiled
def gram_of_rows(
    indptr: NDArray[np.integer[Any]],
    indices: NDArray[np.integer[Any]],
    values: FloatArray,
    starts: NDArray[np.integer[Any]],
    rows: NDArray[np.integer[Any]],
    entries: FloatArray,
) -> FloatArray:
    """Return ``XX'`` of a CSR matrix as an array; ``starts``, ``rows`` and ``entries`` are its CSC arrays.

    A row of the product is a sum of columns, of which the part from the diagonal on is read: it fits into the cache.
    """
    gram = np.zeros((len(indptr) - 1, len(indptr) - 1))
    places = starts[:-1].copy()
    for row in range(len(gram)):
        line = gram[row]
        for entry in range(indptr[row], indptr[row + 1]):
            column, value = indices[entry], values[entry]
            for place in range(places[column], starts[column + 1]):
                line[rows[place]] += value * entries[place]
            places[column] += 1
    _mirror(gram)
    return gram


@compiled_part
def distance_on_grid(product: float, norm: float, other: float, inverse: float, unit: float) -> float:
    """Return a squared distance from an inner product and squared norms, as a multiple of a unit; 1 / unit is given."""
    return float(max(np.rint((norm + other - 2.0 * product) * inverse), 0.0) * unit)


@compiled
def distances_from_products(products: FloatArray, rows: NDArray[np.intp], norms: FloatArray, unit: float) -> None:
    """Turn inner products of some rows with all into squared distances on the grid of a unit, in place.

    In one pass over a table that does not fit into the cache.
    """
    inverse = 1.0 / unit
    for row in range(len(rows)):
        line, norm = products[row], norms[rows[row]]
        for column in range(len(norms)):
            line[column] = distance_on_grid(line[column], norm, norms[column], inverse, unit)
        line[rows[row]] = 0.0


@compiled_part
def insert(value: float, column: int, smallest: FloatArray, columns: NDArray[np.intp]) -> None:
    """Put a value that is less than the last into an ascending list, behind equal ones."""
    rank = len(smallest) - 1
    while rank > 0 and smallest[rank - 1] > value:
        smallest[rank], columns[rank] = smallest[rank - 1], columns[rank - 1]
        rank -= 1
    smallest[rank], columns[rank] = value, column


@compiled
def nearest_within_bounds(
    X: FloatArray,
    norms: FloatArray,
    products: NDArray[np.float32],
    scale: float,
    first: int,
    errors: FloatArray,
    unit: float,
    nearest: NDArray[np.intp],
) -> bool:
    """Write the nearest others of some rows, from ``first`` on, by bounds of their distances to all.

    ``X`` and ``norms`` are all rows and their squared norms; ``products``, of shape (n_rows, n_samples), are inner
    products divided by ``scale``, in single precision, and ``errors`` bounds the error of a distance by them for each
    row. ``unit`` is that of the grid of distances. ``nearest``, of shape (n_rows, number), is overwritten. Returns
    False where a row has so many distances within the bounds that all of them cost less in double precision.
    """
    number, n_samples = nearest.shape[1], len(norms)
    smallest, near = np.empty(number), np.empty(16 * number + 64, dtype=np.intp)
    inverse = 1.0 / unit
    for row in range(len(products)):
        line, mine, norm, size = products[row], nearest[row], norms[first + row], 0
        smallest[:] = np.inf
        for column in range(n_samples):
            value = norm + norms[column] - 2.0 * scale * line[column]
            if value < smallest[-1] and column != first + row:
                insert(value, column, smallest, mine)
        bound = smallest[-1] + 2.0 * errors[row]
        for column in range(n_samples):
            value = norm + norms[column] - 2.0 * scale * line[column]
            if value <= bound and column != first + row:
                if size == len(near):
                    return False
                near[size] = column
                size += 1
        smallest[:] = np.inf
        for column in near[:size]:
            product = 0.0
            for feature in range(X.shape[1]):
                product += X[first + row, feature] * X[column, feature]
            value = distance_on_grid(product, norm, norms[column], inverse, unit)
            if value < smallest[-1]:
                insert(value, column, smallest, mine)
    return True


@compiled
def form_of_graph(
    indptr: NDArray[np.integer[Any]],
    indices: NDArray[np.integer[Any]],
    values: FloatArray,
    starts: NDArray[np.integer[Any]],
    others: NDArray[np.integer[Any]],
    weights: FloatArray,
    n_features: int,
) -> FloatArray:
    """Return ``X'GX`` of a CSR matrix as an array; ``starts``, ``others`` and ``weights`` are the CSR arrays of G.

    A row of ``GX`` is a sum of several rows of X, and nearly dense, as is the result.
    """
    form = np.zeros((n_features, n_features))
    total = np.empty(n_features)
    for row in range(len(indptr) - 1):
        if starts[row] == starts[row + 1]:
            continue
        total[:] = 0.0
        for edge in range(starts[row], starts[row + 1]):
            weight, other = weights[edge], others[edge]
            for entry in range(indptr[other], indptr[other + 1]):
                total[indices[entry]] += weight * values[entry]
        for entry in range(indptr[row], indptr[row + 1]):
            line, value = form[indices[entry]], values[entry]
            for column in range(n_features):
                line[column] += value * total[column]
    return form


@compiled
def products_of_rows(
    indptr: NDArray[np.integer[Any]],
    indices: NDArray[np.integer[Any]],
    values: FloatArray,
    other_indptr: NDArray[np.integer[Any]],
    other_indices: NDArray[np.integer[Any]],
    other_values: FloatArray,
    products: FloatArray,
) -> None:
    """Write the product of two CSR matrices into an array; SciPy's first computes a pattern, here nearly full."""
    products[:] = 0.0
    for row in range(len(products)):
        line = products[row]
        for entry in range(indptr[row], indptr[row + 1]):
            value = values[entry]
            for other in range(other_indptr[indices[entry]], other_indptr[indices[entry] + 1]):
                line[other_indices[other]] += value * other_values[other]


@compiled
def errors_by_size(
    coordinates: FloatArray, basis: FloatArray, mean: FloatArray, threshold: float, truth: NDArray[np.int8]
) -> NDArray[np.int64]:
    """Count the wrong labels of codes at every size.

    Labels of size m are where ``mean`` plus the first m coordinates, times the first m rows of ``basis``, is above
    ``threshold``. Reconstructions are updated in place instead of being stored for every size.
    """
    errors = np.zeros(len(basis), dtype=np.int64)
    centred = np.empty(len(mean))
    for row in range(len(truth)):
        centred[:] = 0.0
        labels = truth[row]
        for size in range(len(basis)):
            coordinate = coordinates[row, size]
            direction = basis[size]
            wrong = 0
            for label in range(len(mean)):
                centred[label] += coordinate * direction[label]
                wrong += (centred[label] + mean[label] > threshold) != (labels[label] == 1)
            errors[size] += wrong
    return errors
