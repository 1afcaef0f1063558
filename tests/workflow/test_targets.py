"""A target plans the jobs that it needs, and no others."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import pytest
from project import PROJECT

from mlreduce.configuration import read_yaml
from mlreduce_studies.planning.jobs import Jobs
from mlreduce_studies.planning.outputs import TIMED, Outputs
from mlreduce_studies.planning.plan import make_plan

PAPER = ("--configfile", "config/paper.yaml")


@pytest.fixture(scope="module")
def outputs():
    config = read_yaml(PROJECT / "config" / "config.yaml") | read_yaml(PROJECT / "config" / "paper.yaml")
    plan = make_plan(config, PROJECT)
    return plan, Outputs(plan, Jobs(plan))


def shown(plan, outputs):
    """Yield target, study and gathered table of every table and figure."""
    for study in plan.studies.values():
        for name, source in outputs.sources(study).items():
            yield f"{study.name.split('-')[0]}_{name.replace('-', '_')}", study, name, source


def jobs_behind(project, targets):
    """Return the number of planned jobs of each rule behind each target."""
    output = project.run("--d3dag", *targets, *PAPER)
    dag = json.loads(next(line for line in output.splitlines() if line.startswith('{"nodes"')))
    rules = {node["id"]: node["value"]["rule"] for node in dag["nodes"]}
    inputs = defaultdict(list)
    for edge in dag["edges"]:
        inputs[edge["v"]].append(edge["u"])
    found = {}
    for target in (job for job, rule in rules.items() if rule in targets):
        behind, pending = set(), [target]
        while pending:
            new = [job for job in inputs[pending.pop()] if job not in behind]
            behind.update(new)
            pending += new
        found[rules[target]] = Counter(rules[job].split("_")[0] for job in behind)
    return found


@pytest.mark.slow
@pytest.mark.promise
def test_a_table_or_figure_plans_its_own_jobs(project, outputs):
    plan, made = outputs
    sources = {target: source for target, *_, source in shown(plan, made)}
    behind = jobs_behind(project, [*sources])
    assert behind.keys() == sources.keys()
    sets = {study: len(own.datasets) for study, own in plan.studies.items()}
    qpfs, gmba = sets["qpfs-lowrank-2016"], sets["gmba-2016"]
    assert behind["qpfs_figure1"] == {"fetch": qpfs, "prepare": qpfs, "approximate": qpfs, "figures": 1}
    # Of one predictor, and of the groups with the methods that it shows.
    of_predictor = {"fetch": gmba, "prepare": gmba, "fit": 4 * gmba, "predict": 4 * gmba, "figures": 1}
    assert behind["gmba_figure5"] == of_predictor
    timing = {target for target, jobs in behind.items() if jobs["time"] + jobs["cost"]}
    assert timing == {target for target, source in sources.items() if source in TIMED}
    assert sum(jobs.total() for jobs in behind.values()) < 100 * len(behind)


def test_all_tables_and_figures_are_made_of_what_they_show(outputs):
    plan, made = outputs
    for study in plan.studies.values():
        for names in (study.tables, study.figures):
            together = made.made_together(study, names)
            assert sorted(name for _, sources in together for name in sources) == sorted(names)
            assert all(any(files.values()) for files, _ in together)


def test_what_is_left_out_or_not_in_a_panel_is_not_read(outputs):
    plan, _ = outputs
    study = plan.studies["gmba-2016"]
    asked = [name for name, _ in study.figures["figure4"]["panels"]]
    assert set(study.shown("figure4")["datasets"]) == set(asked) & set(study.datasets)
    assert study.shown("figure4")["predictors"] == ["br-knn", "cc-knn"]
    assert study.shown("figure5")["predictors"] == ["br-knn"]
    assert "all-features" in study.shown("figure5")["methods"]  # drawn as a line
    assert {"gmba", "gmba-0", "gmba-4"} <= set(study.shown("figure5")["methods"])
    assert "qpfs" not in study.shown("figure5")["methods"]  # it has a label alone
