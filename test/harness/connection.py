# SPDX-License-Identifier: Apache-2.0
"""HTTPS to one API server: a persistent connection per thread, JSON, typed errors."""

import http.client
import json
import os
import pathlib
import socket
import ssl
import tempfile
import threading
import urllib.parse

from harness.kubeconfig import Access

REQUEST_TIMEOUT_SECONDS = 30.0


class ApiError(Exception):
    """The API server refused a request; has the parts of its Status object."""

    def __init__(self, code: int, body: dict, request: str):
        self.code = code
        self.reason = body.get("reason", "")
        self.message = body.get("message", "")
        self.causes = body.get("details", {}).get("causes", [])
        self.body = body
        super().__init__(f"{request}: {code} {self.reason}: {self.message}")


class Connection:
    """Sends requests with the credentials of one `Access`. Thread-safe."""

    def __init__(self, access: Access, user_agent: str):
        self.access = access
        self.user_agent = user_agent
        url = urllib.parse.urlsplit(access.server)
        self._host, self._port = url.hostname, url.port or 443
        self._prefix = url.path.rstrip("/")
        self._tls = _tls_context(access)
        self._local = threading.local()

    def request(self, method: str, path: str, body: object = None, **options):
        """Sends one request and returns the decoded JSON reply (text if it is not JSON).

        Options: `query` (dict), `content_type`, `accept`, `timeout_seconds`.
        Raises ApiError for a status of 400 or more, OSError if the server cannot be reached.
        """
        accept = options.get("accept", "application/json")
        target = self._target(path, options.get("query"))
        headers = self._headers(accept)
        data = None
        if body is not None:
            data = json.dumps(body).encode("utf-8")
            headers["Content-Type"] = options.get("content_type", "application/json")
        timeout = options.get("timeout_seconds", REQUEST_TIMEOUT_SECONDS)
        reply = self._exchange((method, target, data, headers), timeout)
        return self._decode(reply, reply.read(), f"{method} {path}")

    def fetch(
        self,
        path: str,
        query: dict | None = None,
        timeout_seconds: float = REQUEST_TIMEOUT_SECONDS,
    ) -> bytes:
        """Returns the reply to a GET as it was sent; raises as `request` does."""
        message = ("GET", self._target(path, query), None, self._headers("application/json"))
        reply = self._exchange(message, timeout_seconds)
        data = reply.read()
        if reply.status >= 400:
            self._decode(reply, data, f"GET {path}")
        return data

    def stream(self, path: str, query: dict, timeout_seconds: float):
        """Opens a watch and yields its events as dicts until the server ends it.

        Raises TimeoutError if nothing arrives for `timeout_seconds`.
        """
        connection = self._open(timeout_seconds)
        try:
            headers = self._headers("application/json")
            connection.request("GET", self._target(path, query), headers=headers)
            reply = connection.getresponse()
            if reply.status >= 400:
                self._decode(reply, reply.read(), f"GET {path}")
            while line := reply.readline():
                yield json.loads(line)
        finally:
            connection.close()

    def _headers(self, accept: str) -> dict:
        headers = {"Accept": accept, "User-Agent": self.user_agent}
        if self.access.token is not None:
            headers["Authorization"] = f"Bearer {self.access.token}"
        return headers

    def _target(self, path: str, query: dict | None) -> str:
        wanted = {key: value for key, value in (query or {}).items() if value is not None}
        return self._prefix + path + ("?" + urllib.parse.urlencode(wanted) if wanted else "")

    def _exchange(self, message: tuple, timeout: float) -> http.client.HTTPResponse:
        kept = getattr(self._local, "connection", None)
        if kept is not None:
            kept.sock.settimeout(timeout)
            try:
                return self._send(kept, message)
            except (http.client.RemoteDisconnected, ConnectionError, ssl.SSLEOFError):
                # The server closed the idle connection or was restarted.
                self._forget()
        self._local.connection = self._open(timeout)
        return self._send(self._local.connection, message)

    def _send(self, connection: http.client.HTTPSConnection, message: tuple):
        method, target, data, headers = message
        try:
            connection.request(method, target, body=data, headers=headers)
            reply = connection.getresponse()
        except BaseException:
            self._forget()
            raise
        if reply.will_close:
            self._local.connection = None
        return reply

    def _forget(self) -> None:
        kept = getattr(self._local, "connection", None)
        if kept is not None:
            kept.close()
        self._local.connection = None

    def _open(self, timeout: float) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection(
            self._host, self._port, timeout=timeout, context=self._tls
        )
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _decode(self, reply: http.client.HTTPResponse, data: bytes, request: str):
        is_json = (reply.getheader("Content-Type") or "").startswith("application/json")
        text = data.decode("utf-8")
        if reply.status < 400:
            return json.loads(text) if is_json else text
        body = json.loads(text) if is_json else {"message": text.strip()}
        raise ApiError(reply.status, body, request)


def _tls_context(access: Access) -> ssl.SSLContext:
    if not access.ca:
        raise ValueError(f"{access.server}: the kubeconfig has no certificate authority")
    context = ssl.create_default_context(cadata=access.ca.decode("ascii"))
    if access.certificate:
        # ssl reads client certificates only from files; these are removed before this returns.
        with tempfile.TemporaryDirectory(prefix="chartwright-tls-") as folder:
            certificate = pathlib.Path(folder, "client.crt")
            key = pathlib.Path(folder, "client.key")
            certificate.write_bytes(access.certificate)
            key.touch(mode=0o600)
            key.write_bytes(access.key)
            context.load_cert_chain(os.fspath(certificate), os.fspath(key))
    return context
