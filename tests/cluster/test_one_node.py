"""The cluster of one node leaves the machine as it was, however it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import one_node
import pytest
from one_node import CONFIGURATION, borrowed, left_of, wait_until

DYING = """
import os, signal, sys
sys.path.insert(0, {folder!r})
from one_node import OneNode
with OneNode() as node:
    print(node.folder, flush=True)
    node.ask("sbatch", "--output=/dev/null", "--wrap=sleep 300")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_in_a_place_comes_back(tmp_path):
    path = tmp_path / "slurm.conf"
    with borrowed(path, one_node.OURS):
        assert path.read_text() == one_node.OURS
    assert not path.exists()
    path.write_text("theirs")
    with pytest.raises(ZeroDivisionError), borrowed(path, one_node.OURS):
        assert 1 / 0
    assert path.read_text() == "theirs"
    # As after a run that was killed: ours in the place, theirs beside it.
    path.rename(tmp_path / "slurm.conf.before-mlreduce")
    path.write_text(one_node.OURS)
    with borrowed(path, one_node.OURS):
        pass
    assert [file.read_text() for file in tmp_path.iterdir()] == ["theirs"]


@pytest.mark.parametrize(
    ("user", "apt", "reason"),
    [
        (1000, None, "writing that takes root"),
        (0, None, "there is no apt-get"),
        (0, "echo E: no network >&2; exit 100", "apt-get update says 'E: no network'"),
    ],
)
def test_it_is_said_why_there_is_no_slurm(tmp_path, monkeypatch, user, apt, reason):
    if apt:
        (tmp_path / "apt-get").write_text(f"#!/bin/sh\n{apt}\n")
        (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setattr(one_node, "NO_SERVICES", tmp_path / "policy-rc.d")
    with pytest.raises(one_node.Unavailable, match=reason):
        one_node.install()
    assert not (tmp_path / "policy-rc.d").exists()


def test_whoever_has_it_may_be_killed(slurm):
    before = content(CONFIGURATION)
    code = DYING.format(folder=str(Path(one_node.__file__).parent))
    died = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False)
    assert died.returncode == -signal.SIGKILL
    folder = Path(died.stdout.strip())
    wait_until(lambda: not left_of(folder), "all have ended", seconds=30)
    wait_until(lambda: not folder.exists(), "the folder is gone")
    wait_until(lambda: content(CONFIGURATION) == before, "what was there is back")


def content(path: Path) -> str | None:
    return path.read_text() if path.exists() else None
