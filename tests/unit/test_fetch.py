from __future__ import annotations

import hashlib
import http.server
import threading

import pooch.core
import pytest

from mlreduce.datasets import fetch as module
from mlreduce.datasets.fetch import FileEntry, default_cache, fetch
from mlreduce.exceptions import FetchError

CONTENT = b"@relation published\n"
SHA = hashlib.sha256(CONTENT).hexdigest()


class Server:
    """A server on the loopback whose answers a test scripts: each request takes the next (status, body)."""

    def __init__(self):
        self.answers = []
        self.requests = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests += 1
                status, body = outer.answers.pop(0) if outer.answers else (404, b"")
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._http.server_port}/f.arff"

    def close(self):
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv(module.MIRROR_VARIABLE, raising=False)
    monkeypatch.setattr(pooch.core.time, "sleep", lambda seconds: None)
    server = Server()
    yield server
    server.close()


def entry(*addresses, sha256=SHA):
    return FileEntry("set", "f.arff", addresses, sha256)


def test_download_is_kept_and_not_repeated(server, tmp_path):
    server.answers = [(200, CONTENT)]
    path = fetch(entry(server.address), cache=tmp_path)
    assert path == tmp_path / "set" / "f.arff"
    assert path.read_bytes() == CONTENT
    assert fetch(entry(server.address), cache=tmp_path) == path
    assert server.requests == 1


def test_passing_faults_are_tried_again(server, tmp_path):
    server.answers = [(500, b""), (503, b"busy"), (200, CONTENT)]
    assert fetch(entry(server.address), cache=tmp_path).read_bytes() == CONTENT


def test_wrong_bytes_are_never_used_and_leave_nothing(server, tmp_path):
    server.answers = [(200, b"something else")] * 20
    with pytest.raises(FetchError, match="SHA-256 differs"):
        fetch(entry(server.address), cache=tmp_path)
    assert list((tmp_path / "set").iterdir()) == []


def test_the_second_address_serves_when_the_first_does_not(server, tmp_path):
    other = Server()
    other.answers = [(200, CONTENT)]
    try:
        assert fetch(entry(server.address, other.address), cache=tmp_path).read_bytes() == CONTENT
    finally:
        other.close()


def test_a_damaged_cached_file_is_fetched_again(server, tmp_path):
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "f.arff").write_bytes(b"half")
    server.answers = [(200, CONTENT)]
    assert fetch(entry(server.address), cache=tmp_path).read_bytes() == CONTENT


def test_no_network_says_which_file_from_where_and_where_to_put_it(server, tmp_path):
    server.close()
    with pytest.raises(FetchError) as caught:
        fetch(entry(server.address), cache=tmp_path)
    text = str(caught.value)
    for part in ("set/f.arff", server.address, str(tmp_path / "set" / "f.arff"), "mirror=", "no connection"):
        assert part in text
    assert "\n" not in text


def test_status_codes_are_told(server, tmp_path):
    with pytest.raises(FetchError, match="HTTP status 404"):
        fetch(entry(server.address), cache=tmp_path)


def test_cache_that_cannot_be_made(server, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FetchError, match="could not be fetched"):
        fetch(entry(server.address), cache=tmp_path / "file")


def test_mirror_is_read_in_place_with_the_same_checks(tmp_path, monkeypatch):
    (tmp_path / "set").mkdir()
    file = tmp_path / "set" / "f.arff"
    with pytest.raises(FetchError, match=r"no such file; it is published at http://x"):
        fetch(entry("http://x"), mirror=tmp_path)
    file.write_bytes(b"damaged")
    with pytest.raises(FetchError, match=f"but the catalogue says {SHA}"):
        fetch(entry("http://x"), mirror=tmp_path)
    file.write_bytes(CONTENT)
    assert fetch(entry("http://x"), mirror=tmp_path) == file
    monkeypatch.setenv(module.MIRROR_VARIABLE, str(tmp_path))
    assert fetch(entry("http://x")) == file


def test_own_files_are_used_where_they_are(tmp_path):
    own = FileEntry("set", "f.arff", local=tmp_path / "f.arff")
    with pytest.raises(FetchError, match="the datasets file names it"):
        fetch(own)
    (tmp_path / "f.arff").write_text("x")
    assert fetch(own) == tmp_path / "f.arff"


def test_cache_folder_comes_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv(module.CACHE_VARIABLE, str(tmp_path))
    assert default_cache() == tmp_path
    monkeypatch.delenv(module.CACHE_VARIABLE)
    assert default_cache().name == "mlreduce"
