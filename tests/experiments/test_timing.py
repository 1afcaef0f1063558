from __future__ import annotations

import pytest

from mlreduce.datasets.embedded import planted
from mlreduce.experiments.splitting import random_orders, split_rows
from mlreduce.experiments.timing import time_fits


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
    times = time_fits(family, data, splits, methods, space)
    assert list(times.columns) == ["dataset", "method", "split", "seconds"]
    assert times.groupby("method")["split"].agg(list).to_dict() == {name: [0, 1, 2] for name in methods}
    assert (times["seconds"] > 0).all()


def test_the_first_fit_is_not_timed(monkeypatch):
    fits = []
    monkeypatch.setattr("mlreduce.experiments.timing.fit_method", lambda *_: fits.append(1))
    monkeypatch.setattr("mlreduce.experiments.timing.time.process_time", lambda: len(fits))
    data = planted(n_samples=30, n_features=6, n_labels=4, n_latent=2, n_distractors=1).data
    space = {"scaling": "none", "relation": None}
    times = time_fits("projection", data, splits_of(30, 2), {"pca": {}}, space)
    assert times["seconds"].tolist() == [1, 1]
    assert len(fits) == 4
