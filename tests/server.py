"""A server on the loopback that does what servers do on bad days."""

from __future__ import annotations

import contextlib
import hashlib
import socket
import threading
from collections.abc import Callable

from mlreduce.datasets.fetch import FileEntry

CONTENT = b"@relation published\n" * 500
SHA = hashlib.sha256(CONTENT).hexdigest()

Answer = Callable[[socket.socket, "Server"], None]


def head(status: str, *fields: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *fields, "Connection: close", "", ""]).encode()


def whole(connection: socket.socket, server: Server) -> None:
    connection.sendall(head("200 OK", f"Content-Length: {len(CONTENT)}") + CONTENT)


def says(status: str) -> Answer:
    return lambda connection, server: connection.sendall(head(status, "Content-Length: 0"))


def sends(body: bytes, announced: int | None = None) -> Answer:
    """Send a body that is announced to be as long as it is, or of another length."""
    length = len(body) if announced is None else announced
    return lambda connection, server: connection.sendall(head("200 OK", f"Content-Length: {length}") + body)


def stalls(connection: socket.socket, server: Server) -> None:
    """Send half, and then nothing, for as long as anybody waits."""
    connection.sendall(head("200 OK", f"Content-Length: {len(CONTENT)}") + CONTENT[: len(CONTENT) // 2])
    server.closing.wait(60)


def says_nothing(connection: socket.socket, server: Server) -> None:
    server.closing.wait(60)


def drips(connection: socket.socket, server: Server) -> None:
    """Send a byte now and then, always in time."""
    connection.sendall(head("200 OK", f"Content-Length: {len(CONTENT)}"))
    for position in range(len(CONTENT)):
        connection.sendall(CONTENT[position : position + 1])
        if server.closing.wait(0.05):
            return


def never_ends(connection: socket.socket, server: Server) -> None:
    """Send far more than anybody can want, fast."""
    connection.sendall(head("200 OK", "Transfer-Encoding: chunked"))
    for _ in range(1000):
        connection.sendall(b"2000\r\n" + b"x" * 0x2000 + b"\r\n")


def closes(connection: socket.socket, server: Server) -> None:
    """Say nothing at all."""


def redirects(connection: socket.socket, server: Server) -> None:
    connection.sendall(head("302 Found", f"Location: {server.address}", "Content-Length: 0"))


def bytes_now_and_then(beginning: bytes, repeated: bytes = b"x") -> Answer:
    """Send a beginning, and then for ever a few bytes, always in time."""

    def answer(connection: socket.socket, server: Server) -> None:
        connection.sendall(beginning)
        while not server.closing.wait(0.05):
            connection.sendall(repeated)

    return answer


def flood(beginning: bytes, repeated: bytes, times: int = 10**6) -> Answer:
    """Send a beginning, and then something again and again, fast."""

    def answer(connection: socket.socket, server: Server) -> None:
        connection.sendall(beginning)
        for _ in range(times):
            if server.closing.is_set():
                return
            connection.sendall(repeated)

    return answer


def sends_raw(content: bytes) -> Answer:
    return lambda connection, server: connection.sendall(content)


def redirects_to(place: bytes, *fields: str, body: bytes = b"") -> Answer:
    """Redirect once to a place, with a body."""
    first = head("302 Found", *fields).removesuffix(b"\r\n\r\n")
    return sends_raw(first + b"\r\nLocation: " + place + b"\r\n\r\n" + body)


def waits(connection: socket.socket, server: Server) -> None:
    """Send all of it when it is told to."""
    server.told.wait(60)
    whole(connection, server)


class Server:
    """Answers each request by the next of what it is given, and the last of these for ever.

    Attributes
    ----------
    address : str
        Of the file.
    requests : int
        How many there were.
    told, closing : Event
        For an answer that waits; and set when the test is over, for all that do.
    """

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.requests = 0
        self.told, self.closing = threading.Event(), threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}/f.arff"
        self._threads = [threading.Thread(target=self._serve)]
        self._threads[0].start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            if self.closing.is_set():
                connection.close()
                return
            answer = self._answers[min(self.requests, len(self._answers) - 1)]
            self.requests += 1
            thread = threading.Thread(target=self._answer, args=(connection, answer))
            self._threads.append(thread)
            thread.start()

    def _answer(self, connection: socket.socket, answer: Answer) -> None:
        with connection, contextlib.suppress(OSError):  # who asked may have gone
            connection.recv(65536)
            answer(connection, self)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.told.set()
        self.closing.set()
        with contextlib.suppress(OSError):  # wakes who waits for the next connection
            socket.create_connection(self._listening.getsockname(), timeout=1).close()
        self._listening.close()
        for thread in self._threads:
            thread.join(10)


def entry(*servers: Server) -> FileEntry:
    return FileEntry("set", "f.arff", tuple(server.address for server in servers), SHA)
