"""Faults of servers: a download ends with the right file or one sentence, and no wrong file is kept."""

from __future__ import annotations

import gc
import gzip
import time
import tracemalloc

import pytest
from server import (
    CONTENT,
    Server,
    bytes_now_and_then,
    closes,
    drips,
    entry,
    flood,
    head,
    never_ends,
    redirects,
    redirects_to,
    says,
    says_nothing,
    sends,
    sends_raw,
    stalls,
    whole,
)

from mlreduce.datasets import download as downloading
from mlreduce.datasets import fetch as module
from mlreduce.datasets.fetch import fetch
from mlreduce.exceptions import FetchError


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.delenv(module.MIRROR_VARIABLE, raising=False)
    monkeypatch.setattr(downloading, "_WAIT_SECONDS", 0.01)
    monkeypatch.setattr(downloading, "_SILENCE_SECONDS", 0.5)
    monkeypatch.setattr(downloading, "_GRACE_SECONDS", 1.0)
    monkeypatch.setattr(downloading, "_LARGEST", 10**6)


def kept(folder):
    """What lies in the cache, without the lock and the checksum."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.suffix not in (".lock", ".sha256"))


TOO_SLOW = "it sent .* bytes of the file in .* s: too slow"
CHUNKED = head("200 OK", "Transfer-Encoding: chunked")

FAULTS = {
    "stalls": (stalls, "no answer within 0.5 s"),
    "says nothing": (says_nothing, "no answer within 0.5 s"),
    "drips": (drips, TOO_SLOW),
    "sends half": (sends(CONTENT[:5000], announced=len(CONTENT)), "it broke off before the end"),
    "announces half": (sends(CONTENT, announced=5000), "its SHA-256 differs"),
    "sends wrong bytes": (sends(CONTENT.swapcase()), "its SHA-256 differs"),
    "sends nothing": (sends(b""), "its SHA-256 differs"),
    "never ends": (never_ends, "it sent more than 1,"),
    "404": (says("404 Not Found"), "HTTP status 404"),
    "500": (says("500 Internal Server Error"), "HTTP status 500"),
    "redirects": (redirects, "it redirects without end"),
    "closes at once": (closes, "no connection"),
    "talks nonsense": (lambda connection, server: connection.sendall(b"\x00\xff" * 50), "no connection"),
    "packs badly": (
        lambda connection, server: connection.sendall(head("200 OK", "Content-Encoding: gzip") + b"no gzip"),
        "its SHA-256 differs",
    ),
    "a header without end": (bytes_now_and_then(b"HTTP/1.1 200 OK\r\nX: "), TOO_SLOW),
    "a status line without end": (bytes_now_and_then(b"HTTP/1.1 "), TOO_SLOW),
    "a redirect without an end of its headers": (bytes_now_and_then(b"HTTP/1.1 302 Found\r\nLocation: /"), TOO_SLOW),
    "a chunk size without end": (bytes_now_and_then(CHUNKED, b"0"), TOO_SLOW),
    "chunks of a byte": (bytes_now_and_then(CHUNKED, b"1\r\nx\r\n"), TOO_SLOW),
    "trailers without end": (bytes_now_and_then(CHUNKED + b"0\r\n", b"X: y\r\n"), TOO_SLOW),
    "continues without end": (flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100), TOO_SLOW),
    "headers without end, fast": (flood(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 1000), "broke off|no connection"),
    "a header without end, fast": (flood(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 2**16), "broke off|no connection"),
    "a chunk size without end, fast": (flood(CHUNKED, b"0" * 2**16), "it broke off before the end"),
    "a chunk of no size": (sends_raw(CHUNKED + b"many\r\nx\r\n"), "it broke off before the end"),
    "a chunk of a negative size": (sends_raw(CHUNKED + b"-5\r\nx\r\n0\r\n\r\n"), "broke off|SHA-256 differs"),
    "no length": (sends_raw(head("200 OK", "Content-Length: many") + b"x"), "broke off|SHA-256 differs"),
    "two lengths": (sends_raw(head("200 OK", "Content-Length: 1, 2") + b"x"), "2"),
    "no content": (says("204 No Content"), "HTTP status 204"),
    "a part": (says("206 Partial Content"), "HTTP status 206"),
    "a redirect to nowhere": (says("302 Found"), "HTTP status 302"),
    "a redirect to half an address": (redirects_to(b"http://[::1"), "Invalid IPv6"),
    "a redirect to no host": (redirects_to(b"http://"), "it redirects without end"),
    "a redirect to a file": (redirects_to(b"file:///etc/hostname"), "file:///etc/hostname"),
    "a redirect to no port": (redirects_to(b"http://127.0.0.1:99999/"), "99999"),
    "a redirect to a host of other bytes": (redirects_to(b"http://\xff\xfe/"), "no connection"),
}
# What is known to be so the next time too is not asked again; each redirect is a request.
ONCE = ("404", "two lengths", "a redirect to half an address", "a redirect to a file", "a redirect to no port")
REQUESTS = dict.fromkeys(ONCE, 1) | dict.fromkeys(("redirects", "a redirect to no host"), 31)


# urllib3 leaves the connection of an answer with a wrong length to the garbage collector, which closes it here.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.rotating
def test_faults_end_with_a_message_and_leave_nothing(fault, tmp_path, monkeypatch):
    answer, reason = FAULTS[fault]
    monkeypatch.setattr(downloading, "_TRIES", 2)
    started = time.monotonic()
    with Server(answer) as server:
        with pytest.raises(FetchError, match=reason) as caught:
            fetch(entry(server), cache=tmp_path)
        assert server.requests == REQUESTS.get(fault, 2)
        assert str(caught.value).startswith(f"set/f.arff could not be fetched from {server.address}: ")
        assert "\n" not in str(caught.value)
        assert kept(tmp_path) == []
        assert time.monotonic() - started < 30
        monkeypatch.setattr(downloading, "_TRIES", 1)
        with Server(whole) as other:
            assert fetch(entry(server, other), cache=tmp_path).read_bytes() == CONTENT
    assert kept(tmp_path) == ["f.arff"]
    gc.collect()


@pytest.mark.parametrize("fault", ["stalls", "sends wrong bytes", "500"])
def test_temporary_faults_are_retried(fault, tmp_path):
    with Server(FAULTS[fault][0], whole) as server:
        assert fetch(entry(server), cache=tmp_path).read_bytes() == CONTENT
        assert server.requests == 2
    assert kept(tmp_path) == ["f.arff"]


@pytest.mark.parametrize("place", ["/elsewhere", "/\xff\xfe", "/\u00e9t\u00e9 1"], ids=ascii)
def test_redirects_lead_to_the_file_whatever_their_bodies(place, tmp_path):
    """Of a body that unpacks to 40 MB nothing is read."""
    body = gzip.compress(bytes(40 * 2**20), 1)
    fields = ("Content-Encoding: gzip", f"Content-Length: {len(body)}")
    tracemalloc.start()
    try:
        with Server(redirects_to(place.encode("latin-1"), *fields, body=body), whole) as server:
            assert fetch(entry(server), cache=tmp_path).read_bytes() == CONTENT
        assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    finally:
        tracemalloc.stop()


def test_the_body_of_a_redirect_takes_no_time(tmp_path):
    slow = bytes_now_and_then(head("302 Found", "Location: /elsewhere"))
    started = time.monotonic()
    with Server(slow, whole) as server:
        assert fetch(entry(server), cache=tmp_path).read_bytes() == CONTENT
    assert time.monotonic() - started < 1.0


def test_more_than_is_announced_is_cut_where_the_file_ends(tmp_path):
    with Server(sends(CONTENT + b"more", announced=len(CONTENT))) as server:
        assert fetch(entry(server), cache=tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize("status", ["408 Request Timeout", "425 Too Early", "429 Too Many Requests", "503 Busy"])
def test_temporary_refusals_are_retried(status, tmp_path):
    with Server(says(status), whole) as server:
        assert fetch(entry(server), cache=tmp_path).read_bytes() == CONTENT


def test_each_try_waits_longer_than_the_one_before(tmp_path, monkeypatch):
    waits = []
    monkeypatch.setattr(downloading, "_WAIT_SECONDS", 1.0)
    monkeypatch.setattr(downloading.time, "sleep", waits.append)
    with Server(closes) as server, pytest.raises(FetchError):
        fetch(entry(server), cache=tmp_path)
    assert waits == [0, 1, 2, 3]


def test_wrong_addresses_are_not_retried(tmp_path, monkeypatch):
    monkeypatch.setattr(downloading.time, "sleep", lambda seconds: pytest.fail("waited") if seconds else None)
    with pytest.raises(FetchError, match=r"from ht:tp, //x: .*ht:tp"):
        fetch(module.FileEntry("set", "f.arff", ("ht:tp, //x",), "0" * 64), cache=tmp_path)
