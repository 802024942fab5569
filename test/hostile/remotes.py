# SPDX-License-Identifier: Apache-2.0
"""Servers of schemas: documents without end, redirects, and replies that are not answers."""

import functools
import gzip
import http.server
import json
import pathlib
import re
import threading
from collections.abc import Callable

from hostile.vector import TEMPLATE, Vector, chart

WRONG = "values don't meet the specifications of the schema"
FAR_TOO_LARGE = 64 << 20


class Server(http.server.ThreadingHTTPServer):
    """Answers each path by the function registered for its first part."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, Callable[[Handler], None]] = {}

    def handle_error(self, request: object, client_address: object):
        """Ignores clients that hang up, as they should."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # pylint: disable=invalid-name
        self.server.answers[self.path.split("/")[1]](self)

    def head(self, status: int = 200, **headers: str) -> None:
        """Sends the head of a response."""
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()

    def number(self) -> int:
        """Returns the number at the end of the path."""
        return int(re.search(r"\d*$", self.path).group() or 0)

    def log_message(self, format: str, *args):  # pylint: disable=redefined-builtin
        pass


@functools.cache
def server() -> Server:
    """The server of all attacks, which ends with the process."""
    made = Server()
    threading.Thread(target=made.serve_forever, daemon=True).start()
    return made


def remote(
    name: str,
    answer: Callable[[Handler], None],
    error: str,
    paths: tuple[str, ...] = ("/0",),
    **rest,
) -> Vector:
    """An attack by what a server answers for the addresses of a schema."""
    key = re.sub(r"\W+", "-", name)

    def make(folder: pathlib.Path) -> pathlib.Path:
        server().answers[key] = answer
        urls = [f"http://127.0.0.1:{server().server_port}/{key}{path}" for path in paths]
        schema = json.dumps({"allOf": [{"$ref": url} for url in urls]})
        return chart({"values.schema.json": schema, "values.yaml": "a: 1\n", TEMPLATE: "a: 1\n"})(
            folder
        )

    return Vector(f"remote schema: {name}", make, error, **rest)


def document(body: bytes, **headers: str) -> Callable[[Handler], None]:
    """Answers with these bytes."""

    def answer(on: Handler) -> None:
        on.head(Content_Length=str(len(body)), **headers)
        on.wfile.write(body)

    return answer


def next_one(on: Handler) -> None:
    """Answers with a reference to the next document."""
    document(json.dumps({"$ref": str(on.number() + 1)}).encode())(on)


def redirect(to: str) -> Callable[[Handler], None]:
    """Answers with a redirect."""
    return lambda on: on.head(302, Location=to.format(on.number() + 1), Content_Length="0")


def endless(on: Handler) -> None:
    """Answers with a body that does not end."""
    on.head(Transfer_Encoding="chunked")
    while True:
        on.wfile.write(b"10000\r\n" + b" " * 0x10000 + b"\r\n")


def exabyte(on: Handler) -> None:
    """Announces more than anyone has, and sends as much as it can."""
    on.head(Content_Length=str(1 << 60))
    while True:
        on.wfile.write(b" " * 0x10000)


def endless_head(on: Handler) -> None:
    """Answers with headers that do not end."""
    on.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        on.wfile.write(b"X-Y: " + b"z" * 1000 + b"\r\n")


def silent(on: Handler) -> None:
    """Answers nothing for as long as the client waits."""
    on.rfile.read(1)


def short(on: Handler) -> None:
    """Promises more than it sends."""
    on.head(Content_Length="1000")
    on.wfile.write(b"{")
    on.close_connection = True


def no_http(on: Handler) -> None:
    """Answers with bytes that are not HTTP."""
    on.wfile.write(b"\x00\x01\x02 {}\n")
    on.close_connection = True


ALL = [
    remote("documents without end", next_one, "refers to more than 100 other documents"),
    remote(
        "very many documents",
        document(b"{}"),
        "refers to more than 100 other documents",
        tuple(f"/{n}" for n in range(5000)),
    ),
    remote(
        "documents that are large together",
        document(b" " * (4 << 20) + b"{}"),
        "documents of more than 16 MiB together",
        tuple(f"/{n}" for n in range(20)),
    ),
    remote("a body without end", endless, "larger than 5242880 bytes"),
    remote("a length of an exabyte", exabyte, "larger than 5242880 bytes"),
    remote("a head without end", endless_head, "header is larger than"),
    remote(
        "a compressed body that nobody asked for",
        document(gzip.compress(b" " * FAR_TOO_LARGE), Content_Encoding="gzip"),
        "invalid character",
    ),
    remote("silence", silent, "context deadline exceeded"),
    remote("less than promised", short, "HTTP request failed"),
    remote("no HTTP", no_http, "HTTP request failed"),
    remote("redirects without end", redirect("{}"), "stopped after 10 redirects"),
    remote(
        "a redirect to a file",
        redirect("file:///etc/passwd"),
        "unsupported protocol scheme",
        secret="root:x",
    ),
    remote(
        "a redirect with a password",
        redirect("http://me:secret@127.0.0.1:9/"),
        "a user name or password is not sent",
        secret="me:secret@",
    ),
    remote("a redirect with a line break", redirect("/\t\x7f"), WRONG),
    remote("a redirect of great length", redirect("/" + "a" * 60000), WRONG),
    remote(
        "a document that refers to a file",
        document(b'{"$ref":"file:///etc/passwd"}'),
        "no such file or directory",
        secret="root:x",
    ),
    remote(
        "deep JSON", document(b'{"not":' * 100000 + b"{}" + b"}" * 100000), WRONG + "|depth|deep"
    ),
    remote("a document that is itself", document(b'{"$ref":"0"}'), WRONG),
    remote("a pattern that is too large", document(b'{"pattern":"(a{1000}){1000}"}'), WRONG),
    remote(
        "a schema of schemas of its own",
        document(b'{"$schema":"http://127.0.0.1:9/"}'),
        "is not a draft of JSON Schema",
    ),
    remote("bytes that are not text", document(bytes(range(256)) * 1000), "invalid character"),
]
