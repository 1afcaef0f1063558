from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


class Project:
    """A copy of the project in a folder of its own, whose files can be edited and whose runs disturb nobody."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("Snakefile", "config", "workflow", "src", "envs", "profiles"):
            source = PROJECT / name
            if source.is_symlink():
                (folder / name).symlink_to(source.readlink())
            elif source.is_dir():
                ignore = shutil.ignore_patterns("*.pyc")  # compiled loops are kept: they take seconds to compile
                shutil.copytree(source, folder / name, symlinks=True, ignore=ignore)
            else:
                shutil.copy(source, folder / name)

    def command(self, *arguments: str, cores: int = 2) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", str(cores), *arguments]

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("MLREDUCE_", "COV_", "SNAKEMAKE_"))}
        return kept | {"PYTHONPATH": str(self.folder / "src"), "MLREDUCE_CACHE": str(self.folder / "cache")}

    def run(self, *arguments: str, cores: int = 2, fails: bool = False) -> str:
        done = subprocess.run(
            self.command(*arguments, cores=cores),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        output = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, output
        return output

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def results(self, study: str = "cplst-2012") -> dict[str, bytes]:
        """The bytes of every score file, table, figure and audit; not of what holds a time or a machine."""
        base = self.folder / "results" / "demo" / study
        timed = ("times", "costs")
        files = [path for path in base.iterdir() if path.is_file() and not any(name in path.name for name in timed)]
        return {path.name: path.read_bytes() for path in files if path.suffix != ".json"}


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """One run on the planted data, to compare with: do not edit."""
    project = Project(tmp_path_factory.mktemp("finished"))
    project.log = project.run("--config", *SMALL)
    return project


@pytest.fixture(scope="session")
def finished_features(tmp_path_factory):
    """One run of the feature-space study, to compare with: do not edit."""
    project = Project(tmp_path_factory.mktemp("features"))
    project.run("--config", *FEATURES)
    return project


@pytest.fixture(scope="session")
def finished_selection(tmp_path_factory):
    """One run of the feature-selection study, to compare with: do not edit."""
    project = Project(tmp_path_factory.mktemp("selection"))
    project.run("--config", *SELECTION)
    return project


SMALL = ("run_on=planted", "splits=6", "studies=[cplst-2012]")
FEATURES = ("run_on=planted", "splits=3", "studies=[mvmd-2016]")
SELECTION = ("run_on=planted", "splits=3", "studies=[gmba-2016]")
