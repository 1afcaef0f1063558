"""Download of a file: several addresses, several tries each, in bounded time and size."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from mlreduce.datasets.files import file_sha256, replacing
from mlreduce.exceptions import from_extra

with from_extra("data", "downloads"):
    import requests
    import urllib3
    from tqdm import tqdm

__all__ = ["download"]

# Tries per address, and the increase of the wait between them.
_TRIES = 4
_WAIT_SECONDS = 1.0
# Limits on the silence of a server, its mean rate after a minute, and the size of a file, so that every download
# ends.
_SILENCE_SECONDS = 30.0
_GRACE_SECONDS = 60.0
_SLOWEST = 1000  # bytes a second
_LARGEST = 2**32  # bytes
# Status codes of 4xx after which a request is repeated.
_HOPEFUL = (408, 425, 429)


def download(addresses: Sequence[str], place: Path, sha256: str | None) -> list[str]:
    """Download a file from the first address that serves it; it is moved into place when its checksum is right.

    Parameters
    ----------
    addresses : sequence of str
        Tried in this order.
    place : path
    sha256 : str or None
        Expected checksum; None takes what comes.

    Returns
    -------
    list of str
        Why each address failed; empty if the file is in its place.
    """
    failures = []
    for address in addresses:
        for attempt in range(_TRIES):
            time.sleep(attempt * _WAIT_SECONDS)
            try:
                with replacing(place) as partial:
                    _download(address, partial)
                    if sha256 not in (None, file_sha256(partial)):
                        raise _WrongContent("what came is not the published file (its SHA-256 differs)")
                return []
            except (requests.RequestException, urllib3.exceptions.HTTPError, _WrongContent) as error:
                failure = f"{address}: {_why(error)}"
                if _is_hopeless(error):
                    break
        failures.append(failure)
    return failures


class _WrongContent(Exception):
    """A server sends wrong content."""


def _download(address: str, path: Path) -> None:
    """Download an address to a file, in bounded time and size."""
    started, received = time.monotonic(), 0
    with requests.get(address, stream=True, timeout=_SILENCE_SECONDS) as answer, path.open("wb") as file:
        answer.raise_for_status()
        announced = answer.headers.get("Content-Length", "")
        total = int(announced) if announced.isdecimal() else None
        with tqdm(total=total, unit="B", unit_scale=True, disable=not sys.stderr.isatty()) as bar:
            # Read as data arrives: waiting for a full block would let a slow server hold the connection for hours.
            while piece := answer.raw.read1(2**16, decode_content=True):
                file.write(piece)
                bar.update(len(piece))
                received += len(piece)
                if received > _LARGEST:
                    raise _WrongContent(f"it sent more than {received:,} bytes")
                if time.monotonic() - started > _GRACE_SECONDS + received / _SLOWEST:
                    raise _WrongContent(f"it sent {received:,} bytes in {time.monotonic() - started:.0f} s: too slow")


def _status(error: Exception) -> int | None:
    return getattr(getattr(error, "response", None), "status_code", None)


def _is_hopeless(error: Exception) -> bool:
    """Whether trying again would fail in the same way."""
    status = _status(error)
    refused = status is not None and 400 <= status < 500 and status not in _HOPEFUL
    return refused or isinstance(error, requests.TooManyRedirects | ValueError)  # or not a valid address


def _why(error: Exception) -> str:
    if isinstance(error, requests.HTTPError):
        return f"HTTP status {_status(error)}"
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return f"no answer within {_SILENCE_SECONDS:g} s"
    if isinstance(error, requests.TooManyRedirects):
        return "it redirects without end"
    if isinstance(error, urllib3.exceptions.ProtocolError):
        return "it broke off before the end"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return str(error)
