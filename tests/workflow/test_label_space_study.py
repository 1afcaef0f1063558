"""The study of label coders on planted data."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
from project import SMALL

FILES = {
    *("scores.parquet", "spectra.parquet", "summary.csv", "datasets.csv", "audit.csv", "claims.csv", "audit.md"),
    *("choices.csv", "failures.csv"),
    *(
        f"{table}.{suffix}"
        for table in ("table3", "table4", "table5", "table-choices")
        for suffix in ("csv", "md", "tex")
    ),
    *(f"figure1{variant}.{suffix}" for variant in ("", "-as-stated") for suffix in ("svg", "png", "pdf")),
}


def test_a_run_makes_everything_it_should(finished):
    results = finished.results()
    assert set(results) == FILES
    base = finished.folder / "results" / "demo"
    table = pd.read_csv(base / "cplst-2012" / "table3.csv")
    expected = ["dataset", "method", "protocol", "size_percent", "size", "mean", "se", "splits"]
    assert list(table.columns) == expected
    assert set(table["method"]) == {"plst", "cplst", "occa", "pbr", "br", "cs"}
    assert set(table["splits"]) == {6}
    full = table[(table["size_percent"] == 100) & (table["method"] != "cs")].groupby("protocol")["mean"]
    np.testing.assert_allclose(full.max(), full.min())  # every method equals binary relevance at full size
    manifest = json.loads((base / "cplst-2012" / "manifest.json").read_text())
    assert manifest["protocols"] == {"as-printed": {"train": 0.9}, "as-stated": {"train": 0.8}}
    assert len(manifest["outputs"]["scores.parquet"]) == 64
    assert "<svg" in (base / "report.html").read_text()
    scores = pd.read_parquet(base / "cplst-2012" / "scores.parquet")
    assert not scores.duplicated(["protocol", "method", "predictor", "size_percent", "size", "split", "measure"]).any()
    trained = scores.groupby("predictor")["method"].agg(set)
    assert trained["m5p"] == {"plst", "cplst"}
    assert trained["kernel-ridge"] == {"plst", "kernel-cplst", "br"}
    assert len(trained["linear"]) == 7
    choices = pd.read_csv(base / "cplst-2012" / "choices.csv")
    assert choices.groupby(["protocol", "method"]).split.nunique().tolist() == [6] * 6


def test_temporary_files_are_gone_and_a_second_run_does_nothing(finished):
    assert not list(finished.folder.glob("results/**/reduced/**/*.npz"))
    assert not list(finished.folder.glob("results/**/.partial*"))
    assert "Nothing to be done" in finished.run("--config", *SMALL, "-n")


def test_cores_batches_and_order_of_methods_change_no_byte_of_a_label_space_study(finished, project):
    def reverse(study):
        study["methods"]["linear-codes"] = dict(reversed(study["methods"]["linear-codes"].items()))
        study["measures"].reverse()

    project.change("cplst-2012", reverse)
    project.run("--config", *SMALL, "splits_per_job=4", cores=1)
    assert project.results() == finished.results()
    assert project.same_results() == finished.same_results()
