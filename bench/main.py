# SPDX-License-Identifier: Apache-2.0
"""The command line of the benchmark: alternating rounds of operator and floor, then a table."""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import statistics
import sys
import tempfile

from bench import recording
from bench.measure import Bench, Install
from bench.sender import Report
from bench.table import print_cells
from cluster.components import Options
from harness.cluster import Cluster
from harness.operator import default_binary
from harness.paths import REPOSITORY

_INSTALLED = (("-f", "manager/namespace.yaml"), ("-k", "crd"), ("-k", "rbac"))


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of the table; without a `limit` the figure is for information only."""

    what: str
    value: float
    unit: str
    limit: float | None = None

    def passes(self) -> bool:
        """Reports whether the figure is within its limit."""
        return self.limit is None or self.value <= self.limit

    def cells(self) -> tuple[str, str, str, str]:
        """Returns the cells of the row."""
        limit = "" if self.limit is None else f"<= {self.limit:g} {self.unit}".rstrip()
        verdict = "" if self.limit is None else ("pass" if self.passes() else "FAIL")
        return self.what, f"{self.value:.2f} {self.unit}".rstrip(), limit, verdict


def main(arguments: list[str]) -> int:
    """Runs the benchmark; returns 0 if every figure is within its limit, else 1."""
    options = _parse(arguments)
    if not os.access(default_binary(), os.X_OK):
        print(f"bench: {default_binary()} is not there; make build builds it", file=sys.stderr)
        return 1
    with open_bench(options.count) as bench:
        rows = run(bench, options)
    print_table(rows)
    return 0 if all(row.passes() for row in rows) else 1


@contextlib.contextmanager
def open_bench(count: int):
    """Provides a benchmark of so many custom resources, with a cluster without pods."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as policy:
        json.dump(recording.POLICY, policy)
    try:
        options = Options(pods=False, audit_policy=policy.name)
        # Always a cluster of our own: a benchmark must not load one that others use.
        with Cluster.start(options=options) as cluster:
            for option, source in _INSTALLED:
                cluster.kubectl("apply", option, str(REPOSITORY / "deploy" / source))
            cluster.kubectl("wait", "--for=condition=Established", "crd", "--all")
            yield Bench(cluster, count)
    finally:
        pathlib.Path(policy.name).unlink()


def run(bench: Bench, options: argparse.Namespace) -> list[Row]:
    """Measures everything; figures are medians over the rounds."""
    _progress("recording the writes of one installation")
    recorded, uid = bench.record()
    installs: list[Install] = []
    floors: list[Report] = []
    upgrade, repairs = 0.0, []
    for number in range(1, options.rounds + 1):
        room = f"room-{number}"
        bench.prepare(room)
        with bench.operator(room) as operator:
            installs.append(bench.install(operator, room))
            if number == options.rounds:
                repairs = bench.repairs(room, options.repairs)
                upgrade = bench.upgrade(room)
        floors.append(bench.floor(recorded, uid, f"floor-{number}"))
        _progress(
            f"round {number}: operator {installs[-1].seconds:.2f} s, floor"
            f" {floors[-1].seconds:.2f} s"
        )
    rest = bench.rest(f"room-{options.rounds}")
    return rows(options, installs, floors, (upgrade, rest, repairs))


def rows(
    options: argparse.Namespace, installs: list[Install], floors: list[Report], rest: tuple
) -> list:
    """Returns the rows of the table of measurements."""
    upgrade, resync, repairs = rest
    seconds = statistics.median(install.seconds for install in installs)
    floor = statistics.median(report.seconds for report in floors)
    rounds = list(zip(installs, floors, strict=True))
    ratio = statistics.median(install.seconds / alone.seconds for install, alone in rounds)
    floor_cpu = statistics.median(alone.cpu_seconds * 1000 / options.count for alone in floors)
    cpu_ratio = statistics.median(
        install.cpu_ms_each * options.count / (alone.cpu_seconds * 1000)
        for install, alone in rounds
    )

    def median(field: str) -> float:
        return statistics.median(getattr(install, field) for install in installs)

    return [
        Row(f"install {options.count} BookStores, operator", seconds, "s"),
        Row(f"the same {recording.WRITES} writes each, replayed raw: the floor", floor, "s"),
        Row("operator / floor", ratio, "", 2.0),
        Row("requests a CR, install", median("requests_each"), "", 9.0),
        Row("writes a CR, install", median("writes_each"), "", 7.1),
        Row("requests a CR, upgrade of one tag", upgrade, "", 5.1),
        Row("requests a CR and resync, at rest", resync, "", 0.0),
        Row(
            f"repair of a deleted child, median of {len(repairs)}",
            statistics.median(repairs) * 1000,
            "ms",
            100.0,
        ),
        Row("CPU a CR, install, operator", median("cpu_ms_each"), "ms"),
        Row("CPU a CR, floor", floor_cpu, "ms"),
        Row("CPU, operator / floor", cpu_ratio, "", 3.0),
        Row("resident memory after install", median("resident_megabytes"), "MB", 20.0),
        Row("of which its own, not of libraries", median("private_megabytes"), "MB"),
        Row("peak of the resident memory", median("peak_megabytes"), "MB"),
    ]


def print_table(lines: list[Row]) -> None:
    """Prints the rows as a Markdown table."""
    print_cells([("what", "measured", "limit", ""), *(row.cells() for row in lines)])


def _progress(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/run",
        description="Measures the operator on a local control plane without pods, beside the same "
        "API writes replayed raw. Exit code 1 if a figure is over its limit.",
    )
    parser.add_argument("--count", type=int, default=100, help="custom resources a round")
    parser.add_argument("--rounds", type=int, default=3, help="of operator and floor in turn")
    parser.add_argument("--repairs", type=int, default=20, help="children to delete")
    return parser.parse_args(arguments)
