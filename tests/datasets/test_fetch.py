from __future__ import annotations

from types import SimpleNamespace

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
    with pytest.raises(FetchError, match=f"but the catalogue says {SHA}"):
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


class Dripping:
    """An answer that sends pieces of one size, and a clock that each of them moves on by some seconds."""

    def __init__(self, piece: bytes, seconds: float, pieces: int) -> None:
        self.raw, self.headers, self._piece, self._seconds, self._left, self.now = self, {}, piece, seconds, pieces, 0.0

    def read1(self, size, decode_content):
        self.now += self._seconds
        self._left -= 1
        return self._piece if self._left >= 0 else b""

    def raise_for_status(self): ...

    def __enter__(self):
        return self

    def __exit__(self, *_): ...


def download(answer, path, monkeypatch):
    monkeypatch.setattr(downloading, "time", SimpleNamespace(monotonic=lambda: answer.now, sleep=lambda seconds: None))
    monkeypatch.setattr(downloading.requests, "get", lambda *arguments, **options: answer)
    downloading._download("http://x", path)


@pytest.mark.parametrize(
    ("piece", "seconds", "received", "taken"),
    [
        (1, 10, 7, 70),  # a minute is allowed, and a second more for each 1000 bytes
        (900, 1, 601 * 900, 601),  # 900 bytes per second are too slow, ten minutes long
    ],
)
def test_slow_servers_are_cut_off(piece, seconds, received, taken, tmp_path, monkeypatch):
    answer = Dripping(b"x" * piece, seconds, 10_000)
    with pytest.raises(downloading._WrongContent, match=r"it sent [\d,]+ bytes in \d+ s: too slow"):
        download(answer, tmp_path / "f", monkeypatch)
    assert answer.now == taken
    assert (tmp_path / "f").stat().st_size == received


@pytest.mark.parametrize(("piece", "seconds", "pieces"), [(1, 10, 6), (1000, 1, 3600)])
def test_steady_servers_are_waited_for(piece, seconds, pieces, tmp_path, monkeypatch):
    download(Dripping(b"x" * piece, seconds, pieces), tmp_path / "f", monkeypatch)
    assert (tmp_path / "f").stat().st_size == piece * pieces
