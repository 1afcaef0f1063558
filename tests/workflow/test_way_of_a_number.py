"""The way of a number through the code is short: which files of the project run for one cell of a table."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from project import PROJECT

# As sitecustomize.py: each process leaves the files of which functions ran, and those of which modules were loaded.
TRACER = """
import atexit, os, sys, threading

codes, folder = set(), os.environ["TRACED"]

def called(frame, event, argument):
    if event == "call":
        codes.add(frame.f_code)

def leave():
    sys.setprofile(None)
    # No bodies of modules and classes, nor comprehensions, which these may hold.
    left_out = {"<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
    ran = {code.co_filename for code in codes if code.co_flags & 1 and code.co_name not in left_out}
    loaded = {module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)}
    for kind, files in (("ran", ran), ("loaded", loaded)):
        with open(os.path.join(folder, f"{kind}-{os.getpid()}"), "w") as file:
            file.write("\\n".join(files))

atexit.register(leave)
threading.setprofile(called)
sys.setprofile(called)
"""


@pytest.mark.slow
def test_files_behind_a_cell_of_table_3(tmp_path):
    """Planning, the jobs and the table, for one method on an embedded data set; loading a class runs its decorators."""
    (tmp_path / "sitecustomize.py").write_text(TRACER)
    traced = tmp_path / "traced"
    traced.mkdir()
    settings = ["studies=cplst-2012", "methods=cplst", "run_on=digits-300", "splits=1", f"results={tmp_path}/results"]
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", "config/paper.yaml"]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [*command, "--config", *settings, "--", "cplst_table3"],
        **{"cwd": PROJECT, "capture_output": True, "text": True},
        env={**os.environ, "PYTHONPATH": path, "TRACED": str(traced)},
    )
    assert run.returncode == 0, run.stderr

    def files(kind, process="*"):
        names = {name for file in traced.glob(f"{kind}-{process}") for name in file.read_text().splitlines()}
        ours = {os.path.relpath(os.path.realpath(name), PROJECT) for name in names}
        return sorted(name for name in ours if name.startswith(("src/", "workflow/")))

    ran = files("ran")
    named = ("mlreduce/labelspace/cplst.py", "mlreduce_studies/tables/sizes.py", "mlreduce_studies/planning/plan.py")
    assert {f"src/{name}" for name in named} <= {*ran}
    assert len(ran) <= 60, ran
    page = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert f"functions of {len(ran)} files run" in page, ran
    # The plan loads the methods that the study names too, so that a wrong name is refused before anything is run.
    processes = [file.name.removeprefix("loaded-") for file in traced.glob("loaded-*")]
    planner, largest_job, *_ = sorted((files("loaded", process) for process in processes), key=len, reverse=True)
    assert len(largest_job) <= 60, largest_job
    assert len(planner) <= 125, planner
