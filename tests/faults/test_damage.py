"""Files between the stations that are cut off, empty, or have a bit that flipped: never used."""

from __future__ import annotations

import os
import random
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from project import TINY

from mlreduce.datasets.files import check_files, checksum_path, replacing
from mlreduce.exceptions import DataError


def flip_a_bit(content, position):
    """Return bytes, one of whose bits is another; the position is one of all bits."""
    byte, bit = divmod(position, 8)
    return content[:byte] + bytes([content[byte] ^ 1 << bit]) + content[byte + 1 :]


def flipped(content):
    return flip_a_bit(content, random.Random(len(content)).randrange(8 * len(content)))


def cut_off(content):
    return content[: len(content) * 2 // 3]


def emptied(content):
    return b""


def damage(path, kind):
    """Damage a file, and leave its date as it was: what a disk does."""
    status = path.stat()
    path.write_bytes(kind(path.read_bytes()))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


WRITERS = {
    "npz": lambda path, table: np.savez_compressed(path, **dict(table.items())),
    "parquet": lambda path, table: table.to_parquet(path, index=False),
    "csv": lambda path, table: table.to_csv(path, index=False),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_each_bit_and_each_length_counts(tmp_path, kind):
    path = tmp_path / f"f.{kind}"
    with replacing(path) as partial:
        WRITERS[kind](partial, pd.DataFrame({"a": [1.5, 2.5], "b": [1, 2]}))
    check_files([path])
    whole = path.read_bytes()
    positions = random.Random(0).sample(range(8 * len(whole)), min(8 * len(whole), 400))
    for content in (
        *(flip_a_bit(whole, position) for position in positions),
        *(whole[:length] for length in range(0, len(whole), 7)),
        whole + b"\n",
    ):
        path.write_bytes(content)
        with pytest.raises(DataError, match=rf"not what was written.*; delete {re.escape(str(path))} and run again"):
            check_files([path])


def test_a_damaged_checksum_is_damage(tmp_path):
    path = tmp_path / "f.txt"
    with replacing(path) as partial:
        partial.write_text("x")
    whole = checksum_path(path).read_bytes()
    assert whole.endswith(b"  f.txt\n")  # as sha256sum writes it
    for content in (b"", cut_off(whole), *(flip_a_bit(whole, position) for position in range(0, 8 * len(whole), 5))):
        checksum_path(path).write_bytes(content)
        with pytest.raises(DataError, match="delete"):
            check_files([path])


def test_files_of_others_are_passed_over_and_folders_are_looked_into(tmp_path):
    (tmp_path / "published.csv").write_text("1\n")
    check_files([tmp_path / "published.csv", tmp_path])
    for name in ("a.txt", "b.txt"):
        with replacing(tmp_path / name) as partial:
            partial.write_text("x")
    check_files([tmp_path])
    (tmp_path / "b.txt").unlink()
    with pytest.raises(DataError, match=rf"^{re.escape(str(tmp_path))}/b\.txt: .*; delete {re.escape(str(tmp_path))} "):
        check_files([tmp_path])


STUDY = "results/demo/cplst-2012"
REDUCED = f"{STUDY}/reduced/as-printed/planted/linear-codes/000-000.npz"
# From the last station to the first: what is damaged, and what is asked for anew, so that it is read.
DAMAGED = {
    "page": {f"{STUDY}/scores.parquet": cut_off, f"{STUDY}/table-choices.csv": emptied},
    "gather": {
        f"{STUDY}/scores/as-printed/planted/linear-codes/linear/001-001.parquet": flipped,
        f"{STUDY}/summaries/linear.csv": flipped,
        f"{STUDY}/spectra/as-printed/planted/linear-codes/000-000.parquet": cut_off,
    },
    "data": {
        "results/data/planted.npz": flipped,
        "results/data/planted.design.npz": cut_off,
        f"{STUDY}/splits/planted.npz": emptied,
        REDUCED: flipped,
        f"{STUDY}/choices/as-printed/planted/kernel-codes/000-000.parquet": flipped,
    },
}
MISSING = {
    "page": ("results/demo/report.html", f"{STUDY}/manifest.json"),
    "gather": (f"{STUDY}/table3.csv", f"{STUDY}/spectra.parquet"),
    "data": (
        f"{STUDY}/scores/as-printed/planted/linear-codes/linear/000-000.parquet",
        f"{STUDY}/choices.csv",
        f"{STUDY}/datasets.csv",
    ),
}


def named_to_be_deleted(output):
    return {path for paths in re.findall(r"; delete (.*) and run again", output) for path in paths.split(", ")}


def test_damaged_files_of_every_kind_are_named_and_made_anew_when_they_are_deleted(done, undisturbed):
    for stage, damaged in DAMAGED.items():
        if REDUCED in damaged:
            done.run(REDUCED, "--notemp", "--config", *TINY)
        for name, kind in damaged.items():
            damage(done.folder / name, kind)
        for name in MISSING[stage]:
            (done.folder / name).unlink()
        output = done.run("--config", *TINY, fails=True)
        assert named_to_be_deleted(output) == damaged.keys()
        for name in damaged:
            (done.folder / name).unlink()
    done.run("--config", *TINY)
    assert done.results() == undisturbed.results()


def test_a_damaged_copy_of_a_raw_file_is_named_with_its_folder_and_copied_anew(project):
    rng = np.random.default_rng(0)
    (project.folder / "mydata").mkdir()
    pd.DataFrame(rng.random((30, 3)), columns=list("abc")).to_csv(project.folder / "mydata" / "f.csv", index=False)
    labels = pd.DataFrame(rng.integers(0, 2, (30, 2)), columns=["x", "y"])
    labels.to_csv(project.folder / "mydata" / "l.csv", index=False)
    entry = {"reader": "tables", "features": "mydata/f.csv", "labels": "mydata/l.csv"}
    (project.folder / "my.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    prepared = project.folder / "results" / "data" / "mine.npz"
    wanted = ("results/data/mine.npz", "--config", "datasets=my.yaml", "run_on=mine")
    project.run(*wanted)
    whole = prepared.read_bytes()
    prepared.unlink()
    copy = project.folder / "results" / "data" / "raw" / "mine" / "0-f.csv"
    content = copy.read_bytes()
    digit = content.index(b"0.") + 4
    copy.write_bytes(content[:digit] + (b"7" if content[digit : digit + 1] != b"7" else b"8") + content[digit + 1 :])
    output = project.run(*wanted, fails=True)
    assert "results/data/raw/mine/0-f.csv: not what was written" in output
    assert named_to_be_deleted(output) == {"results/data/raw/mine"}
    assert not prepared.exists()
    for file in (project.folder / "results" / "data" / "raw" / "mine").iterdir():
        file.unlink()
    copy.parent.rmdir()
    project.run(*wanted)
    assert prepared.read_bytes() == whole
