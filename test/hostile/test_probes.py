# SPDX-License-Identifier: Apache-2.0
"""Connections that nobody needs keep no probe out, and none that reads the metrics."""

import contextlib
import http.client
import select
import socket

import pytest

from harness import process
from hostile.measure import TIMES, assert_within
from hostile.operators import stage

PROBES = 25
# A probe that is slower has failed for the kubelet.
PROBE_SECONDS = 1 * TIMES
CPU_SECONDS = 5
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
# The bytes that each connection sends at first, and then again and again.
HELD = {
    "that are idle": (b"", b""),
    "with half a request": (REQUEST[:20], b""),
    "whose requests trickle": (b"GET /healthz HTTP/1.1\r\nX: ", b"x"),
    "that ask now and then": (REQUEST, REQUEST),
    "that ask and do not read": (REQUEST * 100, REQUEST * 100),
}


class Crowd:
    """Connections to a port, each opened again as soon as it is closed."""

    def __init__(self, port: int, count: int, first: bytes, more: bytes):
        self._port, self._first, self._more = port, first, more
        self._all = [self._open() for _ in range(count)]

    def __enter__(self) -> "Crowd":
        return self

    def __exit__(self, *_exc) -> None:
        for one in self._all:
            one.close()

    def _open(self) -> socket.socket:
        one = socket.create_connection(("127.0.0.1", self._port), timeout=30)
        one.setblocking(False)
        with contextlib.suppress(OSError):
            one.send(self._first)
        return one

    def press(self) -> None:
        """Has every connection ask again, and opens those that are closed."""
        closed = self._closed()
        for i, one in enumerate(self._all):
            if one in closed:
                one.close()
                self._all[i] = self._open()
            elif self._more:
                with contextlib.suppress(OSError):
                    one.send(self._more)

    def _closed(self) -> set[socket.socket]:
        events = select.poll()
        by_number = {one.fileno(): one for one in self._all}
        for number in by_number:
            events.register(number, select.POLLRDHUP)
        return {by_number[number] for number, _event in events.poll(0)}


def probe(port: int, path: str) -> int | str:
    """Asks as the kubelet does: by a connection of its own."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=PROBE_SECONDS)
    try:
        client.request("GET", path, headers={"Connection": "close"})
        return client.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return repr(error)
    finally:
        client.close()


@pytest.fixture(name="operator", scope="module")
def fixture_operator():
    """An operator with a good custom resource."""
    with stage([]) as on:
        on.start()
        yield on.operator


@pytest.mark.parametrize("count", [64, 500])
@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
@pytest.mark.parametrize(("server", "path"), [("health", "/healthz"), ("metrics", "/metrics")])
def test_every_probe_is_answered_beside_connections(operator, server, path, held, count):
    port = operator.health_port if server == "health" else operator.metrics_port
    before = process.cpu_seconds(operator.pid)
    with Crowd(port, count, *held) as crowd:
        answers = []
        for _ in range(PROBES):
            crowd.press()
            answers.append(probe(port, path))
        assert answers == [200] * PROBES
    assert_within(process.cpu_seconds(operator.pid) - before, CPU_SECONDS)
