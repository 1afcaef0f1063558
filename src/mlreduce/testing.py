"""Checks of a method, of this library or of yours, beyond those of scikit-learn: `check_method`."""

from __future__ import annotations

import multiprocessing
import pickle  # noqa: TID251 - of objects of this process
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone, is_regressor
from sklearn.utils import get_tags

from mlreduce.validation import FloatArray, as_dense, is_sparse

__all__ = ["OUTCOMES", "check_method"]

#: What comes of a check: as it should be; refused by a ValueError or TypeError, which says why; something else.
OUTCOMES = ("right", "refused", "wrong")
#: What changes features and labels.
_Change: TypeAlias = Callable[[FloatArray, Any], tuple[Any, Any]]
# Seconds in which a process must have begun.
_START = 300.0
# What a fitted method is compared by, the first that it has.
_RESULTS = ("transform", "predict_scores", "decision_function", "predict_proba", "predict", "encode")


def check_method(method: Any, *, seconds: float = 60.0, isolated: bool = True, raises: bool = True) -> pd.DataFrame:
    """Check that a method gives the same for every form of the same data, and survives unusual data.

    Its features are given as arrays of several layouts, data frames, lists and sparse matrices, its labels as -1 and 1,
    as booleans, lists, frames and sparse matrices; it must not change them. It must give the same when it is fitted
    again, after pickling, and for each row by itself. What cannot be fitted, such as NaN, must be refused, and features
    that are constant, equal or very large must be refused or give finite numbers.

    Parameters
    ----------
    method : estimator
        Not fitted: a selector, projection, coder, transformer or predictor that takes labels of shape
        (n_samples, n_labels). What draws needs a ``random_state``.
    seconds : float, default=60
        Of the wall, for each check.
    isolated : bool, default=True
        Run the checks in another process, so that one that ends its process or does not return is a row too. The class
        must then be in a module.
    raises : bool, default=True
        Raise an error where a check is wrong.

    Returns
    -------
    DataFrame
        A row per check: ``check``, ``outcome`` ("right", "refused" or "wrong"), ``message`` and ``seconds``.

    Raises
    ------
    AssertionError
        With ``raises``, if one of the outcomes is wrong; the message has all that are.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.testing import check_method
    >>> table = check_method(mlreduce.MVMD(n_components=2), isolated=False)
    >>> sorted(set(table["outcome"]))
    ['refused', 'right']
    """
    rows = list(_in_process(method, seconds) if isolated else _run(method))
    table = pd.DataFrame(rows, columns=["check", "outcome", "message", "seconds"])
    wrong = table[table["outcome"] == "wrong"]
    if raises and len(wrong):
        lines = [f"{row.check}: {row.message}" for row in wrong.itertuples()]
        raise AssertionError(f"{method!r}: {len(wrong)} of {len(table)} checks are wrong\n" + "\n".join(lines))
    return table


# Checks of usual data, which no method may refuse.
_USUAL = (
    *("a finite result", "arrays are not changed", "the same when fitted again", "the same after pickling"),
    "each row by itself",
)


def _problem() -> tuple[Any, Any]:
    """Return 40 rows of six features >= 0, a third of them zeros, and three labels."""
    rng = np.random.default_rng(0)
    X = rng.integers(1, 6, (40, 6)) * (rng.random((40, 6)) < 0.7) + 0.0
    return X, np.array([[1, 0, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0]])[rng.integers(4, size=40)]


def _read_only(X: FloatArray) -> FloatArray:
    copy = X.copy()
    copy.flags.writeable = False
    return copy


def _with_zeros(X: FloatArray) -> Any:
    stored = sp.csr_array(X + 1)
    stored.data -= 1
    return stored


def _with_cell(X: FloatArray, value: float) -> FloatArray:
    copy = X.copy()
    copy[1, 2] = value
    return copy


#: Forms of features and of labels.
_FEATURES: Mapping[str, Callable[[FloatArray], Any]] = {
    "a read-only array": _read_only,
    "an array by columns": np.asfortranarray,
    "a view": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "integers": lambda X: X.astype(int),
    "a list": lambda X: X.tolist(),
    "a DataFrame": lambda X: pd.DataFrame(X).add_prefix("f"),
    "a CSR array": sp.csr_array,
    "a CSC matrix": sp.csc_matrix,
    "a LIL array": sp.lil_array,
    "a sparse array with stored zeros": _with_zeros,
}
_LABELS: Mapping[str, Callable[[Any], Any]] = {
    "-1 and 1": lambda Y: 2 * Y - 1,
    "booleans": lambda Y: Y.astype(bool),
    "floats": lambda Y: Y.astype(float),
    "a list": lambda Y: Y.tolist(),
    "a DataFrame": lambda Y: pd.DataFrame(Y).add_prefix("label"),
    "a CSR array": sp.csr_array,
    "a CSC matrix": sp.csc_matrix,
}
#: Data that must be refused, and data that may be, with finite results where they are not.
_REFUSED: Mapping[str, _Change] = {
    "NaN": lambda X, Y: (_with_cell(X, np.nan), Y),
    "infinity": lambda X, Y: (_with_cell(X, np.inf), Y),
    "labels of one half": lambda X, Y: (X, np.full(Y.shape, 0.5)),
    "fewer labels than rows": lambda X, Y: (X, Y[:-1]),
}
_UNUSUAL: Mapping[str, _Change] = {
    "a constant feature": lambda X, Y: (np.c_[X, np.full(len(X), 0.1)], Y),
    "constant features": lambda X, Y: (np.full(X.shape, 0.1), Y),
    "zeros": lambda X, Y: (np.zeros(X.shape), Y),
    "equal rows": lambda X, Y: (X[np.zeros(len(X), int)], Y),
    "duplicate rows": lambda X, Y: (X[np.arange(len(X)) // 4], Y),
    "one feature": lambda X, Y: (X[:, :1], Y),
    "two rows": lambda X, Y: (X[:2], Y[:2]),
    "one label": lambda X, Y: (X, Y[:, :1]),
    "labels of none": lambda X, Y: (X, np.zeros_like(Y)),
    "labels of all": lambda X, Y: (X, np.ones_like(Y)),
    "features times 1e60": lambda X, Y: (X * 1e60, Y),
    "features times 1e-60": lambda X, Y: (X * 1e-60, Y),
    "features times 1e200": lambda X, Y: (X * 1e200, Y),
}


def _result(fitted: Any, X: Any) -> FloatArray:
    """Return what a fitted method says of rows; of selectors, projections and embeddings what was fitted."""
    for name in ("scores_", "components_", "embedding_"):
        if hasattr(fitted, name):
            return np.asarray(getattr(fitted, name), dtype=np.float64)
    for verb in _RESULTS:
        if hasattr(fitted, verb):
            values = getattr(fitted, verb)(X)
            if isinstance(values, list):  # probabilities of each label
                values = np.hstack(values)
            numbers = np.asarray(as_dense(values) if is_sparse(values) else values, dtype=np.float64)
            # Labels are predicted as they were given.
            return np.maximum(numbers, 0.0) if verb == "predict" and not is_regressor(fitted) else numbers
    raise AssertionError(f"it has none of {', '.join(_RESULTS)}")


def _fit(method: Any, X: Any, Y: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return clone(method).fit(X, Y)


def _equal(found: FloatArray, expected: FloatArray, what: str) -> None:
    if found.shape != expected.shape:
        raise AssertionError(f"{what}: shape {found.shape} instead of {expected.shape}")
    scale = max(float(np.abs(expected).max(initial=0.0)), 1e-300)
    difference = float(np.abs(found - expected).max(initial=0.0)) / scale
    if not difference <= 1e-6:
        raise AssertionError(f"{what}: differs by {difference:.2g} of the largest value")


class _Subject:
    """A method, and the usual data that it is checked by."""

    def __init__(self, method: Any) -> None:
        self.method = method
        self.X, self.Y = _problem()
        if getattr(method, "single_label", False):  # those that take one label per instance
            self.Y = np.eye(3, dtype=int)[self.Y.argmax(axis=1)]
        self._usual: FloatArray | None = None

    @property
    def usual(self) -> FloatArray:
        """The result of the usual data."""
        if self._usual is None:
            self._usual = _result(_fit(self.method, self.X, self.Y), self.X)
        return self._usual

    def finite(self) -> None:
        """Check that the result of the usual data is finite."""
        if not np.isfinite(self.usual).all():
            raise AssertionError("its result is not finite")

    def features_as(self, form: Callable[[FloatArray], Any]) -> None:
        """Check features of another form."""
        usual, given = self.usual, form(self.X)
        _equal(_result(_fit(self.method, given, self.Y), given), usual, "the result")

    def labels_as(self, form: Callable[[Any], Any]) -> None:
        """Check labels of another form."""
        usual = self.usual
        _equal(_result(_fit(self.method, self.X, form(self.Y)), self.X), usual, "the result")

    def unchanged(self, form: Callable[[Any], Any]) -> None:
        """Check that neither features nor labels are changed."""
        features, labels = form(self.X), form(self.Y)
        _result(_fit(self.method, features, labels), features)
        for given, before, name in ((features, self.X, "X"), (labels, self.Y, "y")):
            if not np.array_equal(as_dense(given) if is_sparse(given) else given, before):
                raise AssertionError(f"it changes {name}")

    def again(self) -> None:
        """Check a second fit, and a copy."""
        fitted = _fit(self.method, self.X, self.Y)
        first = _result(fitted, self.X)
        with warnings.catch_warnings(action="ignore"):
            _equal(_result(fitted.fit(self.X, self.Y), self.X), first, "the result of a second fit")
        _equal(_result(_fit(self.method, self.X, self.Y), self.X), first, "the result of a copy")

    def pickled(self) -> None:
        """Check the method after pickling."""
        fitted = _fit(self.method, self.X, self.Y)
        restored = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - of this process
        _equal(_result(restored, self.X), _result(fitted, self.X), "the result after pickling")

    def by_rows(self) -> None:
        """Check two rows beside all."""
        fitted = _fit(self.method, self.X, self.Y)
        for verb in ("transform", "predict", "decision_function"):
            if hasattr(fitted, verb):
                some, every = (getattr(fitted, verb)(rows) for rows in (self.X[3:5], self.X))
                some, every = (np.asarray(as_dense(one) if is_sparse(one) else one, float) for one in (some, every))
                _equal(some, every[3:5], f"{verb} of two rows")

    def refused(self, change: _Change) -> None:
        """Check data that must be refused."""
        fitted = _fit(self.method, *change(self.X, self.Y))
        raise AssertionError(f"{type(fitted).__name__} is fitted to it without an error")

    def unusual(self, change: _Change) -> None:
        """Check that the result is finite."""
        features, labels = change(self.X, self.Y)
        fitted = _fit(self.method, features, labels)
        with warnings.catch_warnings(action="ignore"):
            if not np.isfinite(_result(fitted, features)).all():
                raise AssertionError("its result is not finite")


def _checks(method: Any) -> dict[str, Callable[[], None]]:
    """Return the checks of a method by name; each raises where it is wrong."""
    of = _Subject(method)
    tags, real = get_tags(method), is_regressor(method)
    left_out = {"NaN"} if tags.input_tags.allow_nan else set()
    if not tags.target_tags.required:
        left_out |= {"labels of one half", "fewer labels than rows"}
    elif real:
        left_out |= {"labels of one half"}
    return {
        "a finite result": of.finite,
        **{f"features as {name}": partial(of.features_as, form) for name, form in _FEATURES.items()},
        **{
            f"labels as {name}": partial(of.labels_as, form)
            for name, form in _LABELS.items()
            if not (real and name == "-1 and 1")
        },
        "arrays are not changed": partial(of.unchanged, np.array),
        "sparse matrices are not changed": partial(of.unchanged, sp.csr_array),
        "the same when fitted again": of.again,
        "the same after pickling": of.pickled,
        "each row by itself": of.by_rows,
        **{f"refuses {name}": partial(of.refused, change) for name, change in _REFUSED.items() if name not in left_out},
        **{f"with {name}": partial(of.unusual, change) for name, change in _UNUSUAL.items()},
    }


def _run(method: Any, first: int = 0) -> Iterator[tuple[str, str, str, float]]:
    """Yield the name, outcome, message and seconds of the checks from one on."""
    for name, check in list(_checks(method).items())[first:]:
        began = time.monotonic()
        outcome, message = "right", ""
        try:
            check()
        except AssertionError as error:
            outcome, message = "wrong", str(error)
        except (ValueError, TypeError) as error:
            # A method may refuse a form, but not the usual one.
            outcome, message = "wrong" if name in _USUAL else "refused", f"{type(error).__name__}: {error}"
        except Exception as error:  # noqa: BLE001 - whatever it raises is the outcome
            outcome, message = "wrong", f"{type(error).__name__}: {error}"
        yield name, outcome, message.split("\n", 1)[0][:300], time.monotonic() - began


def _serve(method: Any, first: int, connection: Connection) -> None:
    connection.send(None)  # it has begun
    for row in _run(method, first):
        connection.send(row)


def _in_process(method: Any, seconds: float) -> Iterator[tuple[str, str, str, float]]:
    """Yield rows of checks that another process runs; one that it does not survive is wrong, and the next follow."""
    context, done = multiprocessing.get_context("spawn"), 0
    names = list(_checks(method))
    while done < len(names):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_serve, args=(method, done, sender), daemon=True)
        process.start()
        sender.close()
        try:
            if receiver.poll(_START):
                receiver.recv()
            while done < len(names):
                began = time.monotonic()
                if not receiver.poll(seconds):
                    yield names[done], "wrong", f"did not return in {seconds:g} s", time.monotonic() - began
                    done += 1
                    break
                row = receiver.recv()
                done += 1
                yield row
        except EOFError:
            process.join()
            status = process.exitcode or 0
            how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
            yield names[done], "wrong", f"ended its process {how}", 0.0
            done += 1
        finally:
            process.kill()
            process.join()
            receiver.close()
