"""Multi-label data in MATLAB files of version 5 to 7, as public collections of data sets keep them.

`scipy.io.loadmat` reads the same files, and the tests compare the two. It is not used here: damaged files end the
process (a segmentation fault), and a few bytes can unpack to any size.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.arrays import as_labels, dense_unless_many, numbered
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.readers.columns import Labels, chosen_labels
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.guards import allowed_bytes, check_memory, opened, stem
from mlreduce.validation import as_dense, is_sparse, stored_labels

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

_EXPECTED = (
    "expected the variables data and target, train_data, train_target, test_data and test_target, X and Y, or features "
    "and labels"
)


class _Damaged(Exception):
    """A part of a file is not as the format has it."""


class _Variable(NamedTuple):
    """A variable of a file, of which only the description has been read."""

    #: Class of the array.
    kind: int
    shape: tuple[int, ...]
    #: Bytes, perhaps compressed.
    content: memoryview
    compressed: bool


#: Where a label is, in a matrix of labels.
SIDES = ("rows", "columns")


def read_mat(
    paths: Sequence[str | Path],
    name: str = "",
    labels: Labels = None,
    *,
    variables: Sequence[str] | None = None,
    labels_in: str | None = None,
) -> MultiLabelData:
    """Read features and labels from MATLAB files.

    A file has the variables ``data`` and ``target``; or ``train_data``, ``train_target``, ``test_data`` and
    ``test_target``, which are stacked in this order; or ``X`` and ``Y``; or ``features`` and ``labels``; in upper or
    lower case; or those that ``variables`` names. Features are instances x features, dense or sparse; labels are labels
    x instances or instances x labels, in 0/1 or -1/1, NaN where unknown. Other variables are left out, but a file in
    which others are further instances is refused. X is sparse where the file's is; names are numbers from 1.

    Arguments are those of `mlreduce.datasets.read`. ``labels`` selects the labels among the columns of both variables,
    features before labels, for files whose author took the wrong columns of a file of Meka's, or that have one variable
    for both; None takes the variables as they are.

    Raises DataError if a file is damaged, of version 4 or 7.3, has no such variables, or these do not fit together; the
    sentence names the file and the variable.
    """
    if labels_in not in (None, *SIDES):
        raise ConfigurationError(f"labels_in must be 'rows' or 'columns'; got {labels_in!r}")
    if variables is not None:
        if isinstance(variables, str) or not variables or (len(variables) > 1 and len(variables) % 2):
            raise ConfigurationError(
                f"variables are names of features and labels in turn, or one for both; got {variables!r}"
            )
        if len(variables) == 1 and labels is None:
            raise ConfigurationError(
                "variables names one matrix for features and labels: labels={'last': n} divides it"
            )
    files = [Path(path) for path in paths]
    notes: list[str] = []
    parts = [part for file in files for part in _parts(file, files, variables, labels_in, notes)]
    first_X, first_Y, _ = parts[0]
    for X, Y, where in parts[1:]:
        if X.shape[1] != first_X.shape[1] or Y.shape[1] != first_Y.shape[1] or is_sparse(X) != is_sparse(first_X):
            raise DataError(
                f"{where}: {X.shape[1]} features and {Y.shape[1]} labels, but {first_X.shape[1]} and "
                f"{first_Y.shape[1]} in {parts[0][2]}, or one is sparse and the other dense; parts must agree"
            )
    stack = sp.vstack if is_sparse(first_X) else np.vstack
    X = stack([X for X, _, _ in parts])
    labels_of: list[Any] = [Y for _, Y, _ in parts]
    unknown = any(Y.dtype.kind == "f" for Y in labels_of)
    dense = unknown or not any(map(is_sparse, labels_of))
    Y = (
        np.vstack([Y.toarray() if is_sparse(Y) else Y for Y in labels_of])
        if dense
        else sp.vstack(labels_of, format="csr")
    )
    Y = stored_labels(Y) if len(parts) > 1 else Y
    if is_sparse(X):
        X = sp.csr_array(X)
    if labels is not None:
        X, Y = _divided(X, Y, labels, files)
    return MultiLabelData(X, Y, numbered(X.shape[1]), numbered(Y.shape[1]), name or stem(files[0]), notes=notes)


def _divided(X: Any, Y: Any, labels: Labels, files: Sequence[Path]) -> tuple[Any, Any]:
    """Divide the columns of both matrices anew."""
    columns = list(map(str, range(X.shape[1] + Y.shape[1])))
    chosen = np.array(chosen_labels(labels, columns, files[0]), dtype=int)
    others = np.setdiff1d(np.arange(len(columns)), chosen)
    both = sp.csr_array(sp.hstack([X, sp.csr_array(Y)])) if is_sparse(X) else np.hstack([X, as_dense(Y)])
    check = partial(check_memory, paths=files, what=f"{len(chosen)} labels of {X.shape[0]} rows")
    labelled = dense_unless_many(both[:, chosen], check)
    return both[:, others].astype(np.float64), as_labels(labelled, None, f"{files[0]}, labels={labels!r}")


def _parts(
    path: Path,
    files: Sequence[Path],
    variables_given: Sequence[str] | None,
    labels_in: str | None,
    notes: list[str],
) -> list[tuple[Any, NDArray[Any], str]]:
    """Return features, labels and their place in the file, for each part."""
    with opened(path) as file:
        content = memoryview(file.read())
    try:
        order = _byte_order(content, path)
        variables = _variables(content, order)
        shown = ", ".join(
            f"{name if name.isprintable() else ascii(name)} {' x '.join(map(str, variable.shape))}"
            for name, variable in sorted(variables.items())
        )
        if variables_given is not None:
            pairs = [tuple(variables_given[place : place + 2]) for place in range(0, len(variables_given), 2)]
        else:
            lower = {name.lower() for name in variables}
            pairs = next((list(known) for known in PAIRS if {n for pair in known for n in pair} <= lower), [])
        expected = "" if pairs else _EXPECTED
        spelled: dict[str, str] = {}
        for name in (name for pair in pairs for name in pair):
            spellings = sorted(other for other in variables if other.lower() == name.lower())
            if variables_given is not None and name in variables:
                spellings = [name]
            if len(spellings) > 1:
                raise DataError(
                    f"{path}: the names of the variables {' and '.join(spellings)} differ in case only; name "
                    f"those to read exactly in variables=; it holds {shown[:400]}"
                )
            if spellings:
                spelled[name] = spellings[0]
            else:
                expected = expected or f"no variable {name!r}"
        if expected:
            raise DataError(
                f"{path}: {expected}; it holds {shown[:400] or 'none'}. Name the features "
                "and the labels, as in variables=('features', 'labels'), or one matrix of both, as in "
                "variables=('both',) with labels={'last': 6}"
            )
        pairs = [tuple(spelled[name] for name in pair) for pair in pairs]
        used = [name for pair in pairs for name in pair]
        if variables_given is None:
            notes += _check_others(path, variables, used, shown)
        needed = sum(8 * math.prod(variables[name].shape) for name in used if variables[name].kind != _SPARSE)
        check_memory(needed, files, f"the variables {', '.join(used)}")
        return [_part(path, variables, pair, order, files, labels_in) for pair in pairs]
    except (_Damaged, zlib.error) as error:
        raise DataError(f"{path}: not a complete MATLAB file ({error}); fetch it again, or save it with -v7") from error


def _check_others(path: Path, variables: Mapping[str, _Variable], used: Sequence[str], shown: str) -> list[str]:
    """Refuse to leave out features and labels of further instances; return notes on other labels of the same ones."""
    features, labels = (variables[name].shape for name in used[:2])
    others = {name: variable.shape for name, variable in variables.items() if name not in used}
    n_labels = labels[1 if labels[0] == features[0] else 0]
    for name, shape in others.items():
        if len(shape) == 2 and shape[1] == features[1] and shape[0]:
            fitting = ((shape[0], n_labels), (n_labels, shape[0]))
            of_them = [other for other in others if other != name and others[other] in fitting]
            if of_them:
                raise DataError(
                    f"{path}: it also holds {name} and {of_them[0]}, perhaps further instances "
                    f"({shown[:400]}); variables= names all that belong to the set, as in "
                    f"variables={(*used, name, of_them[0])!r}"
                )
    return [
        f"{path}: {used[1]} has the labels; {name}, of the same shape, was left out; variables={(used[0], name)!r} "
        "reads it instead"
        for name, shape in others.items()
        if shape == labels != features
    ]


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
    path: Path,
    variables: Mapping[str, _Variable],
    pair: tuple[str, ...],
    order: str,
    files: Sequence[Path],
    labels_in: str | None,
) -> tuple[Any, NDArray[Any], str]:
    X, *targets = (_array(path, name, variables[name], order, files) for name in pair)
    where = f"{path}, {' and '.join(pair)}"
    values = X.data if is_sparse(X) else X
    if np.isinf(values).any():
        raise DataError(f"{path}: {pair[0]} holds a number that is infinite")
    if not targets:  # columns become labels later
        return X, np.zeros((X.shape[0], 0), dtype=np.int8), where
    target = targets[0]
    sides = [side for side, size in enumerate(target.shape) if size == X.shape[0]]
    if labels_in is not None:
        sides = [side for side in sides if side == (1 if labels_in == "rows" else 0)]
    if not sides:
        raise DataError(
            f"{where}: {X.shape[0]} x {X.shape[1]} features, but {target.shape[0]} x {target.shape[1]} labels: no side "
            "of the labels is the number of rows of the features; is one transposed?"
        )
    if len(sides) == 2 and (target != target.T).sum():
        raise DataError(
            f"{where}: as many labels as instances, {X.shape[0]}, so that rows and columns cannot be distinguished; "
            "give labels_in='rows' or 'columns', where a label is"
        )
    if 0 in (*X.shape, *target.shape):
        raise DataError(f"{where}: no features, labels or instances")
    check = partial(check_memory, paths=files, what=f"labels of the shape {target.shape}")
    labels = dense_unless_many(target.T if sides == [1] else target, check)
    return X, as_labels(labels, None, f"{path}, {pair[1]}"), where


def _variables(content: memoryview, order: str) -> dict[str, _Variable]:
    """Return the descriptions of a file's variables by name."""
    variables = {}
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
            if name in variables:
                raise _Damaged(f"two variables are called {ascii(name)[:40]}")
            variables[name] = _Variable(array_kind, shape, body, kind == _COMPRESSED)
    return variables


def _endian(order: str) -> Any:
    return "little" if order == "<" else "big"


def _element(content: memoryview, place: int, order: str) -> tuple[int, memoryview, int]:
    """Return the type and the bytes of the element at a place, and where the next one begins."""
    tag = content[place : place + 8]
    if len(tag) < 8:
        raise _Damaged(f"it is cut off at byte {place}")
    first = int.from_bytes(tag[:4], _endian(order))
    if first >> 16:  # four bytes or fewer are in the tag itself
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
        limit = allowed_bytes(len(content)) + _DESCRIPTION
        unpacker = zlib.decompressobj()
        packed, content, start = content, memoryview(unpacker.decompress(content, limit)), 8
        if unpacker.unconsumed_tail and not unpacker.eof:
            raise DataError(
                f"{path}: the variable {name} unpacks to more than {limit / 2**20:,.0f} MB, out of proportion to its "
                "size; max_bytes= allows more"
            )
        # Only at its end zlib compares the checksum.
        if not unpacker.eof or unpacker.unused_data or len(content) != 8 + int.from_bytes(content[4:8], _endian(order)):
            raise _Damaged(f"the compressed variable {name} does not end where its {len(packed)} bytes do")
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
