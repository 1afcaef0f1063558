"""What may be compared, and what is said of what may not."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, chi2

import mlreduce
from mlreduce.evaluation.compared import as_entries, as_methods
from mlreduce.exceptions import ConfigurationError, DataError


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("mvmd", {"mvmd": {"method": "mvmd"}}),
        (["pca", "sklearn.decomposition.NMF"], {"pca": {"method": "pca"},
         "sklearn.decomposition.NMF": {"class": "sklearn.decomposition.NMF"}}),
        (mlreduce.MVMD(beta=np.float64(0.3)), {"mvmd": {"method": "mvmd", "beta": 0.3}}),
        (iter([PCA(n_components=np.int64(2))]), {"sklearn.decomposition.PCA":
         {"class": "sklearn.decomposition.PCA", "n_components": 2}}),
        ({"a/b": {"method": "pca", "n_components": 2}}, {"a/b": {"method": "pca", "n_components": 2}}),
        ({"best": SelectKBest(k=3)}, {"best": {"class": "sklearn.feature_selection.SelectKBest", "k": 3}}),
    ],
)  # fmt: skip
def test_names_estimators_and_dicts(asked, expected):
    assert as_entries(asked, "methods") == expected


def test_families():
    asked = {"a": "pca", "b": "mlfs", "c": "plst", "d": "sklearn.decomposition.PCA", "e": SelectKBest(), "f": "ml-grf",
             "g": "sklearn.ensemble.RandomForestClassifier"}  # fmt: skip
    assert [own.family for own in as_methods(asked)] == [
        *("projection", "selection", "labelspace", "projection", "selection", "projection", "selection"),
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"methods": ["mvdm"]}, "methods: unknown method 'mvdm'; did you mean 'mvmd'"),
        ({"methods": {"a": {"method": "mvmd", "bета": 1}}}, "unknown parameter of mvmd"),
        ({"methods": ["sklearn.decomposition.PCB"]}, "did you mean 'PCA'"),
        ({"methods": ["nowhere.PCA"]}, "must be installed"),
        ({"methods": []}, "methods names nothing"),
        ({"methods": 3}, "methods must be names or estimators"),
        ({"methods": [3]}, "a list has names and estimators; got 3"),
        ({"methods": {"": "pca"}}, "a label is text"),
        ({"methods": {"a": 3}}, "methods: a: neither a name nor an estimator"),
        ({"methods": [PCA(), PCA(2)]}, "'sklearn.decomposition.PCA' occurs twice"),
        ({"methods": ["ml-knn"]}, "give it under predictors"),
        ({"methods": ["lle"]}, "no image of new rows"),
        ({"methods": {"a": SelectKBest(chi2)}}, "a parameter must be a number, text, list or estimator"),
        ({"methods": ["plst"], "predictors": ["ml-knn"]}, "plst is a label coder, whose codes only regressors predict"),
        ({"predictors": ["pca"]}, "predictors: pca: PCA predicts nothing"),
        ({"measures": ["micro-f2"]}, "did you mean 'micro-f1'"),
        ({"measures": []}, "measures names nothing"),
        ({"measures": ["code-error"]}, "measure"),
        ({"scaling": "standart"}, "did you mean 'standard'"),
        ({"cv": 1}, "cv must be an integer of at least 2"),
        ({"repeats": True}, "repeats must be an integer"),
        ({"sizes": [0]}, "sizes must be a list of integers of percent"),
        ({"sizes": 5}, "sizes must be a list"),
        ({"margin": float("nan")}, "margin must be at least 0"),
    ],
)
def test_what_cannot_be_compared(data, options, said):
    with pytest.raises(ConfigurationError, match=said):
        mlreduce.compare(data, **{"methods": ["pca"], "predictors": ["ridge"], **options})


def test_data_that_cannot_be_used(data):
    with pytest.raises(DataError, match="leave y out"):
        mlreduce.compare(data, data.Y)
    with pytest.raises(DataError, match="y is missing"):
        mlreduce.compare(data.X)
    with pytest.raises(DataError, match="89"):
        mlreduce.compare(data.X, data.Y[1:])
    with pytest.raises(DataError, match=r"NaN in column 0 \('price'\)"):
        mlreduce.compare(pd.DataFrame({"price": [1.0, np.nan]}), [[1, 0], [0, 1]])
    with pytest.raises(DataError, match="too few for 5 folds"):
        mlreduce.compare(data.X[:4], data.Y[:4], ["pca"], ["ridge"])


def test_plain_classes_registered_in_a_script(data, monkeypatch):
    monkeypatch.setattr("mlreduce.registry._at_run_time", {})

    @mlreduce.register("halved")
    class Halved(TransformerMixin, BaseEstimator):
        def fit(self, X, y):
            return self

        def transform(self, X):
            return X[:, :5] / 2

    @mlreduce.register("rated")
    class Rated(BaseEstimator):
        def fit(self, X, y):
            self.scores_ = np.arange(X.shape[1])
            return self

    @mlreduce.register("ever-first")
    class First(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.n_labels_ = y.shape[1]
            return self

        def predict(self, X):
            return np.eye(self.n_labels_, dtype=int)[np.zeros(len(X), dtype=int)]

        def predict_proba(self, X):
            return self.predict(X) * 0.9

    @mlreduce.register("own-pca")
    class Own(mlreduce.PCA):
        """Taken as a projection: it has sizes."""

    found = mlreduce.compare(
        *(data, None, ["halved", Rated(), "own-pca", "pca"], [First(), "linear"]), cv=2, sizes=[10, 50],
        measures=["micro-f1", "ranking-loss"],
    )  # fmt: skip
    sizes = found.scores.groupby("method")["size"].unique().map(sorted).to_dict()
    assert sizes == {"halved": [5], "rated": [1, 5], "own-pca": [1, 5], "pca": [1, 5]}
    assert set(found.values("ranking-loss", "ever-first")) == set(sizes)
    values = found.values("micro-f1", "linear")
    np.testing.assert_array_equal(values["own-pca"], values["pca"])

    class Forgotten(TransformerMixin, BaseEstimator):
        def fit(self, X, y):
            return self

    with pytest.raises(ConfigurationError, match=r'put @register\("its-name"\)'):
        mlreduce.compare(data, methods=[Forgotten()])


SCRIPT = """
import mlreduce
from mlreduce.datasets.embedded import planted
from sklearn.base import BaseEstimator, TransformerMixin

@mlreduce.register("halved")
class Halved(TransformerMixin, BaseEstimator):
    def fit(self, X, y):
        return self
    def transform(self, X):
        return X[:, :5] / 2

if __name__ == "__main__":
    data = planted(n_samples=60, n_features=8, n_labels=4, n_latent=2, n_distractors=2).data
    found = mlreduce.compare(data, None, [Halved()], ["linear"], cv=2, n_jobs=2)
    print(found.failures.empty, len(found.values()))
"""


@pytest.mark.slow
def test_other_processes_know_the_classes_of_a_script(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    ran = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("True 2\n", "")
