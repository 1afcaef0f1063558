"""Training sets: subsets, and memory that is released without the garbage collector."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

import mlreduce
from mlreduce.linalg.features import Features
from mlreduce.spectral import TrainingSet

KNOWN = np.array([True, True, False, True, False])
METHODS = {kind: mlreduce.registry.method_names(kind) for kind in ("projection", "embedding", "propagation")}


@pytest.fixture
def created(monkeypatch):
    """Weak references to all training sets and features created, without garbage collection."""
    references = []
    for cls in (TrainingSet, Features):

        def __init__(self, *args, _original=cls.__init__, **kwargs):
            references.append(weakref.ref(self))
            _original(self, *args, **kwargs)

        monkeypatch.setattr(cls, "__init__", __init__)
    gc.disable()
    yield references
    gc.enable()


@pytest.mark.parametrize("name", [name for names in METHODS.values() for name in names])
@pytest.mark.filterwarnings("ignore::mlreduce.exceptions.ProjectionWarning")
def test_no_training_set_outlives_its_fit(name, rng, created):
    X, Y = sp.csr_array(rng.random((40, 6))), (rng.random((40, 4)) < 0.4).astype(float)
    Y[:4] = np.eye(4)
    method = mlreduce.make(name)
    if getattr(method, "single_label", False):
        Y = np.eye(4)[rng.integers(4, size=40)]
    elif getattr(method, "takes_unknown_rows", name in METHODS["propagation"]):
        Y[30:] = np.nan
    else:
        Y[4] = 0.0  # left out by methods for classes
    method.fit(X, Y)
    assert created
    assert not any(reference() for reference in created)


def test_subsets_do_not_keep_the_whole(created):
    whole = TrainingSet(np.eye(6), np.eye(6), labelled=np.arange(6) > 0)
    inner = whole.labelled_part.subset(np.array([1, 3]))
    np.testing.assert_array_equal(inner.selection_from(whole).toarray(), np.eye(6)[[2, 4]])
    assert all(reference() for reference in created)  # the whole caches its labelled part
    del whole
    assert [reference() for reference in created] == [None, None, inner]
    with pytest.raises(ValueError, match="not a subset"):
        inner.selection_from(TrainingSet(np.eye(6)))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_partly_labelled(kind, rng):
    X, Y = rng.standard_normal((5, 2)), np.array([[1.0, 0, 1], [0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 0]])
    data = TrainingSet.partly_labelled(kind(X), kind(Y[KNOWN]), KNOWN)
    np.testing.assert_array_equal(data.labels @ np.eye(3), np.where(KNOWN[:, None], Y, 0))
    part = data.labelled_part
    assert data.labelled_part is part
    np.testing.assert_array_equal(part.X @ np.eye(2), X[KNOWN])
    np.testing.assert_array_equal(part.class_sizes, Y[KNOWN].sum(axis=0))
    np.testing.assert_array_equal(part.selection_from(data).toarray(), np.eye(5)[KNOWN])
    inner = part.subset(np.array([0, 2]))
    np.testing.assert_array_equal(inner.selection_from(data).toarray(), np.eye(5)[[0, 3]])
    np.testing.assert_array_equal(inner.selection_from(part).toarray(), np.eye(3)[[0, 2]])
    full = TrainingSet.partly_labelled(kind(X), kind(Y), np.ones(5, dtype=bool))
    assert full.labelled_part is full
    assert full.selection_from(full).nnz == 5
