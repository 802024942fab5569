# SPDX-License-Identifier: Apache-2.0
"""The command line of the benchmark of views: each request to the API server and to a view."""

import argparse
import dataclasses
import json
import os
import statistics
import sys
import time
from collections.abc import Sequence

from bench.sender import Request, Sender
from bench.side import LABEL, LABEL_VALUE, Follower, Side, in_turn
from bench.table import print_cells
from cluster.components import Options
from harness import process
from harness.cluster import Cluster
from harness.confinement import confined, shipped_limit
from harness.kube import Kube, wait_until
from harness.operator import default_binary
from harness.paths import REPOSITORY
from harness.views import ViewOptions, ViewServer

NAMESPACE = "bench"
FOLDER = REPOSITORY / "bench" / "notes"
API = "v1.bench.example.com"
_SOURCES = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
_NOTES = f"/apis/bench.example.com/v1/namespaces/{NAMESPACE}/notes"
_TEXT = "Sheep may safely graze where a good shepherd is awake. " * 8
_SYNC_TIMEOUT_SECONDS = 120.0


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of the table: milliseconds or others of both sides.

    The limit is one of the ratio of medians; without a figure of the API server, one of the view's.
    """

    what: str
    api_server: list[float]
    view: list[float]
    unit: str
    limit: float | None = None

    def value(self) -> float:
        """Returns what the limit is for."""
        median = statistics.median(self.view)
        return median / statistics.median(self.api_server) if self.api_server else median

    def passes(self) -> bool:
        """Reports whether the figure is within its limit."""
        return self.limit is None or self.value() <= self.limit

    def cells(self) -> tuple[str, ...]:
        """Returns the cells of the row."""
        ratio = f"{self.value():.2f}" if self.api_server else ""
        limit = "" if self.limit is None else f"<= {self.limit:g}"
        if limit and not self.api_server:
            limit += f" {self.unit}"
        verdict = "" if self.limit is None else ("pass" if self.passes() else "FAIL")
        sides = (self._told(self.api_server), self._told(self.view))
        return self.what, *sides, ratio, limit, verdict

    def _told(self, values: list[float]) -> str:
        if not values:
            return ""
        median = f"{statistics.median(values):.2f} {self.unit}"
        return median if len(values) == 1 else f"{median} (p95 {percentile(values, 0.95):.2f})"


def percentile(values: list[float], share: float) -> float:
    """Returns the value that the given share of all values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main(arguments: list[str]) -> int:
    """Runs the benchmark; returns 0 if every figure is within its limit, else 1."""
    options = _parse(arguments)
    os.chdir(REPOSITORY)
    if not os.access(default_binary(), os.X_OK):
        print(f"bench: {default_binary()} is not there; make build builds it", file=sys.stderr)
        return 1
    # Always a cluster of our own: a benchmark must not load one that others use.
    with Cluster.start(options=Options(pods=False)) as cluster:
        rows = run(cluster, options)
    head = ("what", "API server", "view", "view / API server", "limit", "")
    print_cells([head, *(row.cells() for row in rows)])
    return 0 if all(row.passes() for row in rows) else 1


def run(cluster: Cluster, options: argparse.Namespace) -> list[Row]:
    """Measures everything."""
    cluster.kube.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    _progress(f"creating {options.count} sources")
    chains = [
        [Request("POST", _SOURCES, "application/json", source(n))] for n in range(options.count)
    ]
    Sender(cluster).send(chains)
    sides = (
        Side("API server", cluster.kube.connection, _SOURCES),
        Side("view", cluster.kube.connection, _NOTES),
    )
    # Under the memory limit that the farm ships with: so much is enough for every request.
    serve = ViewOptions(
        cluster.kubeconfig, FOLDER, "default/bench", wrapper=confined(shipped_limit())
    )
    with ViewServer(cluster.kube, serve) as server:
        server.create_service()
        began = time.monotonic()
        server.start()
        wait_until(server.ready, timeout_seconds=_SYNC_TIMEOUT_SECONDS, what="the view's sync")
        synced = time.monotonic() - began
        server.wait_available(API)
        idle = process.resident_bytes(server.pid) / 1e6
        rows = [*_lists(sides, server, options), *_reads(sides, options)]
        rows += _watches(cluster.kube, sides, options)
        rows += [
            Row(f"from start to ready, {options.count} sources", [], [synced], "s"),
            # 7 kB for each object, and little more while a list of all is being answered.
            Row("resident memory, ready", [], [idle], "MB", 100.0),
            Row("peak memory", [], [process.peak_resident_bytes(server.pid) / 1e6], "MB", 125.0),
        ]
    return rows


def source(number: int) -> dict:
    """Returns a source of the view."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": note(number),
            "labels": {LABEL: LABEL_VALUE, "flock": str(number % 7)},
        },
        "data": {"title": f"Note {number}", "text": _TEXT},
    }


def note(number: int) -> str:
    """Returns the name of a source, and of what the view shows of it."""
    return f"note-{number:05}"


def _lists(sides: Sequence[Side], server: ViewServer, options: argparse.Namespace) -> list[Row]:
    """Measures lists. Each of a view is one of the source as well, by the same API server."""
    sizes = []
    for side in sides:
        data = side.read()
        found = len(json.loads(data)["items"])
        if found != options.count:
            raise ValueError(f"{side.name}: {found} objects, not {options.count}")
        sizes.append([len(data) / 1e6])
    rounds = options.rounds
    _progress(f"lists, {rounds} rounds")
    whole = in_turn(sides, rounds, lambda side, _: side.read())
    cached = in_turn(sides, rounds, lambda side, _: side.read(resourceVersion="0"))
    paged = in_turn(sides, rounds, lambda side, _: side.pages())
    began = process.cpu_seconds(server.pid)
    for _ in range(rounds):
        sides[1].read()
    cpu = (process.cpu_seconds(server.pid) - began) * 1000 / rounds
    each = f"{options.count} objects"
    return [
        Row(f"list of {each}, size", *sizes, "MB"),
        # One list of the source, decoding, 10,000 templates, encoding, and the way through the
        # aggregator.
        Row(f"list of {each}", *whole, "ms", 6.0),
        # Both sides answer from memory.
        Row("the same with resourceVersion=0", *cached, "ms", 2.0),
        Row("the same in pages of 500", *paged, "ms", 5.0),
        Row("CPU time of a list", [], [cpu], "ms"),
    ]


def _reads(sides: Sequence[Side], options: argparse.Namespace) -> list[Row]:
    _progress(f"reads, {options.reads} of each side")
    found = in_turn(sides, options.reads, lambda side, n: side.get(note(n * 37 % options.count)))
    missing = in_turn(sides, options.rounds, lambda side, n: side.misses(f"nothing-{n}"))
    return [
        # Two requests and a template instead of one request.
        Row("get", *found, "ms", 4.0),
        Row("get of a name that does not exist", *missing, "ms"),
    ]


def _watches(kube: Kube, sides: Sequence[Side], options: argparse.Namespace) -> list[Row]:
    """Writes to sources one after the other, and waits each time for the events of both watches."""
    _progress(f"events, {options.writes} writes")
    version = json.loads(sides[0].read(limit=1))["metadata"]["resourceVersion"]
    followers = [Follower(side, version) for side in sides]
    since_request: tuple[list, list] = ([], [])
    since_reply: tuple[list, list] = ([], [])
    for number in range(options.writes):
        began = time.monotonic()
        body = {"data": {"title": f"Note, version {number}"}}
        written = kube.patch("v1/ConfigMap", note(number % options.count), NAMESPACE, body)
        replied = time.monotonic()
        for which, follower in enumerate(followers):
            arrived = follower.arrival(written["metadata"]["resourceVersion"])
            since_request[which].append((arrived - began) * 1000)
            since_reply[which].append((arrived - replied) * 1000)
    behind = [ours - theirs for theirs, ours in zip(*since_request, strict=True)]
    return [
        Row("write to event, from the request", *since_request, "ms", 3.0),
        # For information: an event may arrive before the reply, so that a ratio means nothing.
        Row("write to event, from the reply: API server", [], since_reply[0], "ms"),
        Row("write to event, from the reply: view", [], since_reply[1], "ms"),
        Row("event of the view after that of the API server", [], behind, "ms", 10.0),
    ]


def _progress(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/views",
        description=(
            "Measures a view of many objects behind the aggregator, beside the same requests "
            "for its sources. Exit code 1 if a figure is over its limit."
        ),
    )
    parser.add_argument("--count", type=int, default=10000, help="sources")
    parser.add_argument("--rounds", type=int, default=20, help="lists of each kind and side")
    parser.add_argument("--reads", type=int, default=300, help="single objects of each side")
    parser.add_argument("--writes", type=int, default=300, help="to sources, with their events")
    return parser.parse_args(arguments)
