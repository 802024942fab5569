# SPDX-License-Identifier: Apache-2.0
"""A web server on a loopback port that serves documents, and records what is asked of it."""

import contextlib
import dataclasses
import http.server
import json
import ssl
import threading


@dataclasses.dataclass(frozen=True)
class Answer:
    """A response; `body` may be an object, which is served as JSON."""

    body: object = b""
    status: int = 200
    headers: dict = dataclasses.field(default_factory=dict)

    def data(self) -> bytes:
        """Returns the bytes of the body."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Documents(http.server.ThreadingHTTPServer):
    """Answers by path; 404 for others. `seen` has the path and headers of each request."""

    daemon_threads = True

    def __init__(self, context: ssl.SSLContext | None = None):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scheme = "https" if context else "http"
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.answers: dict[str, Answer] = {}
        self.seen: list[tuple[str, dict]] = []

    def url(self, path: str) -> str:
        """Returns the address of a path."""
        return f"{self.scheme}://127.0.0.1:{self.server_port}{path}"

    def put(self, path: str, body: object, status: int = 200, **headers: str) -> str:
        """Serves a document, and returns its address."""
        self.answers[path] = Answer(body, status, headers)
        return self.url(path)

    def paths(self) -> list[str]:
        """Returns the paths that were asked for, in order."""
        return [path for path, _ in self.seen]

    def handle_error(self, request: object, client_address: object):
        """Ignores clients that hang up."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # pylint: disable=invalid-name
        self.server.seen.append((self.path, dict(self.headers)))
        answer = self.server.answers.get(self.path, Answer(status=404))
        data = answer.data()
        self.send_response(answer.status)
        for name, value in {"Content-Length": str(len(data)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args):  # pylint: disable=redefined-builtin
        pass


@contextlib.contextmanager
def serve(context: ssl.SSLContext | None = None):
    """Runs a server for as long as the context lasts."""
    with Documents(context) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
