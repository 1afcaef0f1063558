"""The study of spectral embeddings on planted data: parts, labels of some rows, searches, images and costs."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

NAME = "mope-mesd-2012"
OPTIONS = ("run_on=planted", "splits=2", f"studies=[{NAME}]")


def without_80(study):
    """Leave one of the two protocols with labels of some rows: they take the same road."""
    del study["protocols"]["labelled-80"], study["dimensions"]["labelled-80"]
    for part in ("groups", "tables", "figures"):
        for own in study[part].values():
            if "protocols" in own:
                own["protocols"] = [name for name in own["protocols"] if name != "labelled-80"]


def test_the_study_makes_everything_it_should(project):
    project.thin(NAME, "mesd-scatter", "mesd-neighbours", "mope-combined")
    project.change(NAME, without_80)
    study = project.study(NAME)
    project.run("--config", *OPTIONS)
    results = project.results(NAME)
    shown = [name for name in (*study["tables"], *study["figures"]) if not any(w in name for w in ("times", "costs"))]
    assert {Path(name).stem for name in results} >= {*shown, "scores", "spectra", "summary", "claims", "choices"}
    base = project.folder / "results" / "demo" / NAME

    summary = pd.read_csv(base / "summary.csv")
    methods = {protocol: set(own["method"]) for protocol, own in summary.groupby("protocol")}
    for group, entries in study["methods"].items():
        for protocol in study["groups"][group].get("protocols", study["protocols"]):
            assert methods[protocol] >= set(entries), (protocol, group)
    scores = summary[(summary["measure"] == "macro-f1") & (summary["size_percent"] == 0)]
    by_labels = scores[scores["protocol"] == "supervised"].set_index("method")["mean"]
    assert by_labels["mope"] > by_labels["random-projection"]

    choices = pd.read_csv(base / "choices.csv")
    searched = {label for own in study["methods"].values() for label, entry in own.items() if "search" in entry}
    assert set(choices["method"]) == searched
    assert set(choices["split"]) == {0}  # on the first, for all
    tried = study["methods"]["existing"]["rcca"]["search"]["ridge"]
    own = choices[choices["method"] == "rcca"]["parameters"].map(lambda text: json.loads(text)["ridge"])
    assert len(own) == 1
    assert set(own) <= set(tried)

    costs = pd.read_csv(base / "costs.csv")
    assert set(costs["method"]) == set(study["costs"]["methods"])
    assert set(costs["swept"]) == {"rows", "features", "prototypes"}
    assert (costs["seconds"] > 0).all()
    assert (costs["gigabytes"] > 0).all()
