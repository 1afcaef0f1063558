"""Data of one's own, and of a mirror."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import yaml

from mlreduce.datasets.data import MultiLabelData


def test_own_tables_run_through_the_study(small):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((40, 4)), columns=list("abcd"))
    Y = pd.DataFrame(X.to_numpy() @ rng.standard_normal((4, 3)) > 0, columns=["x", "y", "z"]).astype(int)
    (small.folder / "mydata").mkdir()
    X.to_csv(small.folder / "mydata" / "f.csv", index=False)
    Y.to_csv(small.folder / "mydata" / "l.csv", index=False)
    entry = {"reader": "tables", "features": "mydata/f.csv", "labels": "mydata/l.csv"}
    (small.folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    options = ("--config", "datasets=my.yaml", "run_on=mine", "splits=3", "studies=[cplst-2012]")
    small.run("cplst_table3", "cplst_audit", *options)
    table = pd.read_csv(small.folder / "results" / "demo" / "cplst-2012" / "table3.csv")
    assert set(table["dataset"]) == {"mine"}
    # A feature goes missing: the run says which, and leaves what was there.
    X.loc[3, "c"] = np.nan
    X.to_csv(small.folder / "mydata" / "f.csv", index=False)
    output = small.run("cplst_table3", *options, fails=True)
    assert "mine contains NaN in column 2 ('c'), row 3" in output
    assert "Traceback" not in output


def test_counts_run_in_three_parts_through_a_study(project):
    """Counts from svmlight, weighted by a third of the rows, chosen on another and tested on the last."""
    rng = np.random.default_rng(0)
    labels = rng.random((60, 3)) < 0.4
    labels[~labels.any(axis=1), 0] = True
    counts = rng.poisson(0.5, (60, 8)) + 3 * np.pad(labels, ((0, 0), (0, 5)))
    rows = [
        ",".join(str(k + 1) for k in np.flatnonzero(own)) + "".join(f" {j + 1}:{row[j]}" for j in np.flatnonzero(row))
        for own, row in zip(labels, counts, strict=True)
    ]
    (project.folder / "counts.svmlight").write_text("\n".join(rows))
    entry = {"reader": "svmlight", "data": ["counts.svmlight"], "parameters": {"n_features": 8}}
    (project.folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    protocols = {"choice": {"parts": "validation"}, "final": {"parts": "test"}}
    project.change("gmba-2016", lambda study: study.update(protocols=protocols, scaling="tf-idf"))
    base = "results/demo/gmba-2016"
    parts = [f"{base}/scores/{protocol}/mine/filters/br-knn/000-001.parquet" for protocol in ("choice", "final")]
    project.run(*parts, "--config", "datasets=my.yaml", "run_on=mine", "splits=2", "studies=[gmba-2016]")
    choice, final = (pd.read_parquet(project.folder / part) for part in parts)
    assert len(choice) == len(final) > 0
    assert (choice["value"] != final["value"]).any()
    dealt = np.load(project.folder / base / "splits" / "mine.npz")["parts"]
    assert dealt.shape == (2, 60)
    counted = np.array([[labels[row == part].sum(axis=0) for part in range(3)] for row in dealt])
    assert np.ptp(counted, axis=1).max() <= 2


def test_too_few_rows_are_refused(small):
    pd.DataFrame({"a": [1, 2]}).to_csv(small.folder / "f.csv", index=False)
    pd.DataFrame({"x": [1, 0]}).to_csv(small.folder / "l.csv", index=False)
    entry = {"reader": "tables", "features": "f.csv", "labels": "l.csv"}
    (small.folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"two": entry}}))
    output = small.run("cplst_table3", "--config", "datasets=my.yaml", "run_on=two", fails=True)
    assert "2 rows are too few" in output


def test_mirror_is_used_checked_and_missed(small):
    """A published set through a mirror: whole, then damaged, then absent."""
    mirror = small.folder / "mirror" / "tiny"
    mirror.mkdir(parents=True)
    rows = "\n".join(f"{i % 7},{i % 3},{i % 2},{int(i % 3 == 0)}" for i in range(30))
    names = "@attribute a numeric\n@attribute b numeric\n@attribute x {0,1}\n@attribute y {0,1}\n"
    text = f"@relation tiny\n{names}@data\n{rows}\n"
    (mirror / "tiny.arff").write_text(text)
    entry = {
        "reader": "arff",
        "data": [{"name": "tiny.arff", "sources": ["web"], "sha256": hashlib.sha256(text.encode()).hexdigest()}],
        "labels": {"last": 2},
    }
    content = {"sources": {"web": "http://127.0.0.1:9/{dataset}/{file}"}, "datasets": {"tiny": entry}}
    (small.folder / "my.yaml").write_text(yaml.safe_dump(content))
    base = ("cplst_table3", "--config", "datasets=my.yaml", "run_on=tiny", "splits=2")
    output = small.run(*base, "mirror=elsewhere", fails=True)
    assert "elsewhere/tiny/tiny.arff: no such file; it is published at http://127.0.0.1:9/tiny/tiny.arff" in output
    output = small.run(*base, fails=True)
    assert "could not be fetched from http://127.0.0.1:9/tiny/tiny.arff: no connection" in output
    assert not list(small.folder.glob("results/data/raw/tiny"))
    (mirror / "tiny.arff").write_text(text[:-4])
    assert "its SHA-256 is" in small.run(*base, "mirror=mirror", fails=True)
    assert not list(small.folder.glob("results/data/raw/tiny"))
    (mirror / "tiny.arff").write_text(text)
    small.run(*base, "mirror=mirror")
    assert (small.folder / "results" / "demo" / "cplst-2012" / "table3.csv").is_file()


def test_reuters_is_prepared_from_the_mirror(project, mirror):
    project.run("results/data/reuters.npz", "--config", f"mirror={mirror}", "run_on=reuters", "studies=[mvmd-2016]")
    data = MultiLabelData.load(project.folder / "results" / "data" / "reuters.npz")
    assert (data.X.shape, data.Y.shape) == ((9035, 23263), (9035, 10))
    assert data.label_names[:3] == ["earn", "acq", "money-fx"]
