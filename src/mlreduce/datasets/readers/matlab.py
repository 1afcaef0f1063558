"""Multi-label data in MATLAB files of version 5 to 7, as public collections of data sets keep them.

`scipy.io.loadmat` reads the same files, and the tests compare the two. It is not used here: damaged files end the
process (a segmentation fault), and a few bytes can unpack to any size.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.guards import FREE_BYTES, RATIO, check_memory, opened
from mlreduce.datasets.readers.arff import chosen_labels
from mlreduce.exceptions import DataError
from mlreduce.validation import check_labels, is_sparse

__all__ = ["read_mat"]

#: Names of features and labels, in this order of preference, without regard to case; parts are stacked.
PAIRS = (
    (("data", "target"),),
    (("train_data", "train_target"), ("test_data", "test_target")),
    (("x", "y"),),
    (("features", "labels"),),
)

# From the format's description, "MAT-File Format" by MathWorks: types of elements, classes of arrays.
_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _COMPRESSED = 14, 15
_SPARSE, _DENSE = 5, range(6, 16)
_COMPLEX = 0x0800
_HEADER = 128
# Bytes that hold the flags, the shape and the name of a variable.
_DESCRIPTION = 512


class _Damaged(Exception):
    """A part of a file is not as the format has it."""


class _Variable(NamedTuple):
    """A variable of a file, of which only the description has been read.

    Attributes
    ----------
    kind : int
        Class of the array.
    shape : tuple of int
    content : memoryview
        Its bytes, perhaps compressed.
    compressed : bool
    """

    kind: int
    shape: tuple[int, ...]
    content: memoryview
    compressed: bool


def read_mat(paths: Sequence[str | Path], name: str = "", labels: Mapping[str, int] | None = None) -> MultiLabelData:
    """Read features and labels from MATLAB files.

    A file has the variables ``data`` and ``target``; or ``train_data``, ``train_target``, ``test_data`` and
    ``test_target``, which are stacked in this order; or ``X`` and ``Y``; or ``features`` and ``labels``; in upper or
    lower case. Features are instances x features, dense or sparse; labels are labels x instances or instances x
    labels, in 0/1 or -1/1. Other variables are left out.

    Parameters
    ----------
    paths : sequence of paths
        Parts of one data set, stacked in this order.
    name : str, default=""
        Name of the data set.
    labels : dict or None, default=None
        ``{"first": n}`` or ``{"last": n}``: which are labels of the columns of both variables, features before labels.
        For files whose author took the wrong columns of a file of Meka's. None takes the variables as they are.

    Returns
    -------
    MultiLabelData
        X is sparse where the file's is. Names are numbers from 1.

    Raises
    ------
    DataError
        If a file is damaged, of version 4 or 7.3, has no such variables, or these do not fit together; the sentence
        names the file and the variable.
    """
    files = [Path(path) for path in paths]
    parts = [part for file in files for part in _parts(file, files)]
    first_X, first_Y, _ = parts[0]
    for X, Y, where in parts[1:]:
        if X.shape[1] != first_X.shape[1] or Y.shape[1] != first_Y.shape[1] or is_sparse(X) != is_sparse(first_X):
            raise DataError(
                f"{where}: {X.shape[1]} features and {Y.shape[1]} labels, but {first_X.shape[1]} and "
                f"{first_Y.shape[1]} in {parts[0][2]}, or one is sparse and the other dense; parts must agree"
            )
    stack = sp.vstack if is_sparse(first_X) else np.vstack
    X = stack([X for X, _, _ in parts])
    Y = np.vstack([Y for _, Y, _ in parts])
    if is_sparse(X):
        X = sp.csr_array(X)
    if labels is not None:
        X, Y = _divided(X, Y, labels, files[0])
    feature_names, label_names = (list(map(str, range(1, size + 1))) for size in (X.shape[1], Y.shape[1]))
    return MultiLabelData(X, Y, feature_names, label_names, name or files[0].stem)


def _divided(X: Any, Y: NDArray[np.int8], labels: Mapping[str, int], path: Path) -> tuple[Any, NDArray[np.int8]]:
    """Divide the columns of both matrices anew."""
    columns = list(map(str, range(X.shape[1] + Y.shape[1])))
    chosen = np.array(chosen_labels(labels, columns, path), dtype=int)
    others = np.setdiff1d(np.arange(len(columns)), chosen)
    both = sp.csr_array(sp.hstack([X, sp.csr_array(Y)])) if is_sparse(X) else np.hstack([X, Y])
    try:
        found = check_labels(both[:, chosen])
    except DataError as error:
        raise DataError(f"{path}: of the columns that labels={dict(labels)} asks for: {error}") from error
    return both[:, others].astype(np.float64), found.astype(np.int8)


def _parts(path: Path, files: Sequence[Path]) -> list[tuple[Any, NDArray[np.int8], str]]:
    """Return features, labels and where they stand, for each part in a file."""
    with opened(path) as file:
        content = memoryview(file.read())
    try:
        order = _byte_order(content, path)
        variables = {name.lower(): variable for name, variable in _variables(content, order)}
        found = next((pairs for pairs in PAIRS if all(set(pair) <= set(variables) for pair in pairs)), None)
        if found is None:
            shown = ", ".join(name if name.isprintable() else ascii(name) for name in sorted(variables))[:200] or "none"
            raise DataError(
                f"{path}: expected the variables data and target, train_data, train_target, test_data and test_target, "
                f"X and Y, or features and labels; found {shown}"
            )
        needed = sum(
            8 * math.prod(variables[name].shape) for pair in found for name in pair if _is_full(variables[name])
        )
        check_memory(needed, files, f"the variables {', '.join(name for pair in found for name in pair)}")
        return [_part(path, variables, pair, order, files) for pair in found]
    except (_Damaged, zlib.error) as error:
        raise DataError(f"{path}: not a whole MATLAB file ({error}); fetch it again, or save it with -v7") from error


def _is_full(variable: _Variable) -> bool:
    return variable.kind != _SPARSE


def _byte_order(content: memoryview, path: Path) -> str:
    """Return "<" or ">" after checking the header."""
    head = bytes(content[:_HEADER])
    if head.startswith(b"MATLAB 7.3") or head.startswith(b"\x89HDF"):
        raise DataError(f"{path}: a MATLAB file of version 7.3 (HDF5); save it in MATLAB by save(..., '-v7')")
    order = {b"IM": "<", b"MI": ">"}.get(head[126:128])
    if order is None:
        raise DataError(f"{path}: not a MATLAB file of version 5 to 7; save it in MATLAB by save(..., '-v7')")
    return order


def _part(
    path: Path, variables: Mapping[str, _Variable], pair: tuple[str, str], order: str, files: Sequence[Path]
) -> tuple[Any, NDArray[np.int8], str]:
    X, target = (_array(path, name, variables[name], order, files) for name in pair)
    where = f"{path}, {pair[0]} and {pair[1]}"
    sides = [side for side, size in enumerate(target.shape) if size == X.shape[0]]
    if not sides:
        raise DataError(
            f"{where}: {X.shape[0]} x {X.shape[1]} features, but {target.shape[0]} x {target.shape[1]} labels: no side "
            "of the labels is the number of rows of the features; is one transposed?"
        )
    if len(sides) == 2 and (target != target.T).sum():
        raise DataError(
            f"{where}: as many labels as instances, {X.shape[0]}, so that rows and columns cannot be told apart; "
            "remove a row of both"
        )
    if 0 in (*X.shape, *target.shape):
        raise DataError(f"{where}: no features, labels or instances")
    values = X.data if is_sparse(X) else X
    if np.isinf(values).any():
        raise DataError(f"{path}: {pair[0]} holds a number that is infinite")
    check_memory(9 * math.prod(target.shape), files, f"labels of the shape {target.shape}")
    try:
        Y = check_labels(target.T if sides == [1] else target).astype(np.int8)
    except DataError as error:
        raise DataError(f"{path}: {pair[1]}: {error}") from error
    return X, Y, where


def _variables(content: memoryview, order: str) -> list[tuple[str, _Variable]]:
    """Return the names and descriptions of a file's variables."""
    found = []
    place = _HEADER
    while place < len(content):
        kind, body, place = _element(content, place, order)
        if kind == _COMPRESSED:
            head = zlib.decompressobj().decompress(body, _DESCRIPTION)
            inner, start = int.from_bytes(head[:4], _endian(order)), 8
        elif kind == _MATRIX:
            head, inner, start = bytes(body[:_DESCRIPTION]), kind, 0
        else:
            raise _Damaged(f"an element of the type {kind} at byte {place}")
        if inner == _MATRIX:
            name, array_kind, shape, _ = _description(memoryview(head), start, order)
            found.append((name, _Variable(array_kind, shape, body, kind == _COMPRESSED)))
    return found


def _endian(order: str) -> Any:
    return "little" if order == "<" else "big"


def _element(content: memoryview, place: int, order: str) -> tuple[int, memoryview, int]:
    """Return the type and the bytes of the element at a place, and where the next one begins."""
    tag = content[place : place + 8]
    if len(tag) < 8:
        raise _Damaged(f"it is cut off at byte {place}")
    first = int.from_bytes(tag[:4], _endian(order))
    if first >> 16:  # four bytes or fewer stand in the tag itself
        size, kind, start, next_place = first >> 16, first & 0xFFFF, place + 4, place + 8
        if size > 4:
            raise _Damaged(f"a small element of {size} bytes at byte {place}")
    else:
        kind, size, start = first, int.from_bytes(tag[4:], _endian(order)), place + 8
        next_place = start + size if kind == _COMPRESSED else start + -(-size // 8) * 8
    body = content[start : start + size]
    if len(body) < size:
        raise _Damaged(f"{size} bytes are announced at byte {place}, and {len(body)} follow")
    return kind, body, next_place


def _description(content: memoryview, place: int, order: str) -> tuple[str, int, tuple[int, ...], int]:
    """Return name, class and shape of a variable, and where its values begin."""
    _, flags, place = _element(content, place, order)
    _, sides, place = _element(content, place, order)
    _, name, place = _element(content, place, order)
    if len(flags) != 8 or len(sides) % 4 or len(sides) < 8:
        raise _Damaged("a variable without flags or shape")
    word = int.from_bytes(flags[:4], _endian(order))
    kind = -1 if word & _COMPLEX else word & 0xFF
    shape = tuple(np.frombuffer(sides, f"{order}i4").tolist())
    if min(shape) < 0:
        raise _Damaged(f"a variable of the shape {shape}")
    return bytes(name).decode("latin-1"), kind, shape, place


def _array(path: Path, name: str, variable: _Variable, order: str, files: Sequence[Path]) -> Any:
    """Return a variable as float64 matrix."""
    if len(variable.shape) != 2 or (variable.kind != _SPARSE and variable.kind not in _DENSE):
        raise DataError(f"{path}: the variable {name} is no matrix of real numbers")
    content = variable.content
    start = 0
    if variable.compressed:
        limit = max(FREE_BYTES, RATIO * len(content))
        unpacker = zlib.decompressobj()
        content, start = memoryview(unpacker.decompress(content, limit)), 8
        if unpacker.unconsumed_tail:
            raise _Damaged(f"the variable {name} unpacks to more than {RATIO} times its size")
    _, _, _, start = _description(content, start, order)
    if variable.kind != _SPARSE:
        values, _ = _numbers(content, start, order)
        if len(values) != math.prod(variable.shape):
            raise _Damaged(f"the variable {name} has {len(values)} values and the shape {variable.shape}")
        return np.asarray(values, dtype=np.float64).reshape(variable.shape, order="F")
    rows, columns = variable.shape
    check_memory(8 * (rows + columns), files, f"the variable {name} of {rows} x {columns}")
    (indices, start), parts = _numbers(content, start, order), []
    for _ in range(2):
        part, start = _numbers(content, start, order)
        parts.append(part)
    indptr, values = parts
    indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    stored = int(indptr[-1]) if len(indptr) == columns + 1 and indptr[0] == 0 else -1
    indices, values = indices[: max(stored, 0)], values[: max(stored, 0)].astype(np.float64)
    # SciPy checks the order of an indptr only if it ends with values, and reads outside of the arrays otherwise.
    if not stored == len(indices) == len(values) or (np.diff(indptr) < 0).any() or not _within(indices, rows):
        raise _Damaged(f"the sparse variable {name} does not fit together")
    matrix = sp.csc_array((values, indices, indptr), shape=variable.shape)
    matrix.sort_indices()
    if not matrix.has_canonical_format:
        raise _Damaged(f"the sparse variable {name} has two values at one place")
    return sp.csr_array(matrix)


def _within(indices: NDArray[np.int64], size: int) -> bool:
    return not len(indices) or bool(0 <= indices.min() <= indices.max() < size)


def _numbers(content: memoryview, place: int, order: str) -> tuple[NDArray[Any], int]:
    kind, body, place = _element(content, place, order)
    if kind not in _NUMBERS or len(body) % np.dtype(_NUMBERS[kind]).itemsize:
        raise _Damaged(f"an element of the type {kind} instead of numbers")
    return np.frombuffer(body, order + _NUMBERS[kind]), place
