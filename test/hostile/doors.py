# SPDX-License-Identifier: Apache-2.0
"""The two ways to a view, for requests that no client library sends: bytes over TLS, and what comes
back.
"""

import contextlib
import dataclasses
import functools
import http.client
import io
import json
import pathlib
import socket
import ssl

# Far beyond the wait of a request behind those of the same client, each of which may take seconds
# of a shared processor. The cost of an attack is asserted of the server's processor time.
TIMEOUT_SECONDS = 180
LISTENER, AGGREGATOR = "listener", "aggregator"
ANSWER_BYTES_MAX = 32 << 20


@dataclasses.dataclass(frozen=True)
class Answer:
    """A reply; `code` is 0 if the connection was closed without one."""

    code: int
    headers: dict
    body: bytes

    def status(self) -> dict:
        """Returns the Status object of a refusal, which must be complete."""
        found = json.loads(self.body)
        assert (found["kind"], found["apiVersion"], found["status"]) == (
            "Status",
            "v1",
            "Failure",
        ), found
        assert found["code"] == self.code and found["reason"] and found["message"], found
        return found


@dataclasses.dataclass(frozen=True)
class Door:
    """An address, and the certificate and headers with which one enters."""

    port: int
    certificate: pathlib.Path | None = None  # Without its suffix.
    headers: tuple[tuple[str, str], ...] = ()

    @functools.cached_property
    def _tls(self) -> ssl.SSLContext:
        # Not the default context, which reads all authorities of the machine.
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        tls.check_hostname = False
        tls.verify_mode = ssl.CERT_NONE
        if self.certificate is not None:
            tls.load_cert_chain(f"{self.certificate}.crt", f"{self.certificate}.key")
        return tls

    def open(self, timeout: float = TIMEOUT_SECONDS) -> ssl.SSLSocket:
        """Returns a connection after its handshake."""
        plain = socket.create_connection(("127.0.0.1", self.port), timeout)
        try:
            return self._tls.wrap_socket(plain)
        except BaseException:
            plain.close()
            raise

    def head(self, method: str, target: str, headers: tuple = ()) -> bytes:
        """Returns the head of a request."""
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
        lines += [f"{name}: {text}" for name, text in (*self.headers, *headers)]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def ask(
        self, method: str, target: str, headers: tuple = (), body: bytes | None = None
    ) -> Answer:
        """Sends one request and returns the reply."""
        if body is not None:
            headers = (*headers, ("Content-Length", str(len(body))))
        return self.send(
            self.head(method, target, (*headers, ("Connection", "close"))) + (body or b""), method
        )

    def send(self, raw: bytes, method: str = "GET") -> Answer:
        """Sends bytes and returns the first reply to them."""
        with contextlib.closing(self.open()) as connection:
            with contextlib.suppress(OSError):  # It may be refused before it is complete.
                connection.sendall(raw)
            return Replies(connection).next(method)


class Replies:
    """The replies of a connection, one after the other: what one leaves belongs to the next."""

    def __init__(self, connection: ssl.SSLSocket):
        self._file = connection.makefile("rb")

    def makefile(self, _mode: str) -> io.BufferedIOBase:
        """Returns a file for one reply, which http.client closes."""
        return _Kept(self._file)

    def next(self, method: str = "GET") -> Answer:
        """Reads the reply to the next request."""
        return _read(http.client.HTTPResponse(self, method=method))


class _Kept(io.BufferedIOBase):
    """A file whose end is not that of the connection."""

    def __init__(self, file: io.BufferedReader):
        self._file = file

    def read(self, size: int | None = -1) -> bytes:
        """Reads as the connection does."""
        return self._file.read(size)

    def readinto(self, buffer: bytearray | memoryview) -> int:
        """Reads as the connection does."""
        return self._file.readinto(buffer)

    def readline(self, size: int | None = -1) -> bytes:
        """Reads as the connection does."""
        return self._file.readline(size)


def _read(reply: http.client.HTTPResponse) -> Answer:
    try:
        reply.begin()
        return Answer(
            reply.status,
            {k.lower(): v for k, v in reply.getheaders()},
            reply.read(ANSWER_BYTES_MAX),
        )
    except (http.client.HTTPException, ConnectionError, ssl.SSLError):
        return Answer(0, {}, b"")
