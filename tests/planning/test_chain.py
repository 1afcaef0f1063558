"""The chain from choices to gathered tables, in one process: what jobs are told, what they leave, what is gathered."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from three_families import CATALOGUE, STUDIES

from mlreduce.configuration import read_yaml
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import Failures
from mlreduce.evaluation.fitted_arrays import StoredArrays, saved_arrays
from mlreduce.evaluation.loop import Experiment
from mlreduce.evaluation.splitting import take_splits
from mlreduce_studies.experiments.timing import time_fits
from mlreduce_studies.gathering.job_tables import read_failures, read_tables, write_table
from mlreduce_studies.gathering.study_tables import Gathering
from mlreduce_studies.planning.jobs import Jobs
from mlreduce_studies.planning.plan import make_plan

PROJECT = Path(__file__).parents[2]

# A job for all of a study, for a group and split, and for a method and split.
PARTITIONS = ({"bundle": True}, {"bundle": False, "splits_per_job": 1}, {"job_per_fit": True})


def planned(folder, name, partition, **changed):
    """Return the plan of a study that is cut into jobs in some way, and the study."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(STUDIES[name] | changed))
    (folder / "my.yaml").write_text(yaml.safe_dump(CATALOGUE))
    config = yaml.safe_load((PROJECT / "config" / "config.yaml").read_text())
    config |= {"studies": [str(folder / f"{name}.yaml")], "datasets": str(folder / "my.yaml"), "seed": 5}
    config |= {"results": str(folder / "results"), **partition}
    plan = make_plan(config, PROJECT)
    return plan, plan.studies[name]


def chain(folder, name, partition, **changed):
    """Run a study as the workflow would, and return the gathering of its tables."""
    plan, study = planned(folder, name, partition, **changed)
    jobs = Jobs(plan)
    path = folder / "tiny.npz"
    data = plan.catalogue["tiny"].read([])
    data.save(path)

    def experiment(step, unit, batch, predictor="all"):
        settings = json.loads(jobs.settings(step, study, "tiny", unit, batch, predictor))
        settings["space"] = jobs.normalisation(study, "tiny")
        return Experiment(name, data, settings, 5)

    def place(kind, *parts, suffix="parquet"):
        found = Path(jobs.folder(study), kind, "tiny", *parts).with_suffix(f".{suffix}")
        found.parent.mkdir(parents=True, exist_ok=True)
        return found

    for unit in jobs.units(study, "tiny", choosing=True):
        own = study.groups.values() if unit == "all" else [study.groups[unit.partition(".")[2]]]
        if any(group.chooses for group in own):
            for batch in jobs.batches(study, "tiny", unit, choosing=True):
                write_table(place("choices", unit, batch), *experiment("choose", unit, batch).choose())
    files = {"scores": jobs.scores(study), "details": jobs.parts(study, "details"), "data": [path]}
    for unit in jobs.units(study, "tiny"):
        for batch in jobs.batches(study, "tiny", unit):
            before = [file for file in jobs.choices(study, "tiny", unit, batch) if Path(file).exists()]
            files.setdefault("choices", []).extend(before)
            choices = read_tables(before) if before else None
            with saved_arrays(place("fitted", unit, batch, suffix="npz")) as keep:
                tables = experiment("fit", unit, batch).fit(choices, read_failures(before), keep)
            write_table(place("details", unit, batch), *tables)
            failed = read_failures([place("details", unit, batch)])
            for predictor in jobs.predictors(study, "tiny", unit):
                with StoredArrays(place("fitted", unit, batch, suffix="npz")) as fitted:
                    tables = experiment("predict", unit, batch, predictor).predict(fitted, choices, failed)
                write_table(place("scores", unit, predictor, batch), *tables)
    files["choices"] = sorted(set(files["choices"]))
    if study.family != "labelspace":
        told, failures = json.loads(jobs.timing(study, "tiny", "all")), Failures("time")
        split = take_splits(data.Y, told["rule"], range(1), 5, "tiny")
        times = time_fits(data, split, told, 5, failures)
        write_table(place("times", "all"), times, failures.table(study=name, dataset="tiny"))
        files["times"] = [place("times", "all")]
    return Gathering(files, study.averages)


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.slow
def test_one_job_or_many_gather_the_same_tables(tmp_path, name):
    one, *others = (chain(tmp_path / str(number), name, own) for number, own in enumerate(PARTITIONS))
    kinds = ["scores", "summary", "failures", "datasets", "rankings" if name == "selectors" else "spectra"]
    kinds += ["areas"] * (name == "selectors")
    for kind in kinds + ["choices"] * (name != "selectors"):
        for other in others:
            pd.testing.assert_frame_equal(one.table(kind), other.table(kind), check_exact=True)
    scores = one.table("scores")
    groups = STUDIES[name]["methods"].values()
    drawn = {"random": {"random-0", "random-1"}}
    methods = set().union(*(drawn.get(method, {method}) for group in groups for method in group))
    assert set(scores["method"]) == methods
    assert set(scores["split"]) == ({0, 1, 2} if name != "features" else set(scores["split"]))
    assert one.table("failures").empty
    if name == "selectors":  # of the draws and of their mean
        assert set(one.table("times")["method"]) == {"spec", "random", "random-0", "random-1"}
    table, text = one.rounded("summary")
    assert text.startswith(",".join(table.columns))
    np.testing.assert_allclose(table["mean"], one.table("summary")["mean"], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("name", STUDIES)
def test_a_job_per_fit_has_one_method_and_one_split(tmp_path, name):
    plan, study = planned(tmp_path, name, {"job_per_fit": True})
    jobs = Jobs(plan)
    fits = [
        (task["protocol"], task["group"], *task["methods"], *range(first, last + 1))
        for unit in jobs.units(study, "tiny")
        for batch in jobs.batches(study, "tiny", unit)
        for task in json.loads(jobs.settings("fit", study, "tiny", unit, batch))["tasks"]
        for first, last in [task["splits"]]
    ]
    assert sorted(fits) == sorted(
        (protocol, group, label, split)
        for protocol, group in study.tasks("tiny")
        for label in study.groups[group].methods
        for split in range(study.splits_of(group, "tiny"))
    )
    assert len(jobs.parts(study, "fitted", "npz")) == len(set(fits))


def test_mvmd_on_emotions_has_a_fit_job_per_method_and_fold(monkeypatch):
    monkeypatch.chdir(PROJECT)
    config = read_yaml("config/config.yaml") | read_yaml("config/paper.yaml")
    plan = make_plan(config | {"studies": ["mvmd-2016"], "run_on": ["emotions"], "job_per_fit": True}, PROJECT)
    study = plan.studies["mvmd-2016"]
    fits = Jobs(plan).parts(study, "fitted", "npz")
    assert len(set(fits)) == len(fits) == len(study.methods) * study.protocols["ten-fold"]["folds"] == 270


def test_methods_of_any_name_have_files_of_their_own(tmp_path):
    methods = {name: {"method": "pca"} for name in ("pca-0.5", "Pca-0.5", "a {b}", "ж" * 99)}
    plan, study = planned(tmp_path, "features", {"job_per_fit": True}, methods={"paper": methods})
    units = Jobs(plan).units(study, "tiny")
    assert "parts.paper.pca-0.5" in units
    assert len(set(units)) == 4
    assert all(re.fullmatch(r"[a-z0-9-]+[.][a-z0-9-]+[.][a-z0-9.-]+", unit) for unit in units)


@pytest.mark.filterwarnings("ignore::mlreduce.evaluation.failures.FailedCellWarning")
def test_a_method_that_fails_is_a_gap_with_a_reason(tmp_path):
    methods = {"paper": {"pca": {}, "worse": {"method": "pca", "n_components": 0}}}
    gathering = chain(tmp_path / "run", "features", PARTITIONS[0], methods=methods)
    summary, failures = gathering.table("summary"), gathering.table("failures")
    assert set(failures["method"]) == {"worse"}
    assert failures["message"].str.contains("n_components").all()
    assert summary.loc[summary["method"] == "worse", "mean"].isna().all()
    assert summary.loc[summary["method"] == "pca", "mean"].notna().all()
    times = gathering.table("times").set_index("method")["seconds"]
    assert times["pca"] > 0
    assert np.isnan(times["worse"])


def test_what_is_chosen_in_no_family_is_refused(tmp_path):
    chain(tmp_path / "run", "selectors", PARTITIONS[0])
    data = MultiLabelData.load(tmp_path / "run" / "tiny.npz")
    task = {"protocol": "p", "group": "own", "rule": {"folds": 3}, "splits": [0, 0], "methods": {"spec": {}}}
    settings = {"family": "selection", "space": {"scaling": "none"}, "tasks": [task]}
    with pytest.raises(Exception, match="own: nothing is chosen for methods of this family"):
        Experiment("s", data, settings, 1).choose()


IMAGES = pd.DataFrame({"dataset": "d", "method": ["a", "b"], "row": 0, "column": 0, "value": [1.0, 2.0]})


def test_proximities_carry_the_scores_of_what_is_asked_for(tmp_path):
    write_table(tmp_path / "images.parquet", IMAGES)
    gathering = Gathering({"images": [tmp_path / "images.parquet"]}, {}, image={"predictor": "ridge"})
    cells = {"dataset": "d", "method": ["a", "a", "a"], "predictor": ["ridge", "ridge", "other"]}
    shown = {"protocol": "p", "measure": "m", "size_percent": [0, 50, 0], "energy": 0.0, "size": 9}
    shown["mean"] = [0.5, 0.6, 0.7]
    gathering._tables["summary"] = pd.DataFrame(cells | shown)
    assert gathering.table("proximities")["score"].fillna(-1).tolist() == [0.5, -1]
