"""What a fit computes on its way goes when the fit ends, not when Python next looks for cycles."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import scipy.sparse as sp
from projection_problems import SEMI_SUPERVISED, SINGLE_LABEL

import mlreduce
from mlreduce.linalg.features import Features
from mlreduce.spectral import TrainingSet

METHODS = {
    kind: [name for name in mlreduce.list_methods(kind) if mlreduce.make(name).__module__.startswith("mlreduce.")]
    for kind in ("projection", "embedding", "propagation")
}


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def alive():
    return sum(isinstance(thing, TrainingSet | Features) for thing in gc.get_objects())


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", [name for names in METHODS.values() for name in names])
@pytest.mark.filterwarnings("ignore::mlreduce.exceptions.ProjectionWarning")
def test_no_training_set_outlives_its_fit(name, storage, rng, no_collector):
    X = storage(rng.random((40, 6)))
    Y = (rng.random((40, 4)) < 0.4).astype(float)
    Y[:4] = np.eye(4)
    if name in SINGLE_LABEL:
        Y = np.eye(4)[rng.integers(4, size=40)]
    elif name in SEMI_SUPERVISED + METHODS["propagation"]:
        Y[30:] = np.nan
    else:
        Y[4] = 0.0  # one without labels, which methods for classes leave out
    before = alive()
    mlreduce.make(name).fit(X, Y)
    assert alive() == before


def test_a_part_is_found_in_its_whole_without_holding_it(no_collector):
    whole = TrainingSet(np.eye(6), np.eye(6), labelled=np.arange(6) > 0)
    middle = whole.labelled_part
    inner = middle.subset(np.array([1, 3]))
    before = alive()
    del middle
    np.testing.assert_array_equal(inner.selection_from(whole).toarray(), np.eye(6)[[2, 4]])
    assert alive() == before  # the whole keeps the middle, for all who ask for it
    del whole
    assert alive() == before - 2
    with pytest.raises(ValueError, match="not a subset"):
        inner.selection_from(TrainingSet(np.eye(6)))
