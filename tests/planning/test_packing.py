"""Tasks of a study in jobs of a cluster: how many, and that none waits for a later one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from mlreduce.configuration import read_yaml
from mlreduce_studies.planning.jobs import Jobs
from mlreduce_studies.planning.packing import PACKS, Packing
from mlreduce_studies.planning.plan import make_plan

PROJECT = Path(__file__).parents[2]
CUT = {"groups": {}, "batches": {"splits_per_job": 2}, "bundles": {"bundle": True}, "fits": {"job_per_fit": True}}


def planned(folder, **changed):
    config = read_yaml(PROJECT / "config" / "config.yaml") | read_yaml(PROJECT / "config" / "paper.yaml")
    profile = yaml.safe_load((PROJECT / "workflow" / "profiles" / "slurm" / "config.yaml").read_text())["config"]
    config |= {key: yaml.safe_load(value) for key, value in (line.split("=") for line in profile)}
    return make_plan(config | {"results": str(folder)} | changed, PROJECT)


def submissions(plan):
    """Packs, and the jobs that are in none."""
    jobs, studies = Jobs(plan), plan.studies.values()
    alone = 2 * len({name for study in studies for name in study.datasets})  # prepare and factorise, at most
    alone += sum(len(study.datasets) for study in studies if study.approximation or "images" in str(study.figures))
    alone += sum(len(study.costed) for study in studies)
    return len(set(Packing(plan, jobs).packs.values())) + alone


def test_all_papers_are_at_most_two_hundred_submissions(tmp_path):
    plan = planned(tmp_path)
    assert len(Packing(plan, Jobs(plan)).packs) > 1900
    assert submissions(plan) <= 200


@pytest.mark.parametrize("cut", CUT)
@pytest.mark.rotating
def test_each_task_is_in_a_pack_of_its_data_set_and_of_none_that_waits_for_a_later_one(tmp_path, cut):
    plan = planned(tmp_path, **CUT[cut], studies=["cplst-2012", "mope-mesd-2012"])
    jobs = Jobs(plan)
    packs = Packing(plan, jobs).packs
    files = {kind: set() for kind in ("choose", "fit", "predict", "time")}
    number = {}
    for (rule, study, dataset, unit, predictor, batch, group), pack in packs.items():
        assert re.fullmatch(f"(timed-)?{re.escape(dataset)}-[0-9]+", pack)
        folder = {"choose": "choices", "fit": "details", "predict": "scores", "time": "times"}[rule]
        parts = filter(None, (jobs.folder(study), folder, dataset, unit, predictor, batch, group))
        file = "/".join(parts) + ".parquet"
        files[rule].add(file)
        number[file] = int(pack.rpartition("-")[2])
    studies = plan.studies.values()
    assert files["choose"] == {file for study in studies for file in jobs.parts(study, "choices")}
    assert files["fit"] == {file for study in studies for file in jobs.parts(study, "details")}
    assert files["predict"] == {file for study in studies for file in jobs.scores(study)}
    assert files["time"] == {file for study in studies for file in jobs.timed(study)}
    for rule, study, dataset, unit, predictor, batch, _ in packs:
        if rule in ("fit", "predict"):
            before = jobs.choices(plan.studies[study], dataset, unit, batch)
            fitted = f"{jobs.folder(study)}/details/{dataset}/{unit}/{batch}.parquet"
            mine = number[
                fitted if rule == "fit" else f"{jobs.folder(study)}/scores/{dataset}/{unit}/{predictor}/{batch}.parquet"
            ]
            assert all(number[file] <= mine for file in (*before, fitted))


def test_larger_packs_are_fewer_and_none_is_without_minutes(tmp_path):
    few = planned(tmp_path, studies=["mvmd-2016"], minutes_per_job=240)
    many = planned(tmp_path, studies=["mvmd-2016"], minutes_per_job=1)
    assert submissions(few) < submissions(many)
    none = planned(tmp_path, minutes_per_job=0)
    assert Packing(none, Jobs(none)).pack_of("fit", {}) is None
    assert Packing(few, Jobs(few), remote=True).pack_of("fit", {}) == PACKS
