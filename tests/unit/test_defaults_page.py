from __future__ import annotations

import re
from pathlib import Path

import pytest
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

import mlreduce

PAGE = Path(__file__).parents[2] / "docs" / "defaults.md"
METHODS = ("rcca", "opls", "mddmp", "pca")


@pytest.fixture(scope="module")
def printed():
    rows = re.findall(r"^\| `([a-z]+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    return {name: [float(value) for value in values] for name, *values in rows}


def test_the_ranking_of_the_page_turns_over(printed):
    assert set(printed) == set(METHODS)
    fixed, _, chosen = zip(*printed.values(), strict=True)
    last, first = min(fixed), max(chosen)
    assert fixed.index(last) == chosen.index(first) == list(printed).index("rcca")


@pytest.mark.slow
def test_numbers_of_the_page_are_those_computed(printed, mirror):
    data = mlreduce.load_dataset("tmc2007-500", mirror=mirror)
    X, X_test, Y, Y_test = train_test_split(data.X, data.Y, test_size=1 / 3, random_state=0)
    for name in METHODS:
        projection = mlreduce.make(name, n_components=20).fit(X, Y)
        Z, Z_test = projection.transform(X), projection.transform(X_test)
        for value, penalty in zip(printed[name], (1.0, 1e-6, "gcv"), strict=True):
            predicted = mlreduce.RidgeRegressor(alpha=penalty).fit(Z, Y).predict(Z_test) > 0.5
            assert f1_score(Y_test, predicted, average="micro") == pytest.approx(value, abs=0.0006)
