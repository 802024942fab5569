# SPDX-License-Identifier: Apache-2.0
"""A server of views under attack: it refuses by a Status, stays alive and small, and serves the
others.
"""

import contextlib
import json
import pathlib
import re
import ssl
import subprocess
import threading
import urllib.parse

import pytest

from cluster.components import Options
from harness import process
from harness.cluster import Cluster
from harness.kube import wait_until
from harness.paths import REPOSITORY
from harness.views import ViewOptions, ViewServer
from hostile import asks, projections
from hostile.asks import ROOT, SHEEP
from hostile.doors import AGGREGATOR, LISTENER, Door, Replies
from hostile.measure import TIMES, assert_within

HERD = REPOSITORY / "test" / "e2e" / "views"
EVIL = "/apis/evil.example.com/v1"
IDENTITY = (("X-Remote-User", "admin"), ("X-Remote-Group", "system:masters"))
CPU_SECONDS = 2
MIB = 1 << 20
RISE_BYTES = 256 * MIB
WATCHES_MAX = 500
CONNECTIONS_MAX = 1000
WAIT_SECONDS = 40 * TIMES


class Target:
    """A server of views behind the aggregator, and the doors to it."""

    def __init__(self, plane: Cluster, server: ViewServer):
        self.plane, self.server = plane, server
        api_server = urllib.parse.urlsplit(plane.kube.connection.access.server)
        self.listener = Door(server.port, plane.state.pki / "front-proxy-client", IDENTITY)
        self.stranger = Door(server.port)
        self.doors = {
            LISTENER: self.listener,
            AGGREGATOR: Door(api_server.port, plane.state.pki / "admin"),
        }

    def serves(self) -> None:
        """Asserts that others are served, and that a write gets through."""
        assert self.server.running(), process.tail(self.server.log_path)
        listed = self.plane.kube.request("GET", SHEEP, timeout_seconds=60 * TIMES)
        assert "dolly" in [item["metadata"]["name"] for item in listed["items"]]

    @contextlib.contextmanager
    def bounded(self, cpu_seconds: float = CPU_SECONDS, rise_bytes: int = RISE_BYTES):
        """Asserts after an attack that it cost little and that others are served."""
        pid = self.server.pid
        with pathlib.Path(f"/proc/{pid}/clear_refs").open("w", encoding="ascii") as file:
            file.write("5")  # Resets the peak.
        before, resident = process.cpu_seconds(pid), process.resident_bytes(pid)
        yield
        self.serves()
        assert_within(process.cpu_seconds(pid) - before, cpu_seconds)
        rise = process.peak_resident_bytes(pid) - resident
        assert rise <= TIMES * rise_bytes, f"{rise >> 20} MiB"


@pytest.fixture(name="plane", scope="module")
def fixture_plane():
    """A control plane of our own."""
    with Cluster.start(options=Options(pods=False)) as cluster:
        yield cluster


@pytest.fixture(name="target", scope="module")
def fixture_target(plane):
    """The herd, with a sheep that is always there."""
    with ViewServer(plane.kube, ViewOptions(plane.kubeconfig, HERD, "default/herd")) as server:
        server.create_service()
        server.start()
        server.wait_available("v1.herd.example.com")
        plane.kube.request("POST", SHEEP, json.loads(asks.sheep(metadata={"name": "dolly"})))
        yield Target(plane, server)


def cases(door: str) -> list:
    """Returns the requests of one door, with their codes."""
    return [
        pytest.param(ask, door, code, id=f"{ask.name}, {door}")
        for ask in asks.ALL
        if (code := getattr(ask, door)) is not None
    ]


@pytest.mark.parametrize(("ask", "door", "code"), [*cases(LISTENER), *cases(AGGREGATOR)])
def test_a_hostile_request_is_answered(target, ask, door, code):
    with target.bounded():
        answer = target.doors[door].ask(ask.method, ask.target, ask.headers, ask.body)
        assert answer.code == code, (answer.code, answer.body[:2000])
        assert "x-evil" not in answer.headers
        if code >= 400 and ask.method != "HEAD":
            message = answer.status()["message"]
            # Before it asks us, the API server checks the request itself, and says so in its words.
            assert door == AGGREGATOR or re.search(ask.message, message), message


def test_names_are_distinct():
    for names in ([ask.name for ask in asks.ALL], [one.kind for one in projections.ALL]):
        assert len(names) == len(set(names))


RAW = {
    "noise": b"\x00\xff\x16\x03" * 100,
    "no version": b"GET /healthz\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a line without an end": b"GET /" + b"a" * 200000,
    "a header of 70 kB": b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: " + b"a" * 70000 + b"\r\n\r\n",
    "10,000 headers": b"GET /healthz HTTP/1.1\r\nHost: a\r\n" + b"X-A: a\r\n" * 10000 + b"\r\n",
    "a header without a colon": b"GET /healthz HTTP/1.1\r\nHost a\r\n\r\n",
    "two lengths": (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"
    ),
    "a negative length": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "a length beyond 64 bits": (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n"
    ),
    "a length and chunks": (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding:"
        b" chunked\r\n\r\n0\r\n\r\n"
    ),
    "a chunk of noise": (
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"
    ),
    "chunks beyond all": (
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nab"
    ),
}


@pytest.mark.parametrize("raw", [pytest.param(raw, id=name) for name, raw in RAW.items()])
def test_what_is_no_request_ends_the_connection(target, raw):
    with target.bounded():
        answer = target.listener.send(raw)
        assert answer.code == 0 or 400 <= answer.code < 500, answer


def test_a_header_beyond_the_limit_is_refused(target):
    with target.bounded():
        answer = target.listener.ask("GET", SHEEP, (("X-A", "a" * 100_000),))
        assert (answer.code, answer.body) == (431, b"431 Request Header Fields Too Large")
        # A stranger is not told: it might go on sending for as long as it is listened to.
        assert target.stranger.send(RAW["a header of 70 kB"]).code == 0


def test_a_client_that_sends_on_after_a_refusal_is_cut_off(target):
    with target.bounded(), contextlib.closing(target.listener.open()) as connection:
        connection.sendall(target.listener.head("POST", SHEEP, (("Content-Length", str(1 << 40)),)))

        def is_cut_off() -> bool:
            try:
                connection.sendall(b" " * 100_000)
                return False
            except OSError:
                return True

        wait_until(is_cut_off, timeout_seconds=WAIT_SECONDS, what="the end of the connection")


def test_a_client_without_a_certificate_learns_nothing(target):
    for path in (SHEEP, ROOT, "/apis", "/openapi/v2", "/openapi/v3", "/metrics", "/version", "/"):
        answer = Door(target.server.port, None, IDENTITY).ask("GET", path)
        assert answer.code == 401
        assert "sheep" not in answer.status()["message"]
    assert target.stranger.ask("GET", "/healthz").code == 200
    assert target.stranger.ask("POST", "/healthz").code == 401


def make_certificate(plane: Cluster, name: str, *options: str) -> None:
    """Makes a client certificate and its key; with CA options signed, else by itself."""
    pki = plane.state.pki
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-addext",
            "extendedKeyUsage=clientAuth",
            "-keyout",
            pki / f"{name}.key",
            "-out",
            pki / f"{name}.crt",
            *options,
        ],
        check=True,
        capture_output=True,
    )


@pytest.mark.parametrize(
    ("subject", "authority", "code"),
    [
        ("/CN=front-proxy-client", "own", 0),
        ("/CN=front-proxy-client", "ca", 0),
        ("/CN=stranger", "front-proxy-ca", 401),
        ("/O=front-proxy-client", "front-proxy-ca", 401),
        ("/CN=Front-Proxy-Client", "front-proxy-ca", 401),
        ("/CN=front-proxy-client.evil", "front-proxy-ca", 401),
    ],
    ids=[
        "signed by itself",
        "signed by the cluster's authority",
        "another name",
        "no name",
        "the name in capitals",
        "a longer name",
    ],
)
def test_a_certificate_that_is_not_the_aggregators_is_refused(target, subject, authority, code):
    pki = target.plane.state.pki
    signed = (
        ()
        if authority == "own"
        else (
            "-CA",
            pki / f"{authority}.crt",
            "-CAkey",
            pki / f"{authority}.key",
            "-addext",
            "basicConstraints=CA:FALSE",
        )
    )
    make_certificate(target.plane, "evil", "-subj", subject, *signed)
    with target.bounded():
        try:
            assert Door(target.server.port, pki / "evil", IDENTITY).ask("GET", SHEEP).code == code
        except (ssl.SSLError, ConnectionError):
            assert code == 0


def test_a_head_request_leaves_nothing_behind(target):
    """A body would be taken for the answer to the next request, which may be another client's."""
    with contextlib.closing(target.listener.open()) as connection:
        connection.sendall(target.listener.head("HEAD", f"{SHEEP}/dolly"))
        replies = Replies(connection)
        assert replies.next("HEAD").code == 405
        connection.sendall(target.listener.head("GET", f"{SHEEP}/dolly"))
        answer = replies.next()
        assert (answer.code, json.loads(answer.body)["metadata"]["name"]) == (200, "dolly")


def test_the_aggregator_is_not_disturbed_by_head_requests(target):
    door = target.doors[AGGREGATOR]
    for _ in range(50):
        assert door.ask("HEAD", f"{SHEEP}/dolly").code == 405
        assert door.ask("GET", f"{SHEEP}/dolly").code == 200


def test_strangers_cannot_fill_the_memory(target):
    """A client without a certificate has nothing to send."""
    part = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" + b" " * 2900000
    with target.bounded(rise_bytes=64 * MIB), contextlib.ExitStack() as held:
        for _ in range(100):
            connection = held.enter_context(contextlib.closing(target.stranger.open()))
            connection.settimeout(1)
            with contextlib.suppress(OSError):
                connection.sendall(part)
        target.serves()


def test_strangers_cannot_take_all_connections(target):
    with target.bounded(cpu_seconds=20), contextlib.ExitStack() as held:
        for _ in range(CONNECTIONS_MAX + 100):
            with contextlib.suppress(OSError):
                held.enter_context(contextlib.closing(target.stranger.open()))
        # Also for connections that the aggregator has yet to make.
        assert target.listener.ask("GET", SHEEP).code == 200
        target.serves()


def test_slow_bodies_delay_nobody(target):
    head = target.listener.head("POST", SHEEP, (asks.JSON, ("Content-Length", "1000")))
    with target.bounded(), contextlib.ExitStack() as held:
        for _ in range(100):
            connection = held.enter_context(contextlib.closing(target.listener.open()))
            connection.sendall(head + b"{")
        target.serves()


def test_requests_whose_clients_have_gone_end(target):
    """Their work is not worth doing, and others wait for its place."""
    body = asks.steps(("add", "/spec/l", asks.EMPTY * 900_000), *[("add", "/spec/l/0", 0)] * 990)
    head = target.listener.head(
        "PATCH", f"{SHEEP}/dolly", (asks.STEPS, ("Content-Length", str(len(body))))
    )
    with target.bounded(cpu_seconds=20, rise_bytes=3 * RISE_BYTES):
        for _ in range(12):
            with contextlib.closing(target.listener.open()) as connection:
                connection.sendall(head + body)
        target.serves()


def test_expensive_patches_delay_nobody(target):
    """As many at the same time as there are workers, and then some: a worker is left to others, and
    the aggregator, which asks for discovery again and again, never calls the views unavailable.
    """
    body = asks.steps(("add", "/spec/l", asks.EMPTY * 900_000), *[("add", "/spec/l/0", 0)] * 990)
    before = target.server.availability("v1.herd.example.com")
    codes = []

    def ask() -> None:
        for _ in range(2):
            codes.append(target.listener.ask("PATCH", f"{SHEEP}/dolly", (asks.STEPS,), body).code)

    with target.bounded(cpu_seconds=40, rise_bytes=5 * RISE_BYTES):
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            target.serves()
        for thread in threads:
            thread.join()
    assert set(codes) <= {422, 429} and len(codes) == 16 and 422 in codes
    assert before["status"] == "True"
    assert target.server.availability("v1.herd.example.com") == before


def test_watches_beyond_the_limit_are_refused(target):
    request = target.listener.head("GET", f"{SHEEP}?watch=1&resourceVersion=0")
    with target.bounded(cpu_seconds=30):
        codes = []
        with contextlib.ExitStack() as held:
            for _ in range(WATCHES_MAX + 100):
                connection = held.enter_context(contextlib.closing(target.listener.open()))
                connection.sendall(request)
                reply = connection.recv(4096)
                codes.append(int(reply.split()[1]))
            target.serves()
        assert set(codes) == {200, 429} and codes.count(200) <= WATCHES_MAX
        assert codes.index(429) >= WATCHES_MAX - 10
    # The places are free again.
    wait_until(
        lambda: target.listener.ask("GET", f"{SHEEP}?watch=1&timeoutSeconds=1").code == 200,
        what="a watch",
    )


def test_many_lists_at_once_are_answered_or_refused(target):
    codes = []

    def ask() -> None:
        for _ in range(10):
            codes.append(target.listener.ask("GET", SHEEP).code)

    with target.bounded(cpu_seconds=60):
        threads = [threading.Thread(target=ask) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert set(codes) <= {200, 429} and len(codes) == 1000 and 200 in codes


@pytest.fixture(name="evil", scope="module")
def fixture_evil(plane, tmp_path_factory):
    """A server of evil projections: a good source in one namespace, an evil one in another."""
    folder = tmp_path_factory.mktemp("views")
    for one in projections.ALL:
        (folder / f"{one.plural}.yaml").write_text(one.text(), encoding="utf-8")
    for name, data in (("good", {}), ("evil", {"evil": "yes"})):
        plane.kube.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        labels = {"hostile": "projection"}
        plane.kube.create(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": name, "namespace": name, "labels": labels},
                "data": {"here": "yes", **data},
            }
        )
    with ViewServer(plane.kube, ViewOptions(plane.kubeconfig, folder, "default/evil")) as server:
        server.create_service()
        server.start()
        server.wait_available("v1.evil.example.com")
        wait_until(server.ready, timeout_seconds=WAIT_SECONDS, what="the views' sync")
        yield server


@pytest.mark.parametrize("projection", [pytest.param(one, id=one.kind) for one in projections.ALL])
def test_a_source_that_cannot_be_shown_fails_its_lists_alone(target, evil, projection):
    door = target.doors[AGGREGATOR]
    path = f"{EVIL}/namespaces/%s/{projection.plural}"
    with target.bounded():
        for query in ("", "?resourceVersion=0", "?limit=1"):
            answer = door.ask("GET", path % "evil" + query)
            assert answer.code == 500, answer
            message = answer.status()["message"]
            assert "ConfigMap evil/evil" in message and re.search(
                projection.message, message, re.DOTALL
            ), message
            assert len(answer.body) < 8192
        assert door.ask("GET", f"{EVIL}/{projection.plural}").code == 500
        good = door.ask("GET", path % "good")
        assert [item["spec"] for item in json.loads(good.body)["items"]] == [{"x": "good"}]
        assert door.ask("GET", path % "good" + "/good").code == 200
        assert door.ask("GET", path % "evil" + "/evil").code in (404, 500)
        watch = door.ask("GET", path % "evil" + "?watch=1&resourceVersion=0&timeoutSeconds=5")
        event = json.loads(watch.body)
        assert (watch.code, event["type"], event["object"]["code"]) == (200, "ERROR", 500), watch
    assert evil.running()
