"""Classes that an entry of the leaderboard must not be, and some that it may be."""

from __future__ import annotations

import os
import signal
import time

import numpy as np


class _Estimator:
    """What scikit-learn's base has, which takes seconds to import."""

    def get_params(self, deep=True):
        return dict(vars(self))

    def set_params(self, **parameters):
        vars(self).update(parameters)
        return self


class First(_Estimator):
    """The first two features, less their means in the training rows: nothing is wrong with it."""

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, y=None):
        self.mean_ = X[:, : self.n_components].mean(axis=0)
        return self

    def transform(self, X):
        return X[:, : self.n_components] - self.mean_


class Raises(First):
    def fit(self, X, y=None):
        raise ValueError("there is\nno image")


class Busy(First):
    def fit(self, X, y=None):
        while True:
            pass


class Hungry(First):
    def fit(self, X, y=None):
        self.table_ = np.ones((10**5, 10**5))
        return self


class Waits(First):
    def fit(self, X, y=None):
        time.sleep(3600)


class Ends(First):
    def fit(self, X, y=None):
        os.kill(os.getpid(), signal.SIGKILL)


class Missing(First):
    def transform(self, X):
        return np.full((len(X), 2), np.nan)


class ByBatch(First):
    """Centres rows by the mean of those that are transformed with them."""

    def transform(self, X):
        return X[:, :2] - X[:, :2].mean(axis=0)


class Drawn(First):
    """Draws from NumPy's generator, whose seed is nobody's."""

    def transform(self, X):
        return X[:, :2] + self.noise_

    def fit(self, X, y=None):
        self.noise_ = np.random.random(2)  # noqa: NPY002 - the mistake
        return self


class Rates(_Estimator):
    """Rates features by their variance."""

    def fit(self, X, y):
        self.scores_ = np.var(X, axis=0)
        return self


class RatesNothing(Rates):
    def fit(self, X, y):
        self.scores_ = np.full(X.shape[1], np.nan)
        return self
