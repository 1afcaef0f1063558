"""Checks of methods notice what is wrong with one, and find nothing wrong with ours."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np
import pytest
from extremes import method
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeClassifier

from mlreduce import registry
from mlreduce.testing import OUTCOMES, check_method

#: Their predictions of a row depend on the other rows.
OF_ALL_ROWS = {"pcut": ["each row by itself"]}
METHODS = [name for family in registry.FAMILIES for name in registry.method_names(family)]


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_methods_of_the_library_pass(name):
    table = check_method(method(name), isolated=False, raises=False)
    assert list(table.query("outcome == 'wrong'")["check"]) == OF_ALL_ROWS.get(name, [])


def test_methods_of_scikit_learn_are_checked_too():
    assert set(check_method(PCA(2), isolated=False)["outcome"]) <= set(OUTCOMES)
    # Labels of True and False become targets of -1 and 1 and of 0 and 1, by their type.
    table = check_method(RidgeClassifier(), isolated=False, raises=False)
    assert set(table.query("outcome == 'wrong'")["check"]) <= {"labels as booleans"}


class Means(BaseEstimator):
    """A selector that is right: features by the difference of their means."""

    def fit(self, X, y):
        X, y = self.checked(X, y)
        self.scores_ = np.abs(X[y[:, 0] == 1].mean(axis=0) - X[y[:, 0] == 0].mean(axis=0))
        return self

    def checked(self, X, y):
        X, y = (np.asarray(one.toarray() if hasattr(one, "toarray") else one, dtype=float) for one in (X, y))
        if not np.isfinite(X).all() or len(X) != len(y) or not np.isin(y, [-1, 0, 1]).all():
            raise ValueError("no finite features with labels of 0 and 1")
        if len({*y[:, 0]}) < 2:
            raise ValueError("one class")
        return X, (y > 0).astype(float)


class ChangesFeatures(Means):
    def fit(self, X, y):
        if isinstance(X, np.ndarray) and X.flags.writeable:
            X[0] += 1.0
        return super().fit(X, y)


class ReadsByRows(Means):
    """Takes the memory of an array as if it were by rows."""

    def checked(self, X, y):
        X, y = super().checked(X, y)
        return X.ravel(order="K").reshape(X.shape), y


class CountsLabelsBelowZero(Means):
    def checked(self, X, y):
        _, labels = super().checked(X, y)
        return X.toarray() if hasattr(X, "toarray") else np.asarray(X, float), labels - (np.asarray(y) < 0).any()


class TakesAll(Means):
    def checked(self, X, y):
        X, y = (np.nan_to_num(np.asarray(one.toarray() if hasattr(one, "toarray") else one, float)) for one in (X, y))
        return X[: len(y)], (y > 0).astype(float)


class Learns(Means):
    def fit(self, X, y):
        before = getattr(self, "scores_", 0.0)
        super().fit(X, y)
        self.scores_ = self.scores_ + before
        return self


class Raises(Means):
    def fit(self, X, y):
        if hasattr(X, "columns"):
            raise KeyError("f0")
        return super().fit(X, y)


class DiesAndHangs(Means):
    def fit(self, X, y):
        if isinstance(y, list):
            os.kill(os.getpid(), signal.SIGKILL)
        if hasattr(y, "columns"):
            time.sleep(3600)
        return super().fit(X, y)


def wrong(estimator, **options):
    table = check_method(estimator, raises=False, **options)
    return dict(zip(table["check"], table["message"], strict=True)), set(table.query("outcome == 'wrong'")["check"])


def test_a_method_that_is_right_passes():
    assert wrong(Means(), isolated=False)[1] <= {"with labels of none"}


@pytest.mark.parametrize(
    ("cls", "check"),
    [
        (ChangesFeatures, "arrays are not changed"),
        (ReadsByRows, "features as an array by columns"),
        (CountsLabelsBelowZero, "labels as -1 and 1"),
        (TakesAll, "refuses NaN"),
        (Learns, "the same when fitted again"),
        (Raises, "features as a DataFrame"),
    ],
)
def test_what_is_wrong_is_noticed(cls, check):
    assert check in wrong(cls(), isolated=False)[1]
    with pytest.raises(AssertionError, match=f"checks are wrong\n(.*\n)*{check}: "):
        check_method(cls(), isolated=False)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="signals are those of Linux")
def test_a_method_that_ends_its_process_or_hangs_is_a_row_and_the_others_follow():
    messages, found = wrong(DiesAndHangs(), seconds=1)
    assert found == {"labels as a list", "labels as a DataFrame"}
    assert messages["labels as a list"] == "ended its process by SIGKILL"
    assert messages["labels as a DataFrame"] == "did not return in 1 s"
