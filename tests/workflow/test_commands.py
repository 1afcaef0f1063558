"""What may be typed: the documented commands, and what is mistyped."""

from __future__ import annotations

import shlex
import zipfile

import pytest
from project import PROJECT, SMALL


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["run_on=plantet"], "unknown data set 'plantet'; did you mean 'planted'"),
        (["split=3"], "unknown key 'split'; did you mean 'splits'"),
        (["studies=[cplst-2013]"], "cplst-2013.yaml: no such file"),
        (["datasets=none.yaml"], "none.yaml: no such file"),
        (["scale=papers"], "unknown value 'papers'; did you mean 'paper'"),
    ],
)
def test_wrong_configurations_end_in_one_sentence(project, options, sentence):
    output = project.run("-n", "--config", *options, fails=True)
    assert sentence in output
    assert "Traceback" not in output


def documented_commands():
    """Every snakemake command of the README and the guide, without its comment."""
    for page in ("README.md", "docs/guide.md"):
        for line in (PROJECT / page).read_text(encoding="utf-8").splitlines():
            if line.startswith("snakemake "):
                yield line.partition("#")[0].strip()


@pytest.mark.parametrize("command", sorted(set(documented_commands())))
def test_documented_commands_are_understood(finished, tmp_path, command):
    _, *arguments = shlex.split(command)
    if "--report" in arguments:
        finished.copy(tmp_path / "copy").run("--config", *SMALL, "--report", str(tmp_path / "report.zip"))
        with zipfile.ZipFile(tmp_path / "report.zip") as archive:
            assert any(name.endswith("report.html") for name in archive.namelist())
        return
    output = finished.run(*(word for word in arguments if word not in ("--cores", "all")), "-n")
    assert "--lint" in arguments or "Job stats" in output or "Nothing to be done" in output
