"""Files of finished jobs: what decides their names, and which of them are refused."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from mlreduce.evaluation.entries import strategy_module
from mlreduce.exceptions import DataError
from mlreduce_studies.provenance import digest, finished
from mlreduce_studies.provenance.finished import FinishedJob, job_digest, number_taken

SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"
DIGEST = "ab" * 32


@pytest.fixture
def job(tmp_path):
    """A job with two tables, and its file."""
    tables = [tmp_path / "first.parquet", tmp_path / "second.parquet"]
    for table, text in zip(tables, (b"one\n", b"two"), strict=True):
        table.write_bytes(text)
    (tmp_path / "finished").mkdir()
    made = FinishedJob(tmp_path / "finished", DIGEST, tables)
    made.put()
    return made


def test_tables_are_taken_as_they_were_put(job, tmp_path):
    taken = FinishedJob(tmp_path / "finished", DIGEST, [tmp_path / "here" / "a", tmp_path / "here" / "b"])
    assert taken.take()
    assert [path.read_bytes() for path in sorted((tmp_path / "here").iterdir())] == [b"one\n", b"two"]
    assert not FinishedJob(tmp_path / "finished", "cd" * 32, []).take()
    assert [path.name for path in job.path.parent.iterdir()] == [job.path.name]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_is_there_stays(job, tmp_path, monkeypatch, links):
    def refuse(*_):
        raise PermissionError("no links")

    if not links:
        monkeypatch.setattr(finished.os, "link", refuse)
    before = job.path.read_bytes()
    (tmp_path / "first.parquet").write_bytes(b"other")
    job.put()
    assert job.path.read_bytes() == before
    job.path.unlink()
    job.put()
    assert job.take()
    assert (tmp_path / "first.parquet").read_bytes() == b"other"
    assert [path.name for path in job.path.parent.iterdir()] == [job.path.name]


def sealed(content):
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


FOREIGN = [
    b"[]",
    b"{}",
    b"null\n",
    b"[" * 100_000,
    f'["{"cd" * 32}", [4, 3]]\none\ntwo'.encode(),
    f'["{DIGEST}", [4]]\none\n'.encode(),
    f'["{DIGEST}", [8, -1]]\none\ntwo'.encode(),
    f'["{DIGEST}", [4.0, 3.0]]\none\ntwo'.encode(),
    f'["{DIGEST}", [4, 2]]\none\ntwo'.encode(),
]


@pytest.mark.parametrize("content", FOREIGN, ids=range(len(FOREIGN)))
def test_a_file_of_another_job_is_refused(job, tmp_path, content):
    job.path.chmod(0o644)
    job.path.write_bytes(sealed(content))
    (tmp_path / "first.parquet").unlink()
    with pytest.raises(DataError, match=r"ab\.job: that of another job; delete it"):
        job.take()
    assert not (tmp_path / "first.parquet").exists()


def test_every_flipped_bit_is_noticed(job, tmp_path):
    text = job.path.read_bytes()
    job.path.chmod(0o644)
    for place in range(0, 8 * len(text), 3):
        changed = bytearray(text)
        changed[place // 8] ^= 1 << place % 8
        job.path.write_bytes(changed)
        with pytest.raises(DataError, match="damaged or no finished job"):
            job.take()
    job.path.write_bytes(b"")
    with pytest.raises(DataError, match="damaged or no finished job"):
        job.take()
    job.path.unlink()
    job.path.mkdir()
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        job.take()


def test_a_digest_counts_all_that_decides_a_job(tmp_path, monkeypatch):
    data, other, table = (tmp_path / name for name in ("data.npz", "other.npz", "choices.parquet"))
    np.savez(data, X=np.eye(3))
    np.savez(other, X=2 * np.eye(3))
    table.write_bytes(b"table")
    given = [{"seed": 1, "code": "a"}, {"study": "s"}, {"data": str(data), "choices": [str(table)], "retry": "date"}]
    first = job_digest(*given)
    np.savez_compressed(data, X=np.eye(3))  # the same arrays in other bytes
    moved = str(data.rename(tmp_path / "elsewhere.npz"))
    given[2] |= {"data": moved, "retry": "later", "design": "x", "fitted": "y"}
    assert job_digest(*given) == first
    changes = [
        (0, {"seed": 2}),
        (0, {"code": "b"}),
        (1, {"study": "t"}),
        (2, {"data": str(other)}),
        (2, {"choices": []}),
    ]
    digests = {
        job_digest(*(part | (new if place == at else {}) for at, part in enumerate(given))) for place, new in changes
    }
    monkeypatch.setattr(finished, "version", lambda name: "0")
    assert len(digests | {first, job_digest(*given)}) == len(changes) + 2


def modules(*sources):
    """Return the files of all modules that some files or modules import, directly or not."""
    pending, found = [digest.file_of(source) or SCRIPTS / source for source in sources], set()
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending += [file for name in digest._parsed(path)[1] if (file := digest.file_of(name))]
    return {path for path in found if path.parent != SCRIPTS}


def test_what_is_no_input_follows_by_code_that_counts():
    """Fitted arrays and the design are left out of the digest of predict, whose code has all that makes them."""
    strategies = [strategy_module(family) for family in ("labelspace", "projection", "selection")]
    assert modules("fit.py") <= modules("predict.py", *strategies)
    assert modules("factorise.py") <= modules("predict.py", strategies[0]) & modules("fit.py", strategies[0])


def test_logs_say_how_many_jobs_were_taken(tmp_path):
    logs = {"a": "taken from there/x.job\ndone\n", "b": "done\n"}
    (tmp_path / "logs" / "fit").mkdir(parents=True)
    for name, text in logs.items():
        (tmp_path / "logs" / "fit" / f"{name}.log").write_text(text)
    assert number_taken(tmp_path / "benchmarks" / "fit" / f"{name}.tsv" for name in ("a", "b", "c")) == 1
