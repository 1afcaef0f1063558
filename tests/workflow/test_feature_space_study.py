"""The study of projections on planted data."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from project import FEATURES


def test_a_feature_space_study_makes_everything_it_should(finished_features):
    results = finished_features.results("mvmd-2016")
    study = finished_features.study("mvmd-2016")
    shown = [name for name in (*study["tables"], *study["figures"]) if "times" not in name]
    assert {Path(name).stem for name in results} >= {*shown, "scores", "spectra", "summary", "claims", "audit"}
    base = finished_features.folder / "results" / "demo"
    times = pd.read_csv(base / "mvmd-2016" / "table-times.csv")
    assert set(times["method"]) == set(study["tables"]["table-times"]["methods"])
    assert (times["seconds"] > 0).all()
    ends = pd.read_csv(base / "mvmd-2016" / "summary.csv").set_index(["predictor", "measure", "size_percent", "energy"])
    for one, other in (("mvmd-0.0", "pca"), ("mvmd-1.0", "mddmp"), ("mvmd-0.5", "mvmd")):
        first, second = (ends[ends["method"] == name][["size", "mean", "sd"]] for name in (one, other))
        pd.testing.assert_frame_equal(first.sort_index(), second.sort_index(), rtol=1e-9)
    claims = pd.read_csv(base / "mvmd-2016" / "claims.csv")
    assert set(claims["verdict"]) == {"undecided"}  # the paper's data sets were not run
    assert claims["evidence"].str.startswith("Missing from this run").all()
    assert "What mvmd-2016 claims" in (base / "mvmd-2016" / "audit.md").read_text()
    assert "What the paper claims" in (base / "report.html").read_text()
    assert "Nothing to be done" in finished_features.run("--config", *FEATURES, "-n")


def test_cores_batches_and_order_change_no_byte_of_a_feature_space_study(finished_features, project):
    def reverse(study):
        study["methods"]["paper"] = dict(reversed(study["methods"]["paper"].items()))

    project.thin_projections()
    project.change("mvmd-2016", reverse)
    gathered = [f"results/demo/mvmd-2016/{name}" for name in ("scores.parquet", "spectra.parquet", "summary.csv")]
    project.run(*gathered, "--config", *FEATURES, "splits_per_job=2", cores=1)
    for name in gathered:
        assert (project.folder / name).read_bytes() == (finished_features.folder / name).read_bytes(), name


def test_a_projection_of_ones_own_is_one_file_and_one_line(project):
    (project.folder / "src" / "mlreduce" / "projection" / "mine.py").write_text(
        '"""Mine."""\n\nfrom mlreduce.projection.pca import PCA\nfrom mlreduce.registry import register\n\n\n'
        '@register("mine")\nclass Mine(PCA):\n    """Of my own."""\n'
    )
    study = "config/studies/mvmd-2016.yaml"
    project.edit(study, "  balance:  ", "  own:\n    mine: {}\n  balance:  ")
    project.edit(study, "methods: [mvmd, pca, mddmp, mddmf, cca, mlsi, mlda, dmlda]", "methods: [mine, pca]")
    table = "results/demo/mvmd-2016/table-f1.csv"
    project.run(table, "--config", *FEATURES)
    ranks = pd.read_csv(project.folder / table).set_index("method")
    assert ranks.loc["mine", "mean"] == ranks.loc["pca", "mean"]
    assert ranks.loc["mine", "rank"] == 1.5
