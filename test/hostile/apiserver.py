# SPDX-License-Identifier: Apache-2.0
"""A small in-process API server that attacks can manipulate.

It has just enough for `chartwright run` to start and reconcile. It does not prove how an API
server behaves; test/cluster does.
"""

import copy
import http.server
import itertools
import json
import queue
import re
import ssl
import threading
import urllib.parse
from collections.abc import Callable, Iterable

GROUP = "hostile.example"
NAMESPACE = "default"
INITIAL_EVENTS_END = "k8s.io/initial-events-end"
CORE = {
    "configmaps": "ConfigMap",
    "secrets": "Secret",
    "events": "Event",
    "services": "Service",
    "persistentvolumeclaims": "PersistentVolumeClaim",
}
# Interval at which an open watch checks whether the server closes.
POLL_SECONDS = 0.2


def fields_of(value: object) -> dict:
    """Returns the fieldsV1 of an applied object; a list counts as one field."""
    if not isinstance(value, dict) or not value:
        return {}
    return {f"f:{key}": fields_of(inner) for key, inner in value.items()}


def merged(live: object, patch: object) -> object:
    """Returns the live object merged with the patch; removes nothing."""
    if not (isinstance(live, dict) and isinstance(patch, dict)):
        return copy.deepcopy(patch)
    return {**live, **{key: merged(live.get(key), value) for key, value in patch.items()}}


class ApiServer(http.server.ThreadingHTTPServer):
    """Objects in memory, their watches, and the received requests. Thread-safe."""

    daemon_threads = True
    # Threads of open watches end with the process; they must not delay close().
    block_on_close = False
    request_queue_size = 256

    def __init__(self, kinds: Iterable[str], context: ssl.SSLContext | None = None):
        """Serves `kinds` of GROUP/v1 and some kinds of core/v1; over TLS if `context` is given."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.resources = {("", plural): kind for plural, kind in CORE.items()}
        self.resources |= {(GROUP, kind.lower() + "s"): kind for kind in kinds}
        self.scheme = "https" if context else "http"
        if context:
            self.socket = context.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
        self.lock = threading.RLock()
        self.objects: dict[tuple, dict] = {}
        self.versions = itertools.count(1000)
        self.watches: dict[tuple, list[queue.Queue]] = {}
        self.requests: list[tuple[str, str, bytes]] = []
        self.answers: dict[tuple[str, str], Callable] = {}
        self.closing = threading.Event()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        """Returns the URL of the server."""
        return f"{self.scheme}://127.0.0.1:{self.server_address[1]}"

    def close(self) -> None:
        """Stops the server and ends open watches."""
        self.closing.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores clients that disconnect."""

    def put(
        self, group: str, plural: str, body: dict, *, manager: str | None = None
    ) -> tuple[dict, bool]:
        """Creates or merges an object and notifies watches; returns it and whether it is new."""
        with self.lock:
            name = body["metadata"]["name"]
            key = (group, plural, name)
            live = self.objects.get(key)
            obj = merged(live or {"metadata": {}}, body)
            version = str(next(self.versions))
            metadata = obj["metadata"]
            metadata.setdefault("namespace", NAMESPACE)
            metadata.setdefault("uid", f"00000000-0000-4000-8000-{version:0>12}")
            metadata.setdefault("creationTimestamp", "2026-01-01T00:00:00Z")
            if live is None or live.get("spec") != obj.get("spec"):
                metadata["generation"] = metadata.get("generation", 0) + 1
            metadata["resourceVersion"] = version
            if manager:
                own = {
                    key: value
                    for key, value in body.items()
                    if key not in ("apiVersion", "kind", "metadata")
                }
                meta = {
                    key: fields_of(value)
                    for key, value in body["metadata"].items()
                    if key in ("labels", "annotations")
                }
                fields = fields_of(own) | (
                    {"f:metadata": {f"f:{key}": value for key, value in meta.items()}}
                    if meta
                    else {}
                )
                metadata["managedFields"] = [
                    {
                        "manager": manager,
                        "operation": "Apply",
                        "apiVersion": obj["apiVersion"],
                        "fieldsType": "FieldsV1",
                        "fieldsV1": fields,
                    }
                ]
            self.objects[key] = obj
            self._tell(group, plural, "ADDED" if live is None else "MODIFIED", obj)
            return copy.deepcopy(obj), live is None

    def remove(self, group: str, plural: str, name: str) -> dict | None:
        """Deletes an object despite finalizers and notifies watches; None if it did not exist."""
        with self.lock:
            obj = self.objects.pop((group, plural, name), None)
            if obj is not None:
                obj["metadata"]["resourceVersion"] = str(next(self.versions))
                self._tell(group, plural, "DELETED", obj)
            return obj

    def get(self, group: str, plural: str, name: str) -> dict | None:
        """Returns a copy of an object; None if it does not exist."""
        with self.lock:
            return copy.deepcopy(self.objects.get((group, plural, name)))

    def push(self, group: str, plural: str, stream: bytes | Iterable[bytes] | None) -> int:
        """Sends raw bytes to all watches of a kind (None: ends them); returns their number."""
        with self.lock:
            watches = self.watches.get((group, plural), [])
            for watch in watches:
                watch.put(stream)
            return len(watches)

    def seen(self, method: str, part: str) -> list[bytes]:
        """Returns the bodies of the requests whose target contains `part`."""
        with self.lock:
            return [
                body for verb, target, body in self.requests if verb == method and part in target
            ]

    def listed(self, group: str, plural: str) -> list[dict]:
        """Returns all objects of a kind."""
        return [obj for key, obj in self.objects.items() if key[:2] == (group, plural)]

    def _tell(self, group: str, plural: str, event: str, obj: dict) -> None:
        line = json.dumps({"type": event, "object": obj}).encode() + b"\n"
        self.push(group, plural, line)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ApiServer

    def log_message(self, *_args) -> None:
        """Prints nothing: requests are recorded instead."""

    def serve(self) -> None:
        """Answers one request."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(self.path)
        query = {key: values[0] for key, values in urllib.parse.parse_qs(url.query).items()}
        with self.server.lock:
            self.server.requests.append((self.command, self.path, body))
            # Keyed by method and suffix of the path; the function answers with this handler.
            answer = next(
                (
                    each
                    for (verb, end), each in self.server.answers.items()
                    if verb == self.command and url.path.endswith(end)
                ),
                None,
            )
        if answer is not None:
            answer(self)
        elif url.path == "/version":
            self.reply(200, {"major": "1", "minor": "36", "gitVersion": "v1.36.0"})
        elif url.path in ("/api", "/apis"):
            self.reply(200, self.discovery(url.path == "/api"))
        else:
            self.resource(url.path.strip("/").split("/"), query, body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = serve

    def reply(self, code: int, body: dict | bytes) -> None:
        """Sends a complete answer."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def fail(self, code: int, reason: str) -> None:
        """Answers with a Status."""
        self.reply(
            code,
            {
                "kind": "Status",
                "apiVersion": "v1",
                "status": "Failure",
                "message": reason,
                "reason": reason,
                "code": code,
            },
        )

    def discovery(self, core: bool) -> dict:
        """Returns the aggregated discovery document of one root."""
        wanted = [
            (plural, kind)
            for (group, plural), kind in self.server.resources.items()
            if (group == "") == core
        ]
        resources = [
            {
                "resource": plural,
                "responseKind": {"kind": kind},
                "scope": "Namespaced",
                "subresources": (
                    [] if core else [{"subresource": "status", "responseKind": {"kind": kind}}]
                ),
            }
            for plural, kind in wanted
        ]
        group = {
            "metadata": {"name": "" if core else GROUP},
            "versions": [{"version": "v1", "resources": resources}],
        }
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": "apidiscovery.k8s.io/v2",
            "items": [group],
        }

    def resource(self, path: list[str], query: dict, body: bytes) -> None:
        """Answers a request for a collection or an object."""
        group = "" if path[0] == "api" else path[1]
        rest = path[2:] if path[0] == "api" else path[3:]
        rest = rest[2:] if rest[:1] == ["namespaces"] and len(rest) > 2 else rest
        if not rest or (group, rest[0]) not in self.server.resources:
            self.fail(404, "NotFound")
        elif len(rest) == 1 and self.command == "GET":
            (self.watch if query.get("watch") else self.list)(group, rest[0], query)
        elif len(rest) == 1:
            self.write(group, rest[0], json.loads(body), None)
        else:
            self.one(group, rest, query, body)

    def one(self, group: str, rest: list[str], query: dict, body: bytes) -> None:
        """Answers a request for one object."""
        name = urllib.parse.unquote(rest[1])
        if self.command in ("PATCH", "PUT"):
            given = json.loads(body)
            given.setdefault("metadata", {})["name"] = name
            given["metadata"].pop("resourceVersion", None)
            if rest[2:] == ["status"]:
                given = {"metadata": {"name": name}, "status": given.get("status", {})}
                self.reply(200, self.server.put(group, rest[1 - 1], given)[0])
            else:
                self.write(group, rest[0], given, query.get("fieldManager"))
            return
        found = (
            self.server.get(group, rest[0], name)
            if self.command == "GET"
            else self.server.remove(group, rest[0], name)
        )
        self.reply(200, found) if found is not None else self.fail(404, "NotFound")

    def write(self, group: str, plural: str, obj: dict, manager: str | None) -> None:
        """Answers a create or an apply."""
        if self.command == "POST" and self.server.get(
            group, plural, obj["metadata"].get("name", "")
        ):
            self.fail(409, "AlreadyExists")
            return
        obj["metadata"].setdefault(
            "name", obj["metadata"].get("generateName", "x") + str(next(self.server.versions))
        )
        written, fresh = self.server.put(group, plural, obj, manager=manager)
        self.reply(201 if fresh else 200, written)

    def list(self, group: str, plural: str, query: dict) -> None:
        """Answers with all objects of a kind that match the label selector (see `selected`)."""
        with self.server.lock:
            items = [
                obj
                for obj in self.server.listed(group, plural)
                if selected(obj, query.get("labelSelector", ""))
            ]
            self.reply(
                200,
                {
                    "kind": "List",
                    "apiVersion": "v1",
                    "metadata": {"resourceVersion": str(next(self.server.versions))},
                    "items": items,
                },
            )

    def watch(self, group: str, plural: str, query: dict) -> None:
        """Streams the events of `put`, `remove` and `push` until the server closes."""
        mine: queue.Queue = queue.Queue()
        with self.server.lock:
            if query.get("sendInitialEvents"):
                self.begin_watch(group, plural, query, mine)
            elif not query.get("resourceVersion", "0").isdecimal():
                self.fail(410, "Expired")
                return
            else:
                self.resume_watch(group, plural, query, mine)
            self.server.watches.setdefault((group, plural), []).append(mine)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            while not self.server.closing.is_set():
                try:
                    stream = mine.get(timeout=POLL_SECONDS)
                except queue.Empty:
                    continue
                if stream is None:
                    self.wfile.write(b"0\r\n\r\n")
                    return
                for part in [stream] if isinstance(stream, bytes) else stream:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        except OSError:
            self.close_connection = True
        finally:
            with self.server.lock:
                self.server.watches[(group, plural)].remove(mine)

    def begin_watch(self, group: str, plural: str, query: dict, mine: queue.Queue) -> None:
        """Queues the existing objects and the bookmark that ends them."""
        for obj in self.server.listed(group, plural):
            if selected(obj, query.get("labelSelector", "")):
                mine.put(json.dumps({"type": "ADDED", "object": obj}).encode() + b"\n")
        mark = {
            "metadata": {
                "resourceVersion": str(next(self.server.versions)),
                "annotations": {INITIAL_EVENTS_END: "true"},
            }
        }
        mine.put(json.dumps({"type": "BOOKMARK", "object": mark}).encode() + b"\n")

    def resume_watch(self, group: str, plural: str, query: dict, mine: queue.Queue) -> None:
        """Queues objects newer than the client's version; does not report deletions."""
        for obj in self.server.listed(group, plural):
            newer = int(obj["metadata"]["resourceVersion"]) > int(query.get("resourceVersion", "0"))
            if newer and selected(obj, query.get("labelSelector", "")):
                mine.put(json.dumps({"type": "MODIFIED", "object": obj}).encode() + b"\n")


def selected(obj: dict, selector: str) -> bool:
    """Reports whether the object matches a selector: requirements `k`, `k=v` and `k in (v,w)`, all
    that the operator needs.
    """
    labels = obj["metadata"].get("labels", {})
    return all(
        meets(labels, requirement) for requirement in re.findall(r"[^,(]+(?:\([^)]*\))?", selector)
    )


def meets(labels: object, requirement: str) -> bool:
    """Reports whether labels, which may be of any type in an attack, meet one requirement of a
    selector.
    """
    key, equal, among = re.fullmatch(r"([^ =!]+)(?:=(.*)| in \((.*)\))?", requirement).groups()
    if not isinstance(labels, dict) or key not in labels:
        return False
    return (
        labels[key] == equal
        if equal is not None
        else among is None or labels[key] in among.split(",")
    )
