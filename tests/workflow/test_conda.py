"""`--sdm conda` by a stand-in for conda, which makes bare environments: jobs must find the library by themselves."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig

import pytest
from project import BUNDLED, STUDY

pytestmark = pytest.mark.slow

CONDA = """#!{python}
# As much of conda as Snakemake asks for. An environment is a Python without packages.
import json, re, sys, venv
words = " ".join(sys.argv[1:])
if words == "info --json":
    print(json.dumps({{"conda_prefix": {prefix!r}, "platform": "linux-64"}}))
elif words == "--version":
    print("conda 24.7.1")
elif words.startswith("config --get channel_priority"):
    print(json.dumps({{"get": {{"channel_priority": "strict"}}}}))
elif words.startswith("env create"):
    venv.create(sys.argv[sys.argv.index("--prefix") + 1], symlinks=True)
elif not words.startswith("clean"):
    sys.exit(f"not a command of this conda: {{words}}")
"""

ACTIVATE = """#!/bin/bash
export PATH="$1/bin:$PATH"
"""

# A Snakemake that has all packages on its path, but the library by an import hook, as many editable installs are:
# jobs are given its path, and would find on it what the environment lacks.
SNAKEMAKE = """
import importlib.machinery, runpy, sys
sys.path += {packages!r}
class Library:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "mlreduce":
            return importlib.machinery.PathFinder.find_spec(name, [{source!r}])
sys.meta_path.insert(0, Library)
sys.argv[0] = "snakemake"
runpy.run_module("snakemake", run_name="__main__")
"""


def test_jobs_in_environments_of_conda_find_the_library(project, tmp_path_factory):
    prefix = tmp_path_factory.mktemp("conda")
    for name, text in (("conda", CONDA.format(python=sys.executable, prefix=str(prefix))), ("activate", ACTIVATE)):
        path = prefix / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    # Plugins are found on the path alone.
    plugin = "snakemake_logger_plugin_mlreduce"
    (prefix / "plugins").mkdir()
    (prefix / "plugins" / plugin).symlink_to(project.folder / "src" / plugin)
    packages = [*sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}), str(prefix / "plugins")]
    main = SNAKEMAKE.format(packages=packages, source=str(project.folder / "src"))
    environment = project.environment()
    del environment["PYTHONPATH"]
    environment["PATH"] = f"{prefix / 'bin'}{os.pathsep}{environment['PATH']}"
    target = f"{STUDY}/table-loss.md"
    done = subprocess.run(
        # -S: what is installed as editable here must not be on the path.
        [sys.executable, "-S", "-c", main, target, "--sdm", "conda", *BUNDLED, "methods=pca,mddmp", "name=demo"],
        cwd=project.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "mddmp" in (project.folder / target).read_text()
    made = [path.name for path in (project.folder / ".snakemake" / "conda").glob("*/pyvenv.cfg")]
    assert len(made) == 3  # for data, computation and reports
