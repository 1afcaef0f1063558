"""Faults of servers: a download ends with the right file or one sentence, and no wrong file is kept."""

from __future__ import annotations

import time

import pytest
from server import (
    CONTENT,
    Server,
    closes,
    drips,
    entry,
    head,
    never_ends,
    redirects,
    says,
    says_nothing,
    sends,
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
    monkeypatch.setattr(downloading, "_SILENCE_SECONDS", 0.3)
    monkeypatch.setattr(downloading, "_GRACE_SECONDS", 0.5)
    monkeypatch.setattr(downloading, "_LARGEST", 10**6)


def kept(folder):
    """What lies in the cache, without the lock and the checksum."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and path.suffix not in (".lock", ".sha256"))


FAULTS = {
    "stalls": (stalls, "no answer within 0.3 s"),
    "says nothing": (says_nothing, "no answer within 0.3 s"),
    "drips": (drips, "bytes in .* s: too slow"),
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
        "decode",
    ),
}
# What is known to be so the next time too is not asked again; each redirect is a request.
REQUESTS = {"404": 1, "redirects": 31}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_end_with_a_message_and_leave_nothing(fault, tmp_path):
    answer, reason = FAULTS[fault]
    started = time.monotonic()
    with Server(answer) as server:
        with pytest.raises(FetchError, match=reason) as caught:
            fetch(entry(server), cache=tmp_path)
        assert server.requests == REQUESTS.get(fault, 4)
        assert str(caught.value).startswith(f"set/f.arff could not be fetched from {server.address}: ")
    assert "\n" not in str(caught.value)
    assert kept(tmp_path) == []
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("fault", ["stalls", "sends wrong bytes", "500"])
def test_temporary_faults_are_retried(fault, tmp_path):
    with Server(FAULTS[fault][0], whole) as server:
        assert fetch(entry(server), cache=tmp_path).read_bytes() == CONTENT
        assert server.requests == 2
    assert kept(tmp_path) == ["f.arff"]


@pytest.mark.parametrize("fault", ["sends half", "404", "closes at once"])
def test_another_address_serves_where_one_does_not(fault, tmp_path):
    with Server(FAULTS[fault][0]) as server, Server(whole) as other:
        assert fetch(entry(server, other), cache=tmp_path).read_bytes() == CONTENT
    assert kept(tmp_path) == ["f.arff"]


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
