"""Disks that fill up, and files that are never half there."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pyarrow.lib
import pytest
from planted_run import DATASETS, planted_run

from mlreduce.evaluation.fitted_arrays import saved_arrays
from mlreduce.exceptions import StorageError
from mlreduce.files import replacing
from mlreduce_studies.gathering.summary import write_csv
from mlreduce_studies.runs import read_run
from mlreduce_studies.site.writing import write_site

NOISE = np.random.default_rng(0).random((200, 200))
TABLE = pd.DataFrame(NOISE, columns=[f"c{column}" for column in range(200)])


def write_compressed(path):
    with path.open("wb") as file:
        np.savez_compressed(file, X=NOISE)


def write_arrays(path):
    with saved_arrays(path) as keep:
        keep(("0", "plst"), {"X_": NOISE})


WRITERS = {
    "parquet": lambda path: TABLE.to_parquet(path, index=False),
    "csv": lambda path: write_csv(TABLE, path),
    "npz": write_compressed,
    "stored.npz": write_arrays,
    "md": lambda path: path.write_text("x" * 200_000),
    "raw": lambda path: shutil.copyfile(pyarrow.lib.__file__, path),
}


@contextmanager
def largest_file(size):
    """Let this process write no file beyond a size, as a quota would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def rewrite(folder, kind):
    """Write a large file where a small one of the same name is."""
    path = folder / f"f.{kind}"
    path.write_text("small")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(StorageError) as caught, replacing(path) as partial:
        WRITERS[kind](partial)
    assert str(caught.value).startswith(f"{path} could not be written: ")
    assert str(caught.value).endswith("; make room and run again")
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize("kind", WRITERS)
def test_a_full_disk_keeps_the_old_file_and_names_it(small_disk, kind):
    rewrite(small_disk.folder, kind)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_size_limit_keeps_the_old_file_and_names_it(tmp_path, kind):
    with largest_file(20_000):
        rewrite(tmp_path, kind)


def write_text(path, meanwhile=lambda: None):
    with replacing(path) as partial:
        partial.write_text("x")
        meanwhile()


def test_a_read_only_folder_is_named(small_disk):
    small_disk.remount("ro")
    with pytest.raises(StorageError, match=r"f\.txt could not be written: Read-only file system$"):
        write_text(small_disk.folder / "f.txt")


def test_a_folder_that_vanishes_is_named(tmp_path):
    path = tmp_path / "gone" / "f.txt"
    with pytest.raises(StorageError, match=r"f\.txt could not be written: No such file"):
        write_text(path, meanwhile=lambda: shutil.rmtree(path.parent))


def test_a_killed_writer_leaves_the_old_file(tmp_path):
    path = tmp_path / "f.txt"
    path.write_text("old")
    program = (
        "import os; from mlreduce.files import replacing\n"
        f"with replacing({str(path)!r}) as partial: partial.write_text('new'); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert [file.name.startswith(".partial-") for file in tmp_path.iterdir() if file != path] == [True]


def test_read_errors_are_not_attributed_to_the_written_file(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "f.txt") as partial:
        shutil.copyfile(tmp_path / "absent", partial)
    assert list(tmp_path.iterdir()) == []


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def two_runs(tmp_path):
    return [
        read_run(planted_run(tmp_path / name / "run", DATASETS, better=better)) for name, better in (("a", 0), ("b", 1))
    ]


@pytest.mark.slow
def test_a_full_disk_at_any_moment_keeps_the_old_site_and_names_a_file(small_disk, two_runs):
    """Twenty moments: so much room is there that a smaller or larger part of the new site fits."""
    first, second = two_runs
    site = small_disk.folder / "site"
    small_disk.remount("size=64m")
    write_site(first, site)
    (site / "mine.txt").write_text("mine")
    old = files_of(site)
    used = shutil.disk_usage(small_disk.folder).used
    for moment in range(20):
        small_disk.remount(f"size={used + (moment * used // 22) // 4096 * 4096}")
        with pytest.raises(
            StorageError, match=r"disk/site/.+ could not be written: No space .*; make room and run again"
        ):
            write_site(second, site)
        assert files_of(site) == old
        assert [path.name for path in small_disk.folder.iterdir()] == ["site"]
    small_disk.remount("size=64m")
    write_site(second, site)
    assert files_of(site).keys() == old.keys()
    assert files_of(site) != old


@pytest.mark.slow
def test_a_killed_writer_keeps_the_old_site(tmp_path, two_runs):
    first, second = two_runs
    site = tmp_path / "site"
    write_site(second, site)
    new = files_of(site)
    started = time.monotonic()
    write_site(first, site)
    lasting = time.monotonic() - started
    old, moments = files_of(site), random.Random(0)
    for _ in range(20):
        child = os.fork()
        if child == 0:
            write_site(second, site)
            os._exit(0)
        time.sleep(moments.uniform(0, 1.1 * lasting))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found = files_of(site)
        assert found in (old, new)
        if found == new:
            write_site(first, site)
