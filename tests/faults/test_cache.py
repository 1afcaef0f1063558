"""Caches that cannot be written, that go away, and that others use at the same time."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from server import CONTENT, SHA, Server, entry, sends, stalls, waits, whole

from mlreduce.datasets import download as downloading
from mlreduce.datasets import fetch as module
from mlreduce.datasets.fetch import copy, fetch
from mlreduce.exceptions import FetchError, StorageError


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.delenv(module.MIRROR_VARIABLE, raising=False)
    monkeypatch.setattr(downloading, "_WAIT_SECONDS", 0.01)


def test_a_read_only_cache_serves_what_it_holds(small_disk):
    (small_disk.folder / "set").mkdir()
    (small_disk.folder / "set" / "f.arff").write_bytes(CONTENT)
    small_disk.remount("ro")
    with Server(whole) as server:
        assert fetch(entry(server), cache=small_disk.folder).read_bytes() == CONTENT
        assert server.requests == 0


@pytest.mark.parametrize("content", [None, b"damaged"])
def test_a_read_only_cache_without_the_file_is_named(small_disk, content):
    if content is not None:
        (small_disk.folder / "set").mkdir()
        (small_disk.folder / "set" / "f.arff").write_bytes(content)
    small_disk.remount("ro")
    with Server(whole) as server:
        with pytest.raises(
            FetchError, match=r"set/f\.arff cannot be stored in the cache: .*Read-only.*--config cache="
        ):
            fetch(entry(server), cache=small_disk.folder)
        assert server.requests == 0


def test_a_full_cache_is_named_and_serves_when_there_is_room(small_disk):
    filling = small_disk.folder / "filling"
    filling.write_bytes(b"x" * 60_000)
    with Server(whole) as server:
        with pytest.raises(FetchError, match=r"cannot be stored in the cache: .*No space left.*--config cache="):
            fetch(entry(server), cache=small_disk.folder)
        assert server.requests == 1  # asking again makes no room
        assert [path.name for path in (small_disk.folder / "set").iterdir()] == [".f.arff.lock"]
        filling.unlink()
        assert fetch(entry(server), cache=small_disk.folder).read_bytes() == CONTENT


def test_a_damaged_file_in_the_cache_is_fetched_again(tmp_path):
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "f.arff").write_bytes(CONTENT[:-1])
    with Server(whole) as server:
        assert fetch(entry(server), cache=tmp_path).read_bytes() == CONTENT


def test_a_cache_that_is_a_file_is_named(tmp_path):
    (tmp_path / "file").write_text("mine")
    with Server(whole) as server, pytest.raises(FetchError, match=r"stored in the cache: .*Not a directory.*file"):
        fetch(entry(server), cache=tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_cache_that_vanishes_during_a_download_is_named(tmp_path):
    def vanishing(connection, server):
        shutil.rmtree(tmp_path / "cache")
        whole(connection, server)

    with Server(vanishing, whole) as server:
        with pytest.raises(FetchError, match=r"cannot be stored in the cache: .*No such file"):
            fetch(entry(server), cache=tmp_path / "cache")
        assert fetch(entry(server), cache=tmp_path / "cache").read_bytes() == CONTENT


def copy_from(server, tmp_path, monkeypatch, meanwhile):
    """Copy a file out of the cache, to which something happens when it has been fetched."""

    def fetched(*arguments):
        source = fetch(*arguments)
        meanwhile(source)
        return source

    with monkeypatch.context() as patched:
        patched.setattr(module, "fetch", fetched)
        copy(entry(server), tmp_path / "raw" / "0-f.arff", cache=tmp_path / "cache")


@pytest.mark.parametrize(
    ("meanwhile", "sentence"),
    [
        (lambda source: shutil.rmtree(source.parent), "it disappeared"),
        (lambda source: source.write_bytes(CONTENT[:-1]), "it changed while it was copied"),
    ],
    ids=["vanishes", "changes"],
)
def test_a_cache_that_changes_before_copying_is_named(tmp_path, monkeypatch, meanwhile, sentence):
    with Server(whole) as server:
        with pytest.raises(FetchError, match=rf"cache/set/f\.arff: {sentence}.*[Rr]un again"):
            copy_from(server, tmp_path, monkeypatch, meanwhile)
        assert list((tmp_path / "raw").iterdir()) == []
        copy_from(server, tmp_path, monkeypatch, meanwhile=lambda source: None)
    assert (tmp_path / "raw" / "0-f.arff").read_bytes() == CONTENT


def test_a_copy_that_finds_no_room_is_named(tmp_path, monkeypatch, small_disk):
    (small_disk.folder / "filling").write_bytes(b"x" * 60_000)
    with Server(whole) as server, pytest.raises(StorageError, match=r"disk/0-f\.arff could not be written: No space"):
        copy(entry(server), small_disk.folder / "0-f.arff", cache=tmp_path / "cache")


def fetching(server: Server, cache: Path) -> subprocess.Popen[str]:
    """Fetch in a process of its own, as another checkout does; it says when it is about to."""
    program = (
        "from mlreduce.datasets.fetch import FileEntry, fetch; print('ready', flush=True); "
        f"print(fetch(FileEntry('set', 'f.arff', ({server.address!r},), {SHA!r}), cache={str(cache)!r}))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_of_two_checkouts_one_downloads_and_both_are_served(tmp_path):
    with Server(waits) as server:
        both = [fetching(server, tmp_path) for _ in range(2)]
        time.sleep(1)
        server.told.set()
        outputs = [process.communicate(timeout=120) for process in both]
        assert server.requests == 1
    found = [output.strip() for output, _ in outputs]
    assert found == [str(tmp_path / "set" / "f.arff")] * 2
    pids, said = [process.pid for process in both], [errors for _, errors in outputs]
    if said[0]:
        pids, said = pids[::-1], said[::-1]
    assert said[0] == ""
    assert re.fullmatch(
        rf"mlreduce: waiting for process {pids[0]} on {platform.node()} since [-0-9]+ [:0-9]+, which holds "
        rf"{tmp_path}/set/\.f\.arff\.lock\n",
        said[1],
    )
    assert Path(found[0]).read_bytes() == CONTENT


def test_a_killed_download_blocks_nobody(tmp_path):
    with Server(stalls, whole) as server:
        process = fetching(server, tmp_path)
        wait_for(lambda: any(path.stat().st_size for path in tmp_path.glob("set/.partial*")))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert list(tmp_path.glob("set/.partial*"))
        assert fetch(entry(server), cache=tmp_path).read_bytes() == CONTENT


def test_files_in_the_cache_can_be_read_by_others(tmp_path):
    before = os.umask(0o022)
    try:
        with Server(sends(CONTENT)) as server:
            assert fetch(entry(server), cache=tmp_path).stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)
