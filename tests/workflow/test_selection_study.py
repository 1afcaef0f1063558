"""The study of selectors on planted data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from project import SELECTION


def test_a_selection_study_makes_everything_it_should(finished_selection):
    results = finished_selection.results("gmba-2016")
    study = finished_selection.study("gmba-2016")
    shown = [name for name in (*study["tables"], *study["figures"]) if "times" not in name]
    files = {*shown, "scores", "rankings", "summary", "areas", "claims", "audit"}
    assert {Path(name).stem for name in results} >= files
    base = finished_selection.folder / "results" / "demo" / "gmba-2016"
    scores, summary = pd.read_parquet(base / "scores.parquet"), pd.read_csv(base / "summary.csv")
    drawn = scores[scores["method"].isin([f"random-{draw}" for draw in range(10)])]
    cells = ["predictor", "measure", "size_percent"]
    means = summary[summary["method"] == "random"].set_index(cells)["mean"].sort_index()
    np.testing.assert_allclose(means, drawn.groupby(cells)["value"].mean(), rtol=1e-6)
    assert "random" not in set(scores["method"])
    whole = scores[(scores["size_percent"] == 100) & (scores["measure"] == "hamming-loss")]
    assert (whole.groupby(["predictor", "split"])["value"].nunique() == 1).all()  # all features, in any order
    areas = pd.read_csv(base / "areas.csv").set_index(["predictor", "measure", "method"])["mean"]
    curve = summary[(summary["method"] == "spec") & summary["size_percent"].between(10, 90)].set_index(cells)["mean"]
    own = curve["br-knn", "macro-f1"].sort_index().to_numpy()
    assert areas["br-knn", "macro-f1", "spec"] == pytest.approx(np.trapezoid(own) / 8, rel=1e-6)
    assert "Nothing to be done" in finished_selection.run("--config", *SELECTION, "-n")


def test_cores_batches_and_order_change_no_byte_of_a_selection_study(finished_selection, project):
    def reverse(study):
        study["methods"] = {group: dict(reversed(methods.items())) for group, methods in study["methods"].items()}

    project.thin_selection()
    project.change("gmba-2016", reverse)
    names = ("scores.parquet", "rankings.parquet", "summary.csv", "areas.csv")
    gathered = [f"results/demo/gmba-2016/{name}" for name in names]
    project.run(*gathered, "--config", *SELECTION, "splits_per_job=2", cores=1)
    for name in gathered:
        assert (project.folder / name).read_bytes() == (finished_selection.folder / name).read_bytes(), name


def test_a_selector_of_ones_own_is_one_file_and_one_line(project):
    (project.folder / "src" / "mlreduce" / "selection" / "mine.py").write_text(
        '"""Mine."""\n\nfrom mlreduce.registry import register\nfrom mlreduce.selection.spectral import SPEC\n\n\n'
        '@register("mine")\nclass Mine(SPEC):\n    """Of my own."""\n'
    )
    project.thin("gmba-2016", "gmba", "mlrf", "published-code", "information")

    def add_mine(study):
        study["methods"]["own"] = {"mine": {}}
        study["tables"]["table-area-hamming-br"]["methods"] = ["mine", "spec"]

    project.change("gmba-2016", add_mine)
    table = "results/demo/gmba-2016/table-area-hamming-br.csv"
    project.run(table, "--config", *SELECTION)
    ranks = pd.read_csv(project.folder / table).set_index("method")
    assert ranks.loc["mine", "mean"] == ranks.loc["spec", "mean"]


def test_an_optional_data_set_that_the_mirror_lacks_is_left_out_and_named(project):
    (project.folder / "mirror").mkdir()

    def ask_for_mediamill(study):
        study["scales"]["demo"] |= {"datasets": ["mediamill", "planted"], "optional": ["mediamill"]}
        study |= {"methods": {"filters": {"spec": {}}}, "predictors": {"br-knn": {"n_neighbors": 3}}}
        study |= {"tables": {}, "figures": {}}

    project.change("gmba-2016", ask_for_mediamill)
    options = ["--config", "studies=[gmba-2016]", "splits=2", "mirror=mirror"]
    project.run("gmba_audit", *options)
    audit = (project.folder / "results" / "demo" / "gmba-2016" / "audit.md").read_text()
    assert "Left out, since the mirror does not hold them: mediamill." in audit
