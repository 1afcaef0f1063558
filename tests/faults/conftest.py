from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from project import SEPARATE, Project, shared


@pytest.fixture
def project(tmp_path):
    """The project, not run yet."""
    return Project(tmp_path)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """A run that nothing happened to: do not edit."""
    return shared(tmp_path_factory, "separate", SEPARATE)


@pytest.fixture
def apart(undisturbed, tmp_path):
    """A copy of that run, to break."""
    return undisturbed.copy(tmp_path / "apart")


class SmallDisk:
    """A disk of a few kilobytes that can be made larger or read-only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def mount(self, size: str, *options: str) -> bool:
        words = ["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}", *options]), "tmpfs", str(self.folder)]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0

    def remount(self, *options: str) -> None:
        subprocess.run(["mount", "-o", ",".join(["remount", *options]), str(self.folder)], check=True)


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of 64 kilobytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    disk = SmallDisk(folder)
    if shutil.which("mount") is None or os.geteuid() != 0 or not disk.mount("64k"):
        pytest.skip("needs to mount a disk of its own, which takes root's rights")
    yield disk
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
