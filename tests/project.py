"""The project in a folder of its own, to run, to edit and to break."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mlreduce.evaluation.seeds import derive_seed
from mlreduce.files import locked
from mlreduce_studies.provenance.digest import CODE

PROJECT = Path(__file__).parents[1]

# A study of seconds; in a job per step, or in a job per group and split.
BUNDLED = ("--config", "studies=small.yaml")
SEPARATE = (*BUNDLED, "bundle=false", "splits_per_job=1")
STUDY = "results/demo/small"

# Raises on the splits whose seeds a file names, or waits there; without the file it is PCA.
MINE = '''"""Mine."""

import time
from pathlib import Path

from mlreduce.projection.pca import PCA
from mlreduce.registry import register


@register("mine")
class Mine(PCA):
    """Of my own, and not always well."""

    def __init__(self, n_components=None, random_state=None):
        super().__init__(n_components)
        self.random_state = random_state

    def fit_training_set(self, data):
        marker = Path("marker")
        if marker.is_file() and str(self.random_state) in marker.read_text().split():
            raise RuntimeError("the marker\\nis there")
        while Path("wait").exists():
            Path("held").touch()
            time.sleep(0.1)
        return super().fit_training_set(data)
'''


# Of the year; the same in all processes of a run, also one that begins before midnight.
DAY = int(os.environ.setdefault("DAY_OF_TESTS", f"{datetime.now(UTC):%j}"))


def of_the_day(items: Sequence[Any], parts: int) -> list[Any]:
    """Return one of so many parts of what is tested, another on each day; with CASES=all everything."""
    return list(items if os.environ.get("CASES") == "all" else items[DAY % parts :: parts])


def find_mirror() -> Path | None:
    for candidate in (os.environ.get("MLREDUCE_MIRROR"), PROJECT.parent / "shared" / "mirror"):
        if candidate and Path(candidate).is_dir():
            return Path(candidate).resolve()
    return None


def clone_project(folder: Path) -> Path:
    """Make a clone of the project as it is edited here, and return its folder."""

    def git(*arguments: str, of: Path = folder) -> str:
        return subprocess.check_output(["git", *arguments], cwd=of, text=True)

    git("clone", "-q", "--no-checkout", str(PROJECT), str(folder), of=PROJECT)
    for name in git("ls-files", "-z", of=PROJECT).split("\0"):
        if os.path.lexists(PROJECT / name) and name:  # with its time, by which Snakemake goes
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, folder / name, follow_symlinks=False)
    # Make does not install again what is installed; before the index, or a reset would write the files anew.
    for name in ("pyproject.toml", "envs/requirements.lock", "envs/docs.lock"):
        os.utime(folder / name, (0, 0))
    git("add", "--all")
    git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "As edited")
    (folder / ".venv").symlink_to(sys.prefix)
    for compiled in (PROJECT / "src").rglob("__pycache__"):  # as after make install: that takes half a minute
        shutil.copytree(compiled, folder / compiled.relative_to(PROJECT))
    return folder


class Project:
    """A copy of the project in a folder of its own, whose files can be edited and whose runs disturb nobody."""

    command: tuple[str, ...] = (sys.executable, "-m", "snakemake")

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in (*CODE, "profiles", "LICENSE", "CITATION.cff"):
            source = PROJECT / name
            if source.is_dir() and not source.is_symlink():
                shutil.copytree(source, folder / name, symlinks=True)  # with what is compiled: that takes seconds
            else:
                shutil.copy(source, folder / name, follow_symlinks=False)
        shutil.copy(PROJECT / "tests" / "small.yaml", folder)
        (folder / "src" / "mlreduce" / "projection" / "mine.py").write_text(MINE)

    @classmethod
    def found(cls, folder: Path) -> Project:
        """Return the project that is in a folder."""
        project = object.__new__(cls)
        project.folder = folder
        return project

    def copy(self, folder: Path) -> Project:
        """Return this project with its results in another folder."""
        return self.found(Path(shutil.copytree(self.folder, folder, symlinks=True)))

    def path(self, name: str) -> Path:
        return self.folder / name

    def environment(self) -> dict[str, str]:
        """Return the environment of a run: as after ``pip install -e``, the library is that of the folder."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("MLREDUCE_", "COV_", "SNAKEMAKE_"))}
        return kept | {"PYTHONPATH": str(self.folder / "src"), "MLREDUCE_CACHE": str(self.folder / "cache")}

    def start(self, *arguments: str, folder: Path | None = None) -> subprocess.Popen[str]:
        """Start ``snakemake`` with these arguments and no others, in a session of its own."""
        return subprocess.Popen(
            [*self.command, *arguments],
            cwd=folder or self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, fails: bool = False, folder: Path | None = None) -> str:
        """Run it to its end and return what it prints."""
        process = self.start(*arguments, folder=folder)
        try:
            output, _ = process.communicate(timeout=600)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        assert (process.returncode != 0) == fails, output
        assert "Traceback" not in output, output
        return output

    def plan(self, *arguments: str) -> dict[str, int]:
        """Return how many jobs of each step would run."""
        output = self.run(*arguments, "-n")
        if "jobs  why" not in output:
            assert "Nothing to be done" in output, output
            return {}
        rows = [line.split() for line in output.partition("jobs  why\n")[2].splitlines()[:-1]]
        found: dict[str, int] = {}
        for step, _, number, *_ in rows:
            found[step] = found.get(step, 0) + int(number)
        return found

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.path(name).read_text()
        assert old in text
        self.path(name).write_text(text.replace(old, new))

    def start_and_hold(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a run and wait until its method is at work, where it stays until the file ``wait`` is gone."""
        self.path("wait").touch()
        run = self.start(*arguments)
        while not self.path("held").exists():
            assert run.poll() is None, run.communicate()
            time.sleep(0.1)
        return run

    def mark(self, *splits: int) -> None:
        """Let the method of one's own raise on some splits."""
        seeds = (str(derive_seed(2012, "planted-300", "mine", split)) for split in splits)
        self.path("marker").write_text(" ".join(seeds))

    def tree(self) -> dict[str, tuple[int, int]]:
        """Return size and date of all files but those of Snakemake and Python."""
        files = {
            path.relative_to(self.folder).as_posix(): path.stat() for path in self.folder.rglob("*") if path.is_file()
        }
        foreign = (".snakemake/", "__pycache__/")
        return {
            name: (own.st_size, own.st_mtime_ns)
            for name, own in files.items()
            if not any(word in name for word in foreign)
        }

    def results(self) -> dict[str, bytes]:
        """Return the bytes of all results of the study, except those that hold times or name the jobs."""
        files = [path for path in self.path(STUDY).iterdir() if path.is_file() and path.suffix != ".json"]
        timed = ("times", "table-times", "jobs")
        return {path.name: path.read_bytes() for path in files if path.stem not in timed}


def shared(
    factory: pytest.TempPathFactory,
    name: str,
    options: tuple[str, ...],
    prepare: Callable[[Project], None] = lambda project: None,
) -> Project:
    """Return a finished run that all processes of a test session share: who needs it first makes it."""
    session = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent
    folder = session / name
    with locked(session / f"{name}.lock"):
        if not (folder / "made").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            project = Project(folder)
            prepare(project)
            project.run(*options)
            (folder / "made").touch()
    return Project.found(folder)
