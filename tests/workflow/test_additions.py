"""One addition of each kind, made in a clone by the words of CONTRIBUTING, and what the project's tests say of it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from additions import add_everything
from project import clone_project

#: What CONTRIBUTING lets an author run.
COMMANDS = (
    "mlreduce info my-data",
    "python -m mlreduce_studies.enter --check",
    "python docs/update_results.py",
    "snakemake -n",
)
#: Tests that look at all papers, methods, measures, tables and figures, and of these the ones of what is added.
TESTS = (
    *("tests/claims/test_frozen.py", "tests/claims/test_amendment.py", "tests/claims/test_named_proofs.py"),
    *("tests/studies/verdicts/test_studies.py", "tests/unit/test_readme.py", "tests/unit/test_method_pages.py"),
    *("tests/planning/test_plan.py", "tests/unit/test_configuration.py", "tests/metrics"),
    *("tests/studies/test_every_kind_and_failed_cells.py", "tests/studies/test_figures.py"),
    *("tests/test_definitions.py", "tests/studies/site/test_front_page.py", "tests/studies/test_leaderboard.py"),
    "tests/methods/test_facts.py",
)
CHOSEN = (
    *("test_frozen", "test_amendment", "test_named_proofs", "test_readme", "claims_can", "claims_are", "headline"),
    *("mine", "my-", "doe-", "tables_have", "table_of_unknown", "its_facts", "which_studies", "folders_are"),
    *("decision", "shipped", "prevalence", "means", "bars", "kind_is_drawn"),
)


def run(command, folder):
    """Run a command as in a terminal in the folder, where the environment is activated."""
    inherited = {
        key: value for key, value in os.environ.items() if not key.startswith(("COV_", "MLREDUCE_", "SNAKEMAKE_"))
    }
    places = {"PATH": f"{sys.prefix}/bin:{os.environ['PATH']}", "PYTHONPATH": str(folder / "src")}
    done = subprocess.run(
        ["bash", "-ec", command], cwd=folder, env=inherited | places, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-9000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.promise
def test_each_kind_of_addition_passes_the_tests_of_a_clone(tmp_path):
    """Two papers, one without claims; a table, a figure and a measure in it; a method of each family; and the rest."""
    clone = clone_project(tmp_path / "mlreduce")
    methods = add_everything(clone)
    outputs = [run(command, clone) for command in COMMANDS]
    assert "instances" in outputs[0]
    for name in ("mine-2020", "doe-2021"):
        assert f"](papers/{name}/README.md)" in (clone / "README.md").read_text()
        assert "not run yet" in (clone / "papers" / name / "README.md").read_text().lower()
    run("snakemake doe_tables doe_figures --cores 1", clone)
    assert "| my-projection |" in (clone / "results/demo/doe-2021/table2.md").read_text()
    assert (clone / "results/demo/doe-2021/figure1.svg").is_file()
    run("python docs/update_frozen.py mine-2020", clone)
    changed = run("git status --porcelain papers", clone).split()
    assert changed == ["??", "papers/doe-2021/", "??", "papers/mine-2020/"], "its freeze is in its folder"
    # Those tests of files of the leaderboard have an entry of the name that a method has here.
    chosen = f"({' or '.join(CHOSEN)}) and not (test_leaderboard and mine)"
    tested = run(f"pytest -q -rA -m 'not slow' -p no:cacheprovider {' '.join(TESTS)} -k '{chosen}'", clone)
    papers = "claims_are_not_run_and_say_so[mine-2020]", "doe-2021"
    for name in (*methods, *papers, "micro-prevalence", "[bars", "[means", "my-pca"):
        assert name in tested, name
