from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from mlreduce.datasets.embedded import planted
from mlreduce.evaluation.failures import FailedCellWarning, Failures
from mlreduce.evaluation.splitting import random_orders, split_rows
from mlreduce.selection.base import Selector
from mlreduce.validation import as_dense
from mlreduce_studies.experiments.timing import time_fits


def splits_of(n_samples, number):
    return {i: split_rows(order, 0.7) for i, order in enumerate(random_orders(n_samples, number, 7, "planted"))}


@pytest.mark.parametrize(
    ("family", "methods", "space"),
    [
        ("projection", {"pca": {}, "smse1": {}}, {"scaling": "standard", "relation": None}),
        ("selection", {"spec": {}, "gmba": {}}, {"scaling": "standard"}),
        ("labelspace", {"plst": {}, "cplst": {}, "cs": {}}, {"scaling": "none", "relation": None}),
    ],
)
def test_each_method_is_timed_on_each_split(family, methods, space):
    data = planted(n_samples=60, n_features=6, n_labels=4, n_latent=2, n_distractors=1).data
    splits = splits_of(60, 3)
    times = time_fits(data, splits, {"family": family, "methods": methods, "space": space})
    assert list(times.columns) == ["dataset", "method", "split", "seconds", "megabytes"]
    assert times.groupby("method")["split"].agg(list).to_dict() == {name: [0, 1, 2] for name in methods}
    assert (times["seconds"] > 0).all()


@pytest.mark.parametrize(("empty", "is_sparse"), [(0.9, True), (0.2, False)])
def test_selectors_of_another_scaling_get_its_features_sparse_where_that_is_smaller(monkeypatch, empty, is_sparse):
    seen = {}

    def made(label, *_):
        fit = partial(lambda X, Y, place: seen.__setitem__(place, X), place=label)
        return SimpleNamespace(fit=fit, __sklearn_tags__=Selector().__sklearn_tags__)

    monkeypatch.setattr("mlreduce.evaluation.selection.make_selector", made)
    data = planted(n_samples=60, n_features=6, n_labels=4, n_latent=2, n_distractors=1).data
    X = np.where(np.random.default_rng(0).random(data.X.shape) < empty, 0.0, data.X)
    data, splits = replace(data, X=X), splits_of(60, 1)
    methods, space = {"a": {"method": "rfs"}, "b": {"method": "rfs"}}, {"scaling": "standard"}
    settings = {"family": "selection", "methods": methods, "space": space, "scalings": {"b": "none"}}
    times = time_fits(data, splits, settings)
    assert set(times["method"]) == {"a", "b"}
    np.testing.assert_allclose(seen["a"].std(axis=0), 1)
    assert sp.issparse(seen["b"]) == is_sparse
    np.testing.assert_array_equal(as_dense(seen["b"]), X[splits[0].train])


def test_the_first_fit_is_not_timed(monkeypatch):
    fits = []
    monkeypatch.setattr("mlreduce.evaluation.feature_space.fit_method", lambda *_: fits.append(1))
    monkeypatch.setattr("mlreduce_studies.experiments.timing.time.process_time", lambda: len(fits))
    data = planted(n_samples=30, n_features=6, n_labels=4, n_latent=2, n_distractors=1).data
    space = {"scaling": "none", "relation": None}
    times = time_fits(data, splits_of(30, 2), {"family": "projection", "methods": {"pca": {}}, "space": space})
    assert times["seconds"].tolist() == [1, 1]
    assert len(fits) == 4


# In a process of its own, as a study's: which arena memory comes from depends on what was refused before.
_FITS_OF_KNOWN_MEMORY = """
import numpy as np
from mlreduce.datasets.embedded import planted
from mlreduce.evaluation import feature_space
from mlreduce.evaluation.failures import Failures
from mlreduce.evaluation.splitting import random_orders, split_rows
from mlreduce_studies.experiments.timing import time_fits

def array(megabytes):
    np.ones(int(megabytes * 1e6 / 8)).sum()

def pieces(megabytes):
    array(30)  # glibc keeps as much as twice this when it is free
    [bytes(20_000) for _ in range(megabytes * 50)]

# The first of two calls is not measured, and what fails is not called again.
calls = iter([(array, 120)] * 2 + [(array, 2400)] + [(pieces, 50)] * 2 + [(array, 40)] * 2)

def fit(*_):
    work, megabytes = next(calls)
    for _ in range(3):  # one after the other, and given back
        work(megabytes)

feature_space.fit_method = fit
data = planted(n_samples=30, n_features=6, n_labels=4, n_latent=2, n_distractors=1).data
splits = {0: split_rows(random_orders(30, 1, 7, "planted")[0], 0.7)}
methods = {name: {"method": "pca"} for name in ("120", "2400", "50", "40")}
space = {"scaling": "none", "relation": None}
settings = {"family": "projection", "methods": methods, "space": space}
times = time_fits(data, splits, settings, failures=Failures("time", limits={"gigabytes": 1}))
print(times.set_index("method")["megabytes"].to_json())
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").is_file(), reason="the system does not say what a fit takes")
@pytest.mark.rotating
def test_megabytes_are_the_most_that_a_fit_has_at_once_also_after_one_that_was_refused_memory():
    done = subprocess.run([sys.executable, "-c", _FITS_OF_KNOWN_MEMORY], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    measured = json.loads(done.stdout)
    assert set(measured) == {"120", "50", "40"}
    np.testing.assert_allclose(list(measured.values()), [float(name) for name in measured], atol=8)


def test_fits_that_are_timed_have_the_limits_of_a_study(monkeypatch):
    """The job of times passes them on: workflow/scripts/time.py."""

    def never_ends(*_):
        while True:
            pass

    never = SimpleNamespace(fit=never_ends, __sklearn_tags__=Selector().__sklearn_tags__)
    monkeypatch.setattr("mlreduce.evaluation.selection.make_selector", lambda *_: never)
    data = planted(n_samples=60, n_features=6, n_labels=4, n_latent=2, n_distractors=1).data
    failures = Failures("time", limits={"seconds": 0.01})
    settings = {"family": "selection", "methods": {"rfs": {}}, "space": {"scaling": "none", "relation": None}}
    with pytest.warns(FailedCellWarning):
        times = time_fits(data, splits_of(60, 1), settings, failures=failures)
    assert not len(times)
    assert (0, "rfs") in failures
