"""The project in a folder of its own, to run, to edit and to break."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from mlreduce.datasets.files import locked
from mlreduce.provenance.manifest import read_manifest, same_results

PROJECT = Path(__file__).parents[1]

# Studies at a size that takes seconds.
SMALL = ("run_on=planted", "splits=6", "studies=[cplst-2012]")
FEATURES = ("run_on=planted", "splits=3", "studies=[mvmd-2016]")
SELECTION = ("run_on=planted", "splits=3", "studies=[gmba-2016]")
TINY = ("run_on=planted", "splits=2", "splits_per_job=1", "studies=[cplst-2012]")


def submitted_rules() -> dict[str, str]:
    """The rules whose jobs go to a cluster, and their text."""
    found = {}
    for path in (PROJECT / "workflow" / "rules").glob("*.smk"):
        text = path.read_text()
        local = set(re.findall(r"^    (\w+),$", text.partition("localrules:\n")[2].partition("\n\n")[0], re.MULTILINE))
        named = {rule.partition(":")[0]: rule for rule in re.split(r"^rule ", text, flags=re.MULTILINE)[1:]}
        found |= {name: rule for name, rule in named.items() if name not in local}
    return found


class Project:
    """A copy of the project in a folder of its own, whose files can be edited and whose runs disturb nobody."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[str]] = []
        for name in ("Snakefile", "config", "workflow", "src", "envs", "profiles", "LICENSE", "CITATION.cff"):
            source = PROJECT / name
            if source.is_symlink():
                (folder / name).symlink_to(source.readlink())
            elif source.is_dir():
                shutil.copytree(source, folder / name, symlinks=True)  # with what is compiled: that takes seconds
            else:
                shutil.copy(source, folder / name)

    @classmethod
    def found(cls, folder: Path) -> Project:
        """Return the project that is in a folder."""
        project = object.__new__(cls)
        project.folder, project._started = folder, []
        return project

    def copy(self, folder: Path) -> Project:
        """Return this project with its results in another folder."""
        return self.found(shutil.copytree(self.folder, folder, symlinks=True))

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

    def start(self, *arguments: str, output: int = subprocess.PIPE) -> subprocess.Popen[str]:
        """Start a run, in a session of its own; what it says goes to its `stdout`."""
        run = subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(),
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._started.append(run)
        return run

    def stop(self) -> None:
        """End whatever was started and is still at work."""
        self.go_on()
        for run in self._started:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()
            if run.stdout:
                run.stdout.close()

    def hold(self, station: str) -> None:
        """Let the jobs of a station wait, before they work, until they may `go_on`."""
        begin = "with station(snakemake):\n"
        wait = (
            "    import time\n    from pathlib import Path\n    Path('held').touch()\n"
            "    while not Path('go').exists():\n        time.sleep(0.05)\n"
        )
        self.edit(f"workflow/scripts/{station}.py", begin, begin + wait)

    def wait_for_held(self, run: subprocess.Popen[str]) -> None:
        """Wait until a job of a run is held up."""
        while not (self.folder / "held").exists():
            assert run.poll() is None, run.communicate()[0]
            time.sleep(0.05)

    def go_on(self) -> None:
        (self.folder / "go").touch()

    def forget(self) -> None:
        """Remove all results, and all that is known of how they were made."""
        shutil.rmtree(self.folder / "results")
        shutil.rmtree(self.folder / ".snakemake")

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def results(self, study: str = "cplst-2012") -> dict[str, bytes]:
        """The bytes of every score file, table, figure and audit; not of what holds a time or a machine."""
        base = self.folder / "results" / "demo" / study
        timed = read_manifest(base)["run"]["outputs"]
        files = [path for path in base.glob("[!.]*") if path.is_file() and path.name not in timed]
        return {path.name: path.read_bytes() for path in files if path.suffix != ".json"}

    def same_results(self, study: str = "cplst-2012") -> str:
        """What a manifest says that must be the same in every run."""
        return json.dumps(same_results(read_manifest(self.folder / "results" / "demo" / study)))

    def change(self, study: str, edit: Callable[[dict[str, Any]], object]) -> None:
        """Edit the content of a study file."""
        content = self.study(study)
        edit(content)
        path = self.folder / "config" / "studies" / f"{study}.yaml"
        path.write_text(yaml.safe_dump(content, sort_keys=False))

    def shrink(self) -> None:
        """Leave of a study a method or two for each road through the workflow: `TINY` runs it in twenty jobs."""
        self.change("cplst-2012", _shrunken)

    def thin(self, study: str, *groups: str) -> None:
        """Take groups of methods out of a study, and of its tables and figures leave one of each kind.

        `make demo` makes them all.
        """

        def one_of_a_kind(content: dict[str, Any]) -> None:
            gone = {method for group in groups for method in content["methods"].pop(group)}
            for group in groups:
                content.get("groups", {}).pop(group, None)
            for part in ("tables", "figures"):
                kinds = {spec.get("kind"): name for name, spec in reversed(content[part].items())}
                content[part] = {name: content[part][name] for name in content[part] if name in kinds.values()}
                for spec in content[part].values():
                    families = spec.get("families", {})
                    for methods in (spec["methods"], *families.values()):
                        methods[:] = [method for method in methods if method not in gone]
                    for name in [name for name, methods in families.items() if not methods]:
                        del families[name]

        self.change(study, one_of_a_kind)

    def thin_projections(self) -> None:
        """Leave of the feature-space study what `FEATURES` runs."""
        self.thin("mvmd-2016", "further")

    def thin_selection(self) -> None:
        """Leave of the feature-selection study what `SELECTION` runs."""
        self.thin("gmba-2016", "published-code", "information")

    def study(self, name: str) -> dict[str, Any]:
        """The content of a study file."""
        content: dict[str, Any] = yaml.safe_load((self.folder / "config" / "studies" / f"{name}.yaml").read_text())
        return content


def _shrunken(study: dict[str, Any]) -> None:
    del study["protocols"]["as-stated"], study["predictors"]["m5p"], study["groups"]["tree-codes"]
    study["methods"] = {"linear-codes": {"br": {}, "plst": {}}, "kernel-codes": {"plst": {}}}
    study["tables"] = {name: study["tables"][name] | {"methods": ["plst"]} for name in ("table3", "table-choices")}
    study["figures"]["figure1"] |= {"methods": ["plst"], "labels": {"plst": "PLST"}}
    for scale in study["scales"].values():
        scale.pop("fewer_splits")


def shared(
    factory: pytest.TempPathFactory, name: str, options: tuple[str, ...], prepare: Callable[[Project], object]
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
            project.run("--config", *options)
            (folder / "made").touch()
    return Project.found(folder)
