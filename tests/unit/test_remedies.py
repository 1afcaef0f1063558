"""What a refusal tells to do is done: each case is refused with a sentence, and runs as the sentence says."""

from __future__ import annotations

import io
import shutil
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.model_selection import RepeatedKFold
from sklearn.pipeline import make_pipeline

import mlreduce
from mlreduce.commandline import main
from mlreduce.datasets import MultiLabelData
from mlreduce.exceptions import MLReduceError
from mlreduce.metrics import evaluate
from mlreduce.registry import check_entry

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 5))
Y = (X[:, :3] + RNG.standard_normal((40, 3)) > 0).astype(np.int8)
GAPS = np.where(np.eye(40, 5) > 0, np.nan, X)
DATA = MultiLabelData(X, Y)
DATED = pd.DataFrame(X, columns=list("abcde")).assign(day=pd.date_range("2020", periods=40))
MEKA = "@relation 'm{}'\n@attribute y {{0,1}}\n@attribute a real\n@data\n1,2\n0,1\n"


def command(*arguments):
    """Run the command line; what it refuses is raised."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stderr", told := io.StringIO())
        if main([*map(str, arguments)]):
            raise MLReduceError(told.getvalue())


def compared(features=X, labels=Y, methods=("pca",), predictors=("ridge",), **others):
    return mlreduce.compare(features, labels, methods, predictors, **{"cv": 2, "sizes": [50]} | others)


def read(text, *labels, name="t.csv", **others):
    Path(name).write_text(text)
    return mlreduce.read(name, *labels, **others)


def saved(**changed):
    MultiLabelData(**{"X": X, "Y": Y} | changed).save("s.csv")
    return mlreduce.read("s.csv", 3)


def train_and_reduce(*arguments):
    Path("d.npz").unlink(missing_ok=True)
    DATA.save("d.npz")
    command("reduce", "d.npz", *arguments, "--force")


def entry(empty=""):
    Path("e.csv").write_text("x,a,b\n1,0,1\n2,0,0\n")
    Path("e.yaml").write_text(f"datasets:\n  e: {{reader: tables, features: e.csv, labels: {{last: 2}}{empty}}}\n")
    return mlreduce.load_dataset("e", catalogue="e.yaml")


def matrices(**options):
    scipy.io.savemat("m.mat", {"both": np.hstack([X, Y])})
    return mlreduce.read("m.mat", **options)


def nested(**options):
    pq.write_table(pa.table({"x": [1.0, 2], "day": pa.array([1, 2], pa.date32()), "y": [0, 1]}), "n.parquet")
    return mlreduce.read("n.parquet", 1, **options)


#: A sentence, what is refused with it, and what it says to do.
CASES = {
    "output": (
        r"--output must end in \.csv or \.parquet",
        lambda: train_and_reduce("--method", "pca", "-o", "o.txt"),
        lambda: [train_and_reduce("--method", "pca", "-o", name) for name in ("o.csv", "o.parquet")],
    ),
    "embedding": (
        "leave --apply and --save-model out, or take a projection",
        lambda: train_and_reduce("--method", "mds", "--apply", "d.npz", "-o", "o.csv"),
        lambda: [
            train_and_reduce("--method", "mds", "-o", "o.csv"),
            train_and_reduce("--method", "pca", "--apply", "d.npz", "-o", "o.csv"),
        ],
    ),
    "labels of the command": (
        "give their names, how many are the last",
        lambda: told("info", "t.csv"),
        lambda: [told("info", "t.csv", "--labels", labels) for labels in ("y", "1")],
    ),
    "empty labels": ("set empty_labels: keep", entry, lambda: entry(", empty_labels: keep")),
    "Meka's option": (
        "give how many are the first or the last",
        lambda: read(MEKA.format(""), name="m.arff"),
        lambda: [read(MEKA.format(""), {"first": 1}, name="m.arff"), read(MEKA.format(": -C 1"), name="m.arff")],
    ),
    "count of labels": (
        r"""as in labels=6 or labels=\{"last": 6\}""",
        lambda: read("x,y\n1,0\n", {"last": "1"}),
        lambda: [read("x,y\n1,0\n", 1), read("x,y\n1,0\n", {"last": 1})],
    ),
    "variables": (
        r"variables=\('both',\) with labels=\{'last': 6\}",
        matrices,
        lambda: matrices(variables=("both",), labels={"last": 3}),
    ),
    "one variable": (
        r"labels=\{'last': n\} divides it",
        lambda: matrices(variables=("both",)),
        lambda: matrices(variables=("both",), labels={"last": 3}),
    ),
    "no table": (
        "sep= reads any text so",
        lambda: read("x,y\n1,0\n", 1, name="t.dat", format="table"),
        lambda: read("x,y\n1,0\n", 1, name="t.dat", format="table", sep=","),
    ),
    "dates of Parquet": (r"leave it out with drop=\['day'\]", nested, lambda: nested(drop=["day"])),
    "format": (
        "give format=, one of arff",
        lambda: read("x,y\n1,0\n", 1, name="t.xyz"),
        lambda: read("x;y\n1;0\n", 1, name="t.xyz", format="table", sep=";"),
    ),
    "infinite": (
        r"infinite numbers, which \.csv cannot hold; save as \.npz",
        lambda: saved(X=np.where(X > 2, np.inf, X)),
        lambda: MultiLabelData(np.where(X > 2, np.inf, X), Y).save("i.npz"),
    ),
    "name of a column": (
        "would be read as one without a name; rename it",
        lambda: saved(feature_names=["", *"bcde"]),
        lambda: saved(feature_names=["a", *"bcde"]),
    ),
    "labels twice": (
        "leave y out, and name methods=, predictors=",
        lambda: mlreduce.compare(DATA, ["pca"]),
        lambda: compared(DATA, None, methods=["pca"], predictors=["ridge"]),
    ),
    "no labels": ("y is missing", lambda: compared(X, None), lambda: compared(DATA, None)),
    "recommended": (
        "leave y out, and name goal=, time_budget=",
        lambda: mlreduce.recommend(DATA, "selection"),
        lambda: mlreduce.recommend(DATA, goal="selection", time_budget=1),
    ),
    "coders": (
        "name one under predictors, as ridge is",
        lambda: compared(methods=["plst"], predictors=["ml-knn"]),
        lambda: compared(methods=["plst"], predictors=["ridge"]),
    ),
    "a method twice": (
        "give a dict with a label for each",
        lambda: compared(methods=["pca", "pca"]),
        lambda: compared(methods={"one": "pca", "two": "pca"}),
    ),
    "a splitter repeated": (
        "give a splitter that repeats",
        lambda: compared(repeats=2, cv=RepeatedKFold(n_splits=2)),
        lambda: compared(cv=RepeatedKFold(n_splits=2, n_repeats=2, random_state=0)),
    ),
    "missing values": (
        r"scikit-learn's SimpleImputer; mlreduce\.compare by impute=",
        lambda: compared(GAPS),
        lambda: [compared(GAPS, impute="mean"), make_pipeline(SimpleImputer(), mlreduce.PCA()).fit(GAPS, Y)],
    ),
    "the best scores alone": (
        "give an array of all scores, or take a measure of the first labels, such as precision-at-5",
        lambda: evaluate("ranking-loss", Y, sp.csr_array(np.abs(X[:, :3]))),
        lambda: [
            evaluate("ranking-loss", Y, np.abs(X[:, :3])),
            evaluate("precision-at-5", np.tile(Y, 2), sp.csr_array(np.abs(np.tile(X[:, :3], 2)))),
        ],
    ),
    "a class": (
        "a method of mlreduce is named under method",
        lambda: check_entry("one", {"class": "pca"}),
        lambda: [check_entry("one", {"class": "sklearn.decomposition.PCA"}), check_entry("one", {"method": "pca"})],
    ),
    "dates": (
        "leave the column out, or make numbers of it, such as the days since a date",
        lambda: mlreduce.PCA().fit(DATED),
        lambda: [
            mlreduce.PCA().fit(DATED.drop(columns="day")),
            mlreduce.PCA().fit(DATED.assign(day=(DATED["day"] - pd.Timestamp("2020")).dt.days)),
        ],
    ),
    "texts": (
        "leave the column out, or make a 0/1 column of each of its values",
        lambda: mlreduce.PCA().fit(DATED.assign(day="x")),
        lambda: mlreduce.PCA().fit(pd.get_dummies(DATED.assign(day="x"))),
    ),
    "large numbers": (
        "scale the column",
        lambda: mlreduce.PCA().fit(1e200 * X),
        lambda: mlreduce.PCA().fit(1e200 * X / 1e200),
    ),
    "small numbers": (
        "scale or drop the column",
        lambda: mlreduce.PCA().fit(X * [1e-200, 1, 1, 1, 1]),
        lambda: [mlreduce.PCA().fit(X), mlreduce.PCA().fit(X[:, 1:])],
    ),
    "an archive": (
        "unpack it and name the file that was in it",
        lambda: [shutil.make_archive("a", "zip", base_dir="t.csv"), mlreduce.read("a.zip", 1)],
        lambda: [shutil.unpack_archive("a.zip", "b"), mlreduce.read("b/t.csv", 1)],
    ),
}


def told(*arguments):
    Path("t.csv").write_text("x,y\n1,0\n2,1\n")
    command(*arguments)


@pytest.mark.parametrize("name", CASES)
def test_a_remedy_works(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x,y\n1,0\n2,1\n")
    sentence, refused, followed = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(MLReduceError, match=sentence):
            refused()
        followed()
