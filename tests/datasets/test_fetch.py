from __future__ import annotations

from contextlib import nullcontext

import pytest
from server import CONTENT, SHA, Server, entry, whole

from mlreduce.datasets import download as downloading
from mlreduce.datasets import fetch as module
from mlreduce.datasets.fetch import FileEntry, default_cache, fetch
from mlreduce.exceptions import FetchError


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.delenv(module.MIRROR_VARIABLE, raising=False)
    monkeypatch.setattr(downloading, "_WAIT_SECONDS", 0.01)


def test_download_is_kept_and_not_repeated(tmp_path):
    with Server(whole) as server:
        path = fetch(entry(server), cache=tmp_path)
        assert path == tmp_path / "set" / "f.arff"
        assert path.read_bytes() == CONTENT
        assert fetch(entry(server), cache=tmp_path) == path
        assert server.requests == 1


def test_no_network_names_the_file_and_its_place(tmp_path):
    with Server(whole) as server:
        address = server.address
    with pytest.raises(FetchError) as caught:
        fetch(FileEntry("set", "f.arff", (address,), SHA), cache=tmp_path)
    text = str(caught.value)
    for part in ("set/f.arff", address, str(tmp_path / "set" / "f.arff"), "mirror=", "no connection"):
        assert part in text
    assert "\n" not in text


def test_mirror_is_read_in_place_with_the_same_checks(tmp_path, monkeypatch):
    published = FileEntry("set", "f.arff", ("http://x",), SHA)
    (tmp_path / "set").mkdir()
    file = tmp_path / "set" / "f.arff"
    with pytest.raises(FetchError, match=r"no such file; it is published at http://x"):
        fetch(published, mirror=tmp_path)
    file.write_bytes(b"damaged")
    with pytest.raises(FetchError, match=f"but the catalogue has {SHA}"):
        fetch(published, mirror=tmp_path)
    file.write_bytes(CONTENT)
    assert fetch(published, mirror=tmp_path) == file
    monkeypatch.setenv(module.MIRROR_VARIABLE, str(tmp_path))
    assert fetch(published) == file


def test_own_files_are_used_where_they_are_and_as_they_were(tmp_path):
    own = FileEntry("set", "f.arff", local=tmp_path / "f.arff")
    assert own.pinned() == own
    with pytest.raises(FetchError, match="the datasets file names it"):
        fetch(own)
    (tmp_path / "f.arff").write_text("x")
    assert fetch(own) == tmp_path / "f.arff"
    pinned = own.pinned()
    assert fetch(pinned) == tmp_path / "f.arff"
    (tmp_path / "f.arff").write_text("y")
    with pytest.raises(FetchError, match=r"f\.arff: it changed since this run began; run again"):
        fetch(pinned)
    assert pinned.pinned() != pinned


def test_cache_folder_comes_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv(module.CACHE_VARIABLE, str(tmp_path))
    assert default_cache() == tmp_path
    monkeypatch.delenv(module.CACHE_VARIABLE)
    assert default_cache().name == "mlreduce"


@pytest.mark.parametrize(
    ("received", "seconds", "slow"),
    [
        (0, 60, False),  # a minute is allowed, whatever it is spent on
        (0, 61, True),
        (7, 61, True),
        (6_000, 65, False),  # and a second more for each 1000 bytes
        (601 * 900, 602, True),  # 900 bytes per second are too slow, ten minutes long
        (3_600_000, 3_600, False),
    ],
)
def test_slow_servers_are_cut_off_and_steady_ones_waited_for(received, seconds, slow):
    with (
        pytest.raises(downloading._FailedTry, match=f"it sent {received:,} bytes .* too slow")
        if slow
        else nullcontext()
    ):
        downloading._check_pace(received, seconds)
