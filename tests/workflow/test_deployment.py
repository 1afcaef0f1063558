"""The workflow as a module of another project: from a local folder, from a Git host, and as snakedeploy writes it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from project import Project

ADDRESS, TAG = "https://github.com/owner/mlreduce", "v0.1.0"

# What `snakedeploy deploy-workflow https://github.com/owner/mlreduce . --tag v0.1.0` (0.17) writes, but for the folders
# config and profiles, which it copies.
SNAKEFILE = """
from snakemake.utils import min_version


min_version("6.10.0")


configfile: "config/config.yaml"


# declare https://github.com/owner/mlreduce as a module
module mlreduce:
    snakefile:
        {}
    config:
        config


# use all rules from https://github.com/owner/mlreduce
use rule * from mlreduce
"""


class Deployed(Project):
    """A folder with nothing but configuration and a module, and with a Git host that is a folder of this machine."""

    def environment(self) -> dict[str, str]:
        host = {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{self.folder.parent / 'host.git'}.insteadOf",
            "GIT_CONFIG_VALUE_0": ADDRESS,
            "XDG_CACHE_HOME": str(self.folder.parent / "caches"),
        }
        return super().environment() | {"PYTHONPATH": str(self.folder.parent / "project" / "src")} | host


def publish(project: Project, host: Path) -> None:
    """Put the files of a project, under a tag, into a bare repository."""
    author = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    for words in (
        ("init", "--quiet"),
        ("add", "--all", "--force", ":!*__pycache__*"),
        (*author, "commit", "--quiet", "--message", "All"),
        ("tag", TAG),
        ("clone", "--quiet", "--bare", ".", str(host)),
    ):
        subprocess.run(["git", *words], cwd=project.folder, check=True)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The project in a folder, and under a tag at a Git host: do not edit."""
    folder = tmp_path_factory.mktemp("source")
    (folder / "project").mkdir()
    project = Project(folder / "project")
    publish(project, folder / "host.git")
    return project


KINDS = {
    "local": ("Snakefile", '"{folder}/Snakefile"'),
    "local, workflow/Snakefile": ("Snakefile", '"{folder}/workflow/Snakefile"'),
    "Git host": ("Snakefile", f'github("owner/mlreduce", path="workflow/Snakefile", tag="{TAG}")'),
    "snakedeploy": ("workflow/Snakefile", f'github("owner/mlreduce", path="workflow/Snakefile", tag="{TAG}")'),
}


@pytest.fixture
def deployed(source, request):
    """Deploy the project into a folder of its own."""
    place, module = KINDS[request.param]
    folder = source.folder.parent / f"{request.param}-{request.node.originalname}"
    (folder / place).parent.mkdir(parents=True)
    (folder / place).write_text(SNAKEFILE.format(module.format(folder=source.folder)))
    shutil.copytree(source.folder / "config", folder / "config")
    if request.param == "snakedeploy":
        shutil.copytree(source.folder / "profiles", folder / "profiles")
    return Deployed.found(folder)


@pytest.mark.slow
@pytest.mark.parametrize("deployed", ["Git host"], indirect=True)
def test_a_module_from_a_git_host_is_planned(deployed):
    said = deployed.run("-n", "--cores", "1", "--quiet", "rules", "--config", "studies=mvmd-2016")
    assert "predict" in said
    assert not (deployed.folder / "results").exists()


@pytest.mark.slow
@pytest.mark.promise
@pytest.mark.parametrize("deployed", KINDS, indirect=True)
def test_a_deployed_workflow_runs_the_demo(deployed):
    deployed.run("--cores", "all", "--config", "studies=mvmd-2016")
    base = deployed.path("results/demo")
    assert (base / "site" / "index.html").is_file()
    assert pd.read_csv(base / "mvmd-2016" / "summary.csv")["mean"].notna().all()
    assert deployed.plan("--cores", "all", "--logger", "mlreduce", "--config", "studies=mvmd-2016") == {}


@pytest.mark.slow
@pytest.mark.parametrize("deployed", ["local"], indirect=True)
def test_modules_of_a_project_may_have_any_name(deployed):
    """A project's own jobs.py, plan.py and outputs.py are not those of the workflow."""
    for name in ("jobs", "plan", "outputs", "needs", "retries", "description"):
        deployed.path(f"{name}.py").write_text(f"NAME = {name!r}\n")
    text = deployed.path("Snakefile").read_text()
    deployed.path("Snakefile").write_text(f"{text}\nimport jobs, plan\nassert jobs.NAME + plan.NAME == 'jobsplan'\n")
    assert "predict" in deployed.run("-n", "--cores", "1", "--quiet", "rules", "--config", "studies=mvmd-2016")
