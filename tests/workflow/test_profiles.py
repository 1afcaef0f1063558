"""What the profiles ask a cluster for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

PROFILES = Path(__file__).parents[2] / "workflow" / "profiles"


@pytest.mark.parametrize("profile", ["slurm", "generic"])
def test_profiles_name_no_site_and_cut_jobs_to_size(profile):
    settings = yaml.safe_load((PROFILES / profile / "config.yaml").read_text())
    assert not {"default-resources", "cluster-generic-submit-cmd", "cluster-generic-status-cmd"} & set(settings)
    assert settings["config"] == ["splits_per_job=25"]
    assert settings["set-threads"] == {"time": 1, "cost": 1}  # of all cores that a machine alone gives what is timed


def test_what_is_timed_has_a_node_of_slurm_to_itself():
    settings = yaml.safe_load((PROFILES / "slurm" / "config.yaml").read_text())
    assert settings["set-resources"] == {name: {"slurm_extra": "'--exclusive'"} for name in ("time", "cost")}


@pytest.fixture
def no_sleep(tmp_path_factory, monkeypatch):
    """What status.sh waits for is there at once, or never."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "sleep").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("no_sleep")
def test_status_of_jobs(tmp_path):
    status = PROFILES / "generic" / "status.sh"
    left = tmp_path / ".snakemake" / "cluster"
    left.mkdir(parents=True)

    def ask(known: str) -> str:
        command = ["sh", str(status), known, "7"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()

    assert ask("true") == "running"
    for code, said in ((0, "success"), (1, "failed"), (137, "failed")):
        (left / "7").write_text(f"{code}\n")
        assert ask("true") == said
    assert not (left / "7").exists()  # numbers come again
    assert ask("false") == "failed"
