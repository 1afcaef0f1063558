"""The study of selectors by mutual information on planted data."""

from __future__ import annotations

import numpy as np
import pandas as pd


def test_a_study_of_information_makes_everything_it_should(project):
    options = ("run_on=planted", "splits=2", "studies=[qpfs-lowrank-2016]")
    project.thin("qpfs-lowrank-2016", "discretisers", "graphs")
    study = project.study("qpfs-lowrank-2016")
    project.run("--config", *options)
    base = project.folder / "results" / "demo" / "qpfs-lowrank-2016"
    made = {path.stem for path in base.iterdir() if path.is_file()}
    assert made >= {*study["tables"], *study["figures"], "approximation", "theorem", "ratios", "areas", "claims"}
    errors = pd.read_csv(base / "approximation.csv")
    assert len(errors) == 3 * len(study["approximation"]["percents"])
    assert set(errors["splits"]) == {100}
    assert (errors["mean"] > 0).all()
    theorem = pd.read_csv(base / "theorem.csv")
    assert (theorem["better_where_it_holds"] == theorem["holds"]).all()  # it is a theorem
    times = pd.read_csv(base / "times.csv")
    drawn = times[times["method"].str.fullmatch(r"qpfs-approx-\d")].groupby("split")["seconds"].mean()
    mean = times[times["method"] == "qpfs-approx"].set_index("split")["seconds"]
    np.testing.assert_allclose(mean, drawn, rtol=1e-6)
    assert "Nothing to be done" in project.run("--config", *options, "-n")
