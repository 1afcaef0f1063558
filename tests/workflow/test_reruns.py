"""What a change makes anew, and what it leaves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from project import SMALL, TINY

STUDY = "results/demo/cplst-2012"


def jobs(output):
    """How many jobs of each rule would run, by the table of a dry run."""
    lines = output.splitlines()
    if any("Nothing to be done" in line for line in lines):
        return {}
    start = next(i for i, line in enumerate(lines) if line.startswith("job "))
    stop = next(i for i, line in enumerate(lines) if line.startswith("total "))
    return {rule: int(count) for rule, count in (line.split() for line in lines[start + 2 : stop])}


def test_a_project_that_is_copied_takes_its_results_along(done):
    assert jobs(done.run("--config", *TINY, "-n")) == {}


def test_a_changed_module_reruns_what_depends_on_it_and_nothing_else(done):
    done.edit("src/mlreduce/reporting/figures/layout.py", "markersize=4", "markersize=5")
    assert jobs(done.run("--config", *TINY, "-n")).keys() == {"figure", "manifest", "page", "all"}
    done.edit("src/mlreduce/labelspace/br.py", "reduces = False", "reduces = False\n    changed = True")
    planned = jobs(done.run("--config", *TINY, "-n"))
    after = {"gather", "details", "failures", "summarise", "table", "figure", "audit", "manifest", "page", "all"}
    assert planned.keys() == {"reduce_labels", "predict_labels", *after}
    assert planned["reduce_labels"] == planned["predict_labels"] == 2  # of its own group
    done.run("--config", *TINY)
    assert jobs(done.run("--config", *TINY, "-n")) == {}


def test_one_table_trains_its_own_predictor_and_no_other(project):
    output = project.run("cplst_table3", "--config", *SMALL, "-n")
    assert "linear-codes" in output
    assert "tree-codes" not in output
    assert "kernel-codes" not in output


def test_a_change_of_the_candidates_makes_new_choices_and_nothing_that_needs_none(done):
    wanted = (f"{STUDY}/choices.csv", f"{STUDY}/summary.csv", "--config", *TINY)
    choices, summary = (done.folder / name for name in wanted[:2])

    def choose(**settings):
        done.change("cplst-2012", lambda study: study["groups"]["kernel-codes"]["choose"].update(settings))
        return done.run(*wanted)

    output = choose(log2_gamma={"default": [-9, -8]})
    for part in ("choices", "reduced"):
        assert f"output: {STUDY}/{part}/as-printed/planted/kernel-codes/001-001" in output
        assert f"output: {STUDY}/{part}/as-printed/planted/linear-codes" not in output
    assert set(pd.read_csv(choices).gamma) <= {2.0**-9, 2.0**-8}
    choose(once=["planted"])
    assert set(pd.read_csv(choices)["split"]) == {0}
    assert set(pd.read_csv(summary).groupby("predictor")["splits"].max()) == {2}


def test_a_method_of_ones_own_is_one_file_and_one_line(done):
    (done.folder / "src" / "mlreduce" / "labelspace" / "mine.py").write_text(
        '"""Mine."""\n\nfrom mlreduce.labelspace.plst import PLST\nfrom mlreduce.registry import register\n\n\n'
        '@register("mine")\nclass Mine(PLST):\n    """Of my own."""\n'
    )

    def add(study):
        study["methods"]["own"] = {"mine": {}}
        study["tables"]["table3"]["methods"] = ["plst", "mine"]

    done.change("cplst-2012", add)
    output = done.run("cplst_table3", "--config", *TINY)
    assert "mine" in (done.folder / STUDY / "table3.md").read_text()
    assert f"output: {STUDY}/reduced/as-printed/planted/own" in output
    assert f"output: {STUDY}/reduced/as-printed/planted/linear-codes" not in output  # nothing else is computed again
    table = pd.read_csv(done.folder / STUDY / "table3.csv")
    means = table.pivot_table(index=["protocol", "size"], columns="method", values="mean")
    np.testing.assert_array_equal(means["mine"], means["plst"])
