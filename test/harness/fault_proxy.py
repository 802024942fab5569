# SPDX-License-Identifier: Apache-2.0
"""A proxy between the operator and the API server, which cuts requests where a test wants it to."""

import dataclasses
import http.client
import http.server
import os
import pathlib
import ssl
import threading
import time
import urllib.parse

from harness import kubeconfig
from harness.kubeconfig import Access

_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
# Questions, and what is not a state of a release.
_NO_STATE = ("/events", "/leases", "/apis/authorization.k8s.io/", "/apis/authentication.k8s.io/")
_HOP_BY_HOP = frozenset({"connection", "transfer-encoding", "keep-alive", "content-length"})
# A body that is to be rewritten comes whole, and as text.
_CONDITIONAL = frozenset({"accept-encoding", "if-none-match"})
_TIMEOUT_SECONDS = 600.0
_CHUNK_BYTES = 65536


class Cut(Exception):
    """Raised by a fault: the connection of the request is closed without an answer."""


@dataclasses.dataclass(frozen=True)
class Sent:
    """A request of the operator; `path` is without the query."""

    method: str
    path: str
    query: str

    def changes_state(self) -> bool:
        """Reports whether it may change a custom resource, a child or a record."""
        return self.method in _WRITES and not any(part in self.path for part in _NO_STATE)

    def is_of_lease(self) -> bool:
        """Reports whether it is about leader election."""
        return "/leases" in self.path

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Fault:
    """Does no harm. Others derive from it; its calls come from several threads."""

    def before(self, request: Sent) -> None:
        """Is called before a request is passed on; raises Cut to have it never arrive."""

    def after(self, request: Sent) -> None:
        """Is called when the server has answered; raises Cut to have the answer lost."""

    def rewrites(self, _request: Sent) -> bool:
        """Reports whether the answer to a request, no watch, is to be replaced by `rewrite`."""
        return False

    def rewrite(self, _request: Sent, data: bytes) -> bytes:
        """Returns what the operator gets in place of the body `data`."""
        return data

    def event(self, watch: Sent) -> None:
        """Is called before a part of a watch is passed on, with the request that began it."""


class FaultProxy:
    """The proxy, running; a context manager. Attribute: `fault`, which may be replaced at any time.

    It speaks HTTP/1.1 without TLS to the operator. Requests that change state are passed on one at
    a time, so that "the third write" is always the same one. After `disconnect` nothing that was
    sent before is passed on: a process that was killed writes no more.
    """

    def __init__(self, access: Access):
        url = urllib.parse.urlsplit(access.server)
        self.host, self.port = url.hostname, url.port or 443
        self.tls = ssl.create_default_context(cadata=access.ca.decode("ascii"))
        self.fault = Fault()
        self.turn = threading.Lock()
        self.active = time.monotonic()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.proxy = self
        self._server.life = 0

    def __enter__(self) -> "FaultProxy":
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_exc) -> None:
        self._server.shutdown()
        self._server.server_close()

    def kubeconfig(
        self, source: pathlib.Path | str, kubectl: pathlib.Path | str, path: pathlib.Path | str
    ) -> pathlib.Path:
        """Writes a kubeconfig that leads through the proxy, with the token of `source`."""
        access = kubeconfig.read(source, kubectl)
        server = f"http://127.0.0.1:{self._server.server_port}"
        kubeconfig.write(
            path, dataclasses.replace(access, server=server), kubeconfig.Names("proxy", "operator")
        )
        return pathlib.Path(os.fspath(path))

    def wait_quiet(self, seconds: float, timeout_seconds: float = 60.0) -> None:
        """Blocks until for so long no request, answer or event has passed."""
        deadline = time.monotonic() + timeout_seconds
        while (rest := self.active + seconds - time.monotonic()) > 0:
            if time.monotonic() > deadline:
                raise TimeoutError(f"requests and events for {timeout_seconds} s")
            time.sleep(rest)

    def disconnect(self) -> None:
        """Passes on nothing more of what arrives on the connections that exist."""
        self._server.life += 1


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_arguments) -> None:
        """Says nothing: operators that are killed leave broken connections behind."""


class _Handler(http.server.BaseHTTPRequestHandler):
    """One connection of the operator, with one of its own to the API server."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self._proxy: FaultProxy = self.server.proxy
        self._life = self.server.life
        self._upstream = http.client.HTTPSConnection(
            self._proxy.host, self._proxy.port, context=self._proxy.tls, timeout=_TIMEOUT_SECONDS
        )

    def finish(self) -> None:
        self._upstream.close()
        super().finish()

    def _pass_on(self) -> None:
        self._proxy.active = time.monotonic()
        path, _, query = self.path.partition("?")
        request = Sent(self.command, path, query)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            if request.changes_state():
                with self._proxy.turn:
                    reply, data = self._exchange(request, body)
            else:
                reply, data = self._exchange(request, body)
        except Cut:
            self.close_connection = True
            return
        if data is None:
            self._stream(request, reply)
        else:
            self._answer(reply, data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _pass_on

    def _exchange(self, request: Sent, body: bytes):
        """Returns the reply and its body; None for the body of a watch."""
        if self._life != self.server.life:
            raise Cut
        self._proxy.fault.before(request)
        headers = {
            key: text for key, text in self.headers.items() if key.lower() not in _HOP_BY_HOP
        }
        rewrites = self._proxy.fault.rewrites(request)
        if rewrites:
            headers = {
                key: text for key, text in headers.items() if key.lower() not in _CONDITIONAL
            }
        self._upstream.request(self.command, self.path, body or None, headers)
        reply = self._upstream.getresponse()
        data = None if "watch=" in request.query and reply.status == 200 else reply.read()
        self._proxy.active = time.monotonic()
        self._proxy.fault.after(request)
        return reply, self._proxy.fault.rewrite(request, data) if rewrites else data

    def _head(self, reply: http.client.HTTPResponse, *lines: str) -> bytes:
        kept = [
            f"{key}: {text}" for key, text in reply.getheaders() if key.lower() not in _HOP_BY_HOP
        ]
        head = [f"HTTP/1.1 {reply.status} {reply.reason}", *kept, *lines, "", ""]
        return "\r\n".join(head).encode("latin-1")

    def _answer(self, reply: http.client.HTTPResponse, data: bytes) -> None:
        self.wfile.write(self._head(reply, f"Content-Length: {len(data)}") + data)

    def _stream(self, request: Sent, reply: http.client.HTTPResponse) -> None:
        self.close_connection = True
        self.wfile.write(self._head(reply, "Connection: close"))
        while data := reply.read1(_CHUNK_BYTES):
            self._proxy.active = time.monotonic()
            self._proxy.fault.event(request)
            self.wfile.write(data)

    def log_message(self, *_arguments) -> None:
        """Says nothing."""
