# SPDX-License-Identifier: Apache-2.0
"""The command line of the benchmark of scale: one operator, and more and more custom resources."""

import argparse
import contextlib
import dataclasses
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable

from bench.children import make_ready
from bench.main import open_bench
from bench.measure import PLURAL, Bench, Install, anonymous_bytes
from bench.table import print_cells
from harness.operator import Operator, default_binary

# Of each, the operator lists what it has made; the custom resources and records, too.
_LISTED = (PLURAL, "apps/v1/Deployment", "apps/v1/StatefulSet", "v1/Service", "v1/Secret")
_QUIET_SECONDS = 2.0
_QUIET_CPU_SHARE = 0.1
_START_TIMEOUT_SECONDS = 300.0
_HOT_SECONDS_BETWEEN = 0.01
# Of fewer figures, the longest is told.
_P99_FROM = 100


@dataclasses.dataclass(frozen=True)
class Start:
    """The cost of a restart, and of the same lists read by a client that decodes nothing."""

    seconds: float
    cpu_seconds: float
    lists_seconds: float
    listed_megabytes: float


@dataclasses.dataclass(frozen=True)
class Repairs:
    """Seconds from the deletion of a child until it is there again."""

    alone: list[float]
    beside_hot: list[float]


@dataclasses.dataclass(frozen=True)
class Scale:
    """The figures of so many custom resources."""

    count: int
    idle_megabytes: float
    install: Install
    unready_cpu_percent: float
    rest_cpu_percent: float
    rest_requests: int
    start: Start
    started_megabytes: float
    repairs: Repairs

    def kilobytes_each(self, megabytes: float) -> float:
        """Returns what a custom resource takes of this memory."""
        return (megabytes - self.idle_megabytes) * 1000 / self.count


def main(arguments: list[str]) -> int:
    """Runs the benchmark; returns 0, or 1 if there is nothing to measure."""
    options = _parse(arguments)
    if not os.access(default_binary(), os.X_OK):
        print(f"bench: {default_binary()} is not there; make build builds it", file=sys.stderr)
        return 1
    measured = []
    with open_bench(0) as bench:
        for count in options.counts:
            measured.append(_measure(bench, count, options))
    print_figures(measured)
    return 0


def _measure(bench: Bench, count: int, options: argparse.Namespace) -> Scale:
    room = f"scale-{count}"
    bench.count = count
    bench.prepare(room)
    with bench.operator(room) as operator:
        _await_quiet(operator)
        idle = anonymous_bytes(operator.pid) / 1e6
        _progress(f"{count}: installing")
        install = bench.install(operator, room)
        _progress(f"{count}: none ready for {options.rest} s")
        unready = _cpu_percent(operator, options.rest)
        make_ready(bench, room)
        _progress(f"{count}: at rest for {options.rest} s")
        mark = bench.cluster.audit.mark()
        percent = _cpu_percent(operator, options.rest)
        requests = bench.count_requests(mark)
        _progress(f"{count}: repairs")
        repairs = _repairs(bench, room, options.repairs)
    _progress(f"{count}: start")
    operator = bench.operator(room)
    start = _start(bench, operator, room)
    with contextlib.closing(operator):
        megabytes = anonymous_bytes(operator.pid) / 1e6
    return Scale(count, idle, install, unready, percent, requests, start, megabytes, repairs)


def _start(bench: Bench, operator: Operator, room: str) -> Start:
    began = time.monotonic()
    operator.start(timeout_seconds=_START_TIMEOUT_SECONDS)
    quiet = _await_quiet(operator)
    cpu = operator.cpu_seconds()
    lists = time.monotonic()
    connection = bench.cluster.kube.connection
    sizes = [
        len(connection.fetch(bench.cluster.kube.path(kind, namespace=room))) for kind in _LISTED
    ]
    return Start(quiet - began, cpu, time.monotonic() - lists, sum(sizes) / 1e6)


def _await_quiet(operator: Operator) -> float:
    """Waits until the process does next to nothing; returns when that began."""
    deadline = time.monotonic() + _START_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        began, cpu = time.monotonic(), operator.cpu_seconds()
        time.sleep(_QUIET_SECONDS)
        if operator.cpu_seconds() - cpu < _QUIET_SECONDS * _QUIET_CPU_SHARE:
            return began
    raise TimeoutError("the operator does not come to rest")


def _cpu_percent(operator: Operator, seconds: float) -> float:
    began, cpu = time.monotonic(), operator.cpu_seconds()
    time.sleep(seconds)
    return (operator.cpu_seconds() - cpu) * 100 / (time.monotonic() - began)


def _repairs(bench: Bench, room: str, times: int) -> Repairs:
    alone = bench.repairs(room, times)
    with _hot(bench, room):
        return Repairs(alone, bench.repairs(room, times))


@contextlib.contextmanager
def _hot(bench: Bench, room: str):
    """Has somebody write the last custom resource a hundred times a second meanwhile."""
    ended = threading.Event()
    store = bench.names()[-1]

    def write() -> None:
        number = 0
        while not ended.wait(_HOT_SECONDS_BETWEEN):
            number += 1
            tag = {"spec": {"bookApp": {"tag": f"hot-{number}"}}}
            bench.cluster.kube.patch(PLURAL, store, room, tag)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def print_figures(measured: list[Scale]) -> None:
    """Prints a table with a column for each count."""

    def row(what: str, figure: Callable[[Scale], str]) -> tuple[str, ...]:
        return (what, *(figure(one) for one in measured))

    print_cells(
        [
            row("BookStores", lambda one: f"{one.count}"),
            row("install", lambda one: f"{one.install.seconds:.1f} s"),
            row("requests each", lambda one: f"{one.install.requests_each:.2f}"),
            row("CPU each", lambda one: f"{one.install.cpu_ms_each:.2f} ms"),
            row("own memory, no custom resource", lambda one: f"{one.idle_megabytes:.1f} MB"),
            row("own memory, installed", lambda one: f"{one.install.private_megabytes:.1f} MB"),
            row(
                "for each",
                lambda one: f"{one.kilobytes_each(one.install.private_megabytes):.1f} kB",
            ),
            row("own memory, restarted", lambda one: f"{one.started_megabytes:.1f} MB"),
            row("for each", lambda one: f"{one.kilobytes_each(one.started_megabytes):.1f} kB"),
            row("peak of the resident memory", lambda one: f"{one.install.peak_megabytes:.1f} MB"),
            row("at rest, none ready, of a core", lambda one: f"{one.unready_cpu_percent:.2f} %"),
            row("at rest, of a core", lambda one: f"{one.rest_cpu_percent:.2f} %"),
            row("at rest, requests", lambda one: f"{one.rest_requests}"),
            row("from start to quiet", lambda one: f"{one.start.seconds:.1f} s"),
            row("its CPU", lambda one: f"{one.start.cpu_seconds:.2f} s"),
            row("the same lists, only read", lambda one: f"{one.start.lists_seconds:.2f} s"),
            row("their size", lambda one: f"{one.start.listed_megabytes:.1f} MB"),
            row("repair", lambda one: _quantiles(one.repairs.alone)),
            row("repair beside a hot one", lambda one: _quantiles(one.repairs.beside_hot)),
        ]
    )


def _quantiles(seconds: list[float]) -> str:
    median = statistics.median(seconds) * 1000
    if len(seconds) < _P99_FROM:
        return f"{median:.0f} ms (longest {max(seconds) * 1000:.0f})"
    return f"{median:.0f} ms (p99 {statistics.quantiles(seconds, n=100)[98] * 1000:.0f})"


def _progress(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/scale",
        description="Measures one operator with more and more BookStores.",
    )
    parser.add_argument(
        "--counts",
        type=lambda text: [int(part) for part in text.split(",")],
        default=[100, 1000, 10000],
        help="custom resources, separated by commas",
    )
    parser.add_argument("--rest", type=int, default=120, help="seconds at rest")
    parser.add_argument("--repairs", type=int, default=100, help="children to delete, twice")
    return parser.parse_args(arguments)
