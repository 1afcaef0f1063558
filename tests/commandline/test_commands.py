"""The command ``mlreduce``."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import mlreduce
from mlreduce import commandline
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.datasets.readers.arff import read_arff

ARFF = (
    "@relation r\n"
    + "".join(f"@attribute {name} numeric\n" for name in "abc")
    + "".join(f"@attribute {name} {{0,1}}\n" for name in ("one", "two"))
)


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    rows = [[*(round(v, 3) for v in rng.normal(size=3)), *rng.integers(0, 2, 2)] for _ in range(20)]
    path = tmp_path / "d.arff"
    path.write_text(ARFF + "@data\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n")
    return path


def said(capsys, *arguments):
    assert commandline.main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments):
    assert commandline.main([str(argument) for argument in arguments]) == 1
    error = capsys.readouterr().err
    assert len(error.splitlines()) <= 10
    return error


def test_lists(capsys):
    assert said(capsys, "list").split() == mlreduce.list_methods()
    assert json.loads(said(capsys, "list", "--family", "selection", "--json")) == mlreduce.list_methods("selection")
    datasets = {entry["name"]: entry for entry in json.loads(said(capsys, "list", "datasets", "--json"))}
    assert datasets["yeast"]["instances"] == 2417
    assert "yeast" in said(capsys, "list", "datasets")


def test_info(capsys):
    found = json.loads(said(capsys, "info", "mvmd", "--json"))
    assert (found["class"], found["family"]) == ("mlreduce.projection.mvmd.MVMD", "projection")
    assert found["parameters"]["beta"] == "0.5"
    own, given = json.loads(said(capsys, "info", "digits-300", "--json")), mlreduce.load_dataset("digits-300")
    assert (own["instances"], own["features"], own["labels"]) == (*given.X.shape, given.Y.shape[1])
    assert own["cardinality"] == pytest.approx(given.Y.sum(axis=1).mean(), abs=1e-4)
    assert "did you mean 'mvmd'" in refused(capsys, "info", "mvdm")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_reduces_as_the_library_does(data, tmp_path, capsys, suffix):
    output, (given, _) = tmp_path / f"out.{suffix}", read_arff([data], 2)
    options = ["reduce", data, "--labels", 2, "-o", output, "--method"]
    assert "20" in said(capsys, *options, "mvmd", "--components", 2, "--set", "beta=0.3")
    table = pd.read_csv(output) if suffix == "csv" else pd.read_parquet(output)
    assert list(table.columns) == ["mvmd0", "mvmd1", "one", "two"]
    expected = mlreduce.MVMD(n_components=2, beta=0.3).fit_transform(given.X, given.Y)
    np.testing.assert_allclose(table[["mvmd0", "mvmd1"]], expected)
    np.testing.assert_array_equal(table[["one", "two"]], given.Y)
    said(capsys, *options, "mlfs", "--components", 1)
    table = pd.read_csv(output) if suffix == "csv" else pd.read_parquet(output)
    assert list(table.columns) == [
        *mlreduce.MLFS(k=1).fit(given.X, given.Y).get_feature_names_out(list("abc")),
        "one",
        "two",
    ]


def test_what_cannot_be_reduced_is_said_and_nothing_written(data, tmp_path, capsys):
    output = tmp_path / "out.csv"
    options = ["reduce", data, "--labels", 2, "-o", output, "--method"]
    assert "'n_components'" in refused(capsys, *options, "mvmd", "--set", "n_componnets=2")
    assert "family labelspace" in refused(capsys, *options, "cplst")
    assert "NAME=VALUE" in refused(capsys, *options, "mvmd", "--set", "beta")
    assert "must end in .csv or .parquet" in refused(capsys, *options[:5], tmp_path / "out.txt", "--method", "mvmd")
    assert "no.arff" in refused(capsys, "reduce", tmp_path / "no.arff", *options[2:], "mvmd")
    assert not output.exists()


def test_fetches_from_a_mirror_what_it_can(tmp_path, capsys):
    assert "did you mean 'yeast'" in refused(capsys, "fetch", "yeest", "--to", tmp_path)
    (tmp_path / "empty").mkdir()
    error = refused(capsys, "fetch", "flags", "yeast", "--to", tmp_path / "to", "--mirror", tmp_path / "empty")
    assert "2 of 2 data sets were not fetched" in error


def test_doctor_names_what_is_missing(capsys, monkeypatch):
    assert json.loads(said(capsys, "doctor", "--json"))["numpy"] == np.__version__
    assert "missing" not in said(capsys, "doctor")
    monkeypatch.setattr("mlreduce.commandline.doctor.packages_of_extras", lambda: {"no-such-package": "plot"})
    assert "no-such-package  missing: pip install 'mlreduce[plot]'" in said(capsys, "doctor")


def test_as_a_program(tmp_path):
    code = "import sys; from mlreduce.commandline import main; sys.exit(main())"
    ran = subprocess.run([sys.executable, "-c", code, "lsit"], capture_output=True, text=True, check=False)
    assert (ran.returncode, "invalid choice: 'lsit'" in ran.stderr) == (2, True)
    ran = subprocess.run(
        f"{sys.executable} -c '{code}' list | head -1", shell=True, capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.stderr) == ("all-features\n", "")


@pytest.mark.slow
def test_what_was_fetched_is_a_mirror(tmp_path, capsys, mirror):
    """Also of a set whose files belong to the folder of another name."""
    said(capsys, "fetch", "reuters", "flags", "--to", tmp_path, "--mirror", mirror)
    catalogue = read_catalogue()
    assert all(catalogue[name].is_at_hand(tmp_path) for name in ("flags", "reuters", "reuters-copies"))
    assert mlreduce.load_dataset("flags", mirror=tmp_path).Y.shape == (194, 7)
