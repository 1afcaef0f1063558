"""Intermediate results of a fit are released when it ends, without waiting for the garbage collector."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import scipy.sparse as sp
from projection_problems import SEMI_SUPERVISED, SINGLE_LABEL

import mlreduce
from mlreduce.linalg.features import Features
from mlreduce.spectral.problem import TrainingSet

# One method of each strategy by which directions, embeddings and labels are computed.
PROJECTIONS = ["pca", "lpp", "fda", "lfda", "cca", "mddm-kernel", "hsl1", "mlda", "mesd-fda", "mope", "morp", "mvmd"]
PROJECTIONS += ["ssfda", "sslfda", "ssmope"]
PROPAGATION = ["ml-grf", "smse1"]
METHODS = [*PROJECTIONS, "le", "isomap", "lle", "slvm", "mope-embedding", *PROPAGATION]


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def alive():
    return sum(isinstance(thing, TrainingSet | Features) for thing in gc.get_objects())


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.filterwarnings("ignore::mlreduce.exceptions.ProjectionWarning")
def test_no_training_set_outlives_its_fit(name, storage, rng, no_collector):
    X = storage(rng.random((40, 6)))
    Y = (rng.random((40, 4)) < 0.4).astype(float)
    Y[:4] = np.eye(4)
    if name in SINGLE_LABEL:
        Y = np.eye(4)[rng.integers(4, size=40)]
    elif name in SEMI_SUPERVISED + PROPAGATION:
        Y[30:] = np.nan
    else:
        Y[4] = 0.0  # one without labels, which methods for classes leave out
    before = alive()
    mlreduce.make(name).fit(X, Y)
    assert alive() == before


def test_a_part_is_found_in_its_whole_without_holding_it(no_collector):
    whole = TrainingSet(np.eye(6), np.eye(6), labelled=np.arange(6) > 0)
    middle = whole.labelled_part
    inner = middle.part(np.array([1, 3]))
    before = alive()
    del middle
    np.testing.assert_array_equal(inner.placed_in(whole).toarray(), np.eye(6)[[2, 4]])
    assert alive() == before  # the whole keeps the middle, for all who ask for it
    del whole
    assert alive() == before - 2
    with pytest.raises(ValueError, match="has a place only in one that it is a part of"):
        inner.placed_in(TrainingSet(np.eye(6)))
