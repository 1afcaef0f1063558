"""Disks that fill up, and files that are never half there."""

from __future__ import annotations

import resource
import shutil
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pyarrow.lib
import pytest

from mlreduce.datasets.files import replacing
from mlreduce.exceptions import StorageError
from mlreduce.experiments.fitted_arrays import save_arrays
from mlreduce.reporting.summary import write_csv

NOISE = np.random.default_rng(0).random((200, 200))
TABLE = pd.DataFrame(NOISE, columns=[f"c{column}" for column in range(200)])


def write_compressed(path):
    with path.open("wb") as file:
        np.savez_compressed(file, X=NOISE)


WRITERS = {
    "parquet": lambda path: TABLE.to_parquet(path, index=False),
    "csv": lambda path: write_csv(TABLE, path),
    "npz": write_compressed,
    "stored.npz": lambda path: save_arrays(path, [(("0", "plst"), {"X_": NOISE})]),
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


def test_read_errors_are_not_attributed_to_the_written_file(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "f.txt") as partial:
        shutil.copyfile(tmp_path / "absent", partial)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_run_on_a_full_disk_stops_and_is_resumed(project, undisturbed, small_disk):
    """First the data folder does not fit, then the scores do not, then all does."""
    (project.folder / "results").symlink_to(small_disk.folder)
    said = []
    for size in ("40k", "400k"):
        small_disk.remount(f"size={size}")
        output = project.run("--config", *TINY, fails=True)
        said.append(output)
        assert not list(small_disk.folder.rglob(".partial*"))
    assert "mlreduce: results/data/planted.npz could not be written: No space left on device; make room" in said[0]
    small_disk.remount("size=64m")
    project.run("--config", *TINY)
    assert project.results() == undisturbed.results()


@pytest.mark.slow
def test_jobs_with_a_quota_stop_and_other_jobs_go_on(project, undisturbed):
    """As above where no disk can be mounted: the data set is too large, once the splits are drawn."""
    wanted = ("results/data/planted.design.npz", "results/demo/cplst-2012/splits/planted.npz", "--config", *TINY)
    station = "workflow/scripts/factorise.py"
    limit = "    import resource\n    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\n    data ="
    project.edit(station, "    data =", limit)
    output = project.run(*wanted, fails=True)
    assert "mlreduce: results/data/planted.design.npz could not be written: File too large; make room" in output
    assert "Traceback" not in output
    assert not (project.folder / wanted[0]).exists()
    assert (project.folder / wanted[1]).read_bytes() == (undisturbed.folder / wanted[1]).read_bytes()
    project.edit(station, limit, "    data =")
    project.run(*wanted)
    assert (project.folder / wanted[0]).read_bytes() == (undisturbed.folder / wanted[0]).read_bytes()
