"""Download of a file: several addresses, several tries each, in bounded time, size and memory."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, urljoin

from mlreduce.exceptions import from_extra
from mlreduce.files import file_sha256, replacing

with from_extra("data", "downloads"):
    import requests
    import urllib3
    from tqdm import tqdm

# Tries per address, and the increase of the wait between them.
_TRIES = 4
_WAIT_SECONDS = 1.0
# Limits on the silence of a server, the time of one try with the mean rate after a minute, the size of a file, and
# the redirects, so that every download ends.
_SILENCE_SECONDS = 30.0
_GRACE_SECONDS = 60.0
_SLOWEST = 1000  # bytes a second
_LARGEST = 2**30  # bytes
_REDIRECTS = 30
# Interval at which the pace of a try is checked.
_CHECK_SECONDS = 0.1
# Status codes of 4xx after which a request is repeated.
_TEMPORARY = (408, 425, 429)


def download(addresses: Sequence[str], place: Path, sha256: str | None) -> list[str]:
    """Download a file from the first address that serves it; it is moved into place when its checksum is right.

    Return why each address failed, nothing if the file is in its place. A checksum of None takes any file.
    """
    failures = []
    for address in addresses:
        for attempt in range(_TRIES):
            time.sleep(attempt * _WAIT_SECONDS)
            try:
                with replacing(place) as partial:
                    _download(address, partial)
                    if sha256 not in (None, file_sha256(partial)):
                        raise _FailedTry("the downloaded file is not the published one (its SHA-256 differs)")
                return []
            except _FailedTry as error:
                failure = f"{address}: {error}"
                if error.is_final:
                    break
        failures.append(failure)
    return failures


class _FailedTry(Exception):
    """A try that failed; ``is_final`` where another would fail in the same way."""

    def __init__(self, reason: str, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final


def _download(address: str, path: Path) -> None:
    """Download an address to a file. A thread waits for the server, so that nothing that it does takes longer."""
    with path.open("wb") as file:
        receiver, started = _Receiver(address, file), time.monotonic()
        receiver.start()
        try:
            with tqdm(unit="B", unit_scale=True, disable=not sys.stderr.isatty()) as bar:
                while receiver.is_alive():
                    receiver.join(_CHECK_SECONDS)
                    _check_pace(receiver.received, time.monotonic() - started)
                    bar.total = receiver.announced
                    bar.update(receiver.received - bar.n)
        finally:
            receiver.stop()
    if receiver.error is not None:
        raise receiver.error


def _check_pace(received: int, seconds: float) -> None:
    """Refuse a try that has lasted too long for the bytes of the file that it brought."""
    if seconds > _GRACE_SECONDS + received / _SLOWEST:
        raise _FailedTry(f"it sent {received:,} bytes of the file in {seconds:.0f} s: too slow")


class _Receiver(threading.Thread):
    """Writes what an address serves to a file."""

    def __init__(self, address: str, file: BinaryIO) -> None:
        super().__init__(daemon=True)
        self._address, self._file = address, file
        self.received = 0
        self.announced: int | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            for piece in self._pieces():
                self._file.write(piece)
                self.received += len(piece)
                if self.received > _LARGEST:
                    raise _FailedTry(f"it sent more than {self.received:,} bytes")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - raised again where the thread is waited for
            self.error = error

    def stop(self) -> None:
        """End the thread, at the latest when it has waited long enough for the server."""
        if self.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident or 0), ctypes.py_object(SystemExit))

    def _pieces(self) -> Iterator[bytes]:
        """Yield the file as data arrive, not decompressed; of redirects nothing but the address is read."""
        address = self._address
        try:
            with requests.Session() as session:
                for _ in range(_REDIRECTS + 1):
                    request = session.prepare_request(
                        requests.Request("GET", address, headers={"Accept-Encoding": "identity"})
                    )
                    url = str(request.url)
                    settings = session.merge_environment_settings(url, {}, True, None, None)
                    # The method "send" of the session reads and decompresses the body of a redirect.
                    answer = session.get_adapter(url).send(request, timeout=_SILENCE_SECONDS, **settings)
                    with answer:
                        if answer.is_redirect:
                            place = quote(answer.headers["Location"].encode("latin-1"), safe="!#$%&'()*+,/:;=?@[]~")
                            address = urljoin(url, place)
                            continue
                        if answer.status_code != 200:
                            refused = 400 <= answer.status_code < 500 and answer.status_code not in _TEMPORARY
                            raise _FailedTry(f"HTTP status {answer.status_code}", refused)
                        announced = answer.headers.get("Content-Length", "")
                        self.announced = int(announced[:20]) if announced.isdecimal() else None
                        # Waiting for a full block would let a slow server hold the connection for hours.
                        while piece := answer.raw.read1(2**16, decode_content=False):
                            yield piece
                        return
            raise _FailedTry("it redirects without end", is_final=True)
        except _FailedTry:
            raise
        except Exception as error:  # any error that a server causes
            raise _FailedTry(_why(error), isinstance(error, ValueError)) from error  # not a valid address


def _why(error: Exception) -> str:
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return f"no answer within {_SILENCE_SECONDS:g} s"
    if isinstance(error, urllib3.exceptions.ProtocolError):
        return "it broke off before the end"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return " ".join(str(error).split())[:300]
