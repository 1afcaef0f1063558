"""The command ``mlreduce reduce``: rows of the fit and others, saved methods, what is never replaced."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from quick import by_kind
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import mlreduce
from mlreduce.commandline import main
from mlreduce.datasets.data import MultiLabelData

NOTE = "scores of a predictor on them mean nothing"


def saved(path, X, Y, name="data"):
    names = [f"x{i}" for i in range(X.shape[1])], [f"l{i}" for i in range(Y.shape[1])]
    MultiLabelData(np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.int8), *names, name).save(path)
    return path


@pytest.fixture
def rows(tmp_path):
    """Training and test rows of 6 features >= 0, one label each."""
    rng = np.random.default_rng(0)
    X, Y = rng.uniform(size=(60, 6)), np.eye(3, dtype=int)[rng.integers(0, 3, 60)]
    return saved(tmp_path / "train.npz", X[:40], Y[:40]), saved(tmp_path / "test.npz", X[40:], Y[40:])


def ran(capsys, *arguments):
    assert main(["reduce", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments):
    assert main(["reduce", *map(str, arguments)]) == 1
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    return error


@pytest.mark.parametrize(
    "name", by_kind([*mlreduce.registry.method_names("projection"), *mlreduce.registry.method_names("selection")])
)
def test_where_labels_decide_it_is_said(name, tmp_path, capsys):
    """The truth by trial: whether other labels give other features."""
    X, output = np.random.default_rng(0).uniform(size=(24, 6)), tmp_path / "out.csv"
    if mlreduce.describe(name).facts.negative:
        X = X - X.mean(axis=0)
    size = 5 if name in mlreduce.registry.method_names("selection") else 2  # the best of the features may be the same
    options = ["--method", name, "-o", output, "--force", *(["--components", size] if name != "all-features" else [])]
    options += ["--set", "random_state=0"] if "random_state" in mlreduce.make(name).get_params() else []
    found, notes = [], set()
    for feature in X.T:
        given = saved(tmp_path / "d.npz", X, np.eye(3)[feature.argsort().argsort() // 8])
        notes.add(NOTE in ran(capsys, given, *options).get("note", ""))
        found.append(pd.read_csv(output).iloc[:, :size])
        if not found[0].equals(found[-1]):
            break
    assert notes == {not found[0].equals(found[-1])}


@pytest.mark.parametrize("name", ["slvm", "mope-embedding", "le"])
def test_an_embedding_is_of_its_own_rows(name, rows, tmp_path, capsys):
    options = [rows[0], "--method", name, "-o", tmp_path / "out.csv"]
    assert (NOTE in ran(capsys, *options, "--components", 2).get("note", "")) == mlreduce.make(name).supervised
    for more in (["--apply", rows[1]], ["--save-model", tmp_path / "m.npz"]):
        assert "is an embedding, of the instances that it is fitted to alone" in refused(capsys, *options, *more)


@pytest.mark.parametrize("name", ["mddmp", "mlfs"])
def test_noise_is_noise_on_rows_apart(name, tmp_path, capsys):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((450, 2000)), rng.integers(0, 2, (450, 3))
    train, test = saved(tmp_path / "train.npz", X[:150], Y[:150]), saved(tmp_path / "test.npz", X[150:], Y[150:])
    own, other = tmp_path / "own.csv", tmp_path / "other.csv"
    options = [train, "--method", name, "--components", 3]
    assert NOTE in ran(capsys, *options, "-o", own)["note"]
    assert "note" not in ran(capsys, *options, "--apply", test, "-o", other)
    inside, outside = pd.read_csv(own).to_numpy(), pd.read_csv(other).to_numpy()
    assert outside.shape == (300, 6)
    fits = [LogisticRegression().fit(inside[:, :3], inside[:, 3 + i]) for i in range(3)]

    def area(rows):
        return np.mean(
            [roc_auc_score(rows[:, 3 + i], fit.decision_function(rows[:, :3])) for i, fit in enumerate(fits)]
        )

    assert area(inside) > {"mddmp": 0.99, "mlfs": 0.6}[name]
    assert area(outside) == pytest.approx(0.5, abs=0.06)  # the mean of three, each of deviation .033 over 300 rows


@pytest.mark.parametrize("name", ["mvmd", "mlfs", "random-projection"])
def test_a_saved_method_gives_the_same_rows(name, rows, tmp_path, capsys):
    train, test = rows
    model, first, second = tmp_path / "model.npz", tmp_path / "first.csv", tmp_path / "second.csv"
    options = [train, "--method", name, "--components", "50%", "--apply", test, "-o", first]
    assert ran(capsys, *options, "--save-model", model)["model"] == str(model)
    ran(capsys, "--model", model, "--apply", test, "-o", second)
    assert first.read_bytes() == second.read_bytes()
    # The order of the columns of other rows is theirs.
    data = MultiLabelData.load(test)
    MultiLabelData(data.X[:, ::-1], data.Y, data.feature_names[::-1], data.label_names, "turned").save(
        tmp_path / "t.npz"
    )
    ran(capsys, "--model", model, "--apply", tmp_path / "t.npz", "-o", second, "--force")
    assert first.read_bytes() == second.read_bytes()
    MultiLabelData(data.X[:, 1:], data.Y, data.feature_names[1:], data.label_names, "less").save(tmp_path / "l.npz")
    error = refused(capsys, "--model", model, "--apply", tmp_path / "l.npz", "-o", tmp_path / "third.csv")
    assert "less: has no feature 'x0'" in error
    assert not (tmp_path / "third.csv").exists()


def test_damaged_models_are_refused(rows, tmp_path, capsys):
    train, test = rows
    model, out = tmp_path / "model.npz", tmp_path / "out.csv"
    ran(capsys, train, "--method", "pca", "-o", tmp_path / "first.csv", "--save-model", model)
    arrays = dict(np.load(model))

    def given(**others):
        np.savez(model, **(arrays | others))
        return refused(capsys, "--model", model, "--apply", test, "-o", out)

    def told(**others):
        return np.frombuffer(json.dumps(json.loads(arrays["said"].tobytes()) | others).encode(), dtype=np.uint8)

    assert "components_ does not fit its features" in given(components_=arrays["components_"][:, 1:])
    assert "mean_ does not fit its features" in given(mean_=arrays["mean_"].astype(str))
    assert "unknown method 'sklearn.decomposition.PCA'" in given(said=told(method="sklearn.decomposition.PCA"))
    assert "unknown parameter of pca 'x'" in given(said=told(parameters={"x": 1}))
    assert "not a complete saved model" in given(said=told(features=3))
    assert "not a complete saved model" in given(said=np.arange(3))
    model.write_bytes(pickle.dumps(mlreduce.PCA()))
    assert "not a complete saved model" in refused(capsys, "--model", model, "--apply", test, "-o", out)
    assert "no such file; --save-model writes one" in refused(
        capsys, "--model", tmp_path / "no.npz", "--apply", test, "-o", out
    )
    assert not out.exists()


def test_nothing_is_replaced_unasked(rows, tmp_path, capsys):
    table = tmp_path / "in.csv"
    table.write_text("a,b,one\n1,2,0\n2,3,1\n4,1,0\n2,2,1\n")
    before = table.read_bytes()
    options = [table, "--labels", "one", "--method", "pca", "-o"]
    (tmp_path / "link.csv").symlink_to(table)
    for more in ([], ["--force"]):
        for output in (table, tmp_path / "." / "in.csv", tmp_path / "link.csv"):
            assert "is read, and would be replaced" in refused(capsys, *options, output, *more)
    assert table.read_bytes() == before
    out, model = tmp_path / "out.csv", tmp_path / "m.npz"
    ran(capsys, *options, out, "--save-model", model)
    before = out.read_bytes(), model.read_bytes()
    assert f"{out} already exists; --force replaces it" in refused(capsys, *options, out)
    assert f"{model} already exists" in refused(capsys, *options, tmp_path / "o.csv", "--save-model", model)
    assert "is read, and would be replaced" in refused(
        capsys, rows[0], "--method", "pca", "-o", tmp_path / "o.csv", "--save-model", rows[0], "--force"
    )
    assert (out.read_bytes(), model.read_bytes()) == before
    ran(capsys, *options, out, "--set", "n_components=1", "--force")
    assert pd.read_csv(out).columns.tolist() == ["pca0", "one"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--method", "pca"], "reduce takes data and a --method to fit, or --model FILE and --apply TEST"),
        (["d.csv"], "reduce takes data and a --method to fit"),
        (["d.csv", "--model", "m.npz"], "--model FILE goes with --apply TEST and an output alone"),
        (["d.csv", "--model", "m.npz", "--method", "pca", "--apply", "t.csv"], "leave out data, --method"),
        (["d.csv", "--method", "pca", "--save-model", "m.pkl"], "--save-model must end in .npz; got m.pkl"),
        (["d.csv", "--method", "plst", "--apply", "t.csv"], "plst is of the family labelspace"),
    ],
)
def test_arguments_that_do_not_go_together(arguments, sentence, tmp_path, capsys):
    assert sentence in refused(capsys, *arguments, "-o", tmp_path / "out.csv")


def test_sizes_that_are_none(rows, tmp_path, capsys):
    options = [rows[0], "--method", "pca", "-o", tmp_path / "out.csv", "--components"]
    for size in ("0.5", "ten", "150%", "0"):
        assert refused(capsys, *options, size).startswith("mlreduce: --components must be ")


def test_a_header_is_no_formula(tmp_path, capsys):
    table, out = tmp_path / "in.csv", tmp_path / "out.csv"
    table.write_text("=cmd|' /C calc'!A0,b,@one\n1,2,0\n2,3,1\n4,1,0\n2,2,1\n")
    ran(capsys, table, "--labels", 1, "--method", "all-features", "-o", out)
    assert pd.read_csv(out).columns.tolist() == ["'=cmd|' /C calc'!A0", "b", "'@one"]
    ran(capsys, table, "--labels", 1, "--method", "all-features", "-o", tmp_path / "out.parquet")
    assert pd.read_parquet(tmp_path / "out.parquet").columns.tolist() == ["=cmd|' /C calc'!A0", "b", "@one"]


def test_two_columns_of_one_name_are_refused(tmp_path, capsys):
    table = tmp_path / "in.csv"
    table.write_text("a,b,pca0\n1,2,0\n2,3,1\n4,1,0\n2,2,1\n")
    error = refused(capsys, table, "--labels", 1, "--method", "pca", "-o", tmp_path / "out.csv")
    assert "two columns are called 'pca0'" in error


def test_sparse_labels_are_written_as_dense_ones(rows, tmp_path, capsys):
    tables = []
    for sparse in (False, True):
        given = mlreduce.read(rows[0], sparse_labels=sparse)
        given.save(tmp_path / "given.npz")
        found = ran(capsys, tmp_path / "given.npz", "--method", "mvmd", "-o", tmp_path / "out.csv", "--force")
        assert found["instances"] == 40
        tables.append(pd.read_csv(tmp_path / "out.csv"))
    pd.testing.assert_frame_equal(*tables, rtol=1e-9)
