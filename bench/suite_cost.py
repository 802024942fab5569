# SPDX-License-Identifier: Apache-2.0
"""The command line that compares `chartwright test` with helm-unittest over suites of charts."""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from bench.table import print_cells
from harness.operator import default_binary
from harness.oracle import build_helm_unittest

_TIME_LINE = "Time:"
_TOTAL = re.compile(r"^Tests:.* (\d+) total$", re.MULTILINE)
_HEADER = ("chart", "tests", "equal", "CPU of helm-unittest", "CPU", "ratio", "memory")
_DEFAULT_PATTERN = "tests/*_test.yaml"


@dataclasses.dataclass(frozen=True)
class Run:
    """One run over a chart."""

    code: int
    lines: list[str]  # Sorted, without times: see _run.
    tests: int
    cpu_seconds: float
    peak_bytes: int

    def says(self) -> tuple:
        """Returns what two runs must agree on."""
        return self.code, self.lines


def main(arguments: list[str]) -> int:
    """Runs everything; returns 0 if both say the same of each suite, else 1."""
    options = _parse(arguments)
    if not os.access(default_binary(), os.X_OK):
        print(f"bench: {default_binary()} is not there; make build builds it", file=sys.stderr)
        return 1
    peer = [os.fspath(build_helm_unittest())]
    ours = [os.fspath(default_binary()), "test", "--compat", "--color=never"]
    rows, all_equal = [], True
    for argument in options.charts:
        chart, _, pattern = argument.partition("=")
        print(f"bench: {chart}", file=sys.stderr, flush=True)
        flags = ["-f", pattern or _DEFAULT_PATTERN]
        theirs = [_run(peer + flags, chart) for _ in range(options.rounds)]
        own = [_run(ours + flags, chart) for _ in range(options.rounds)]
        is_equal = all(run.says() == theirs[0].says() for run in theirs + own)
        all_equal = all_equal and is_equal
        rows.append(_cells(chart, theirs, own, "yes" if is_equal else "NO"))
    print_cells([_HEADER, *rows])
    return 0 if all_equal else 1


def _cells(chart: str, theirs: list[Run], own: list[Run], verdict: str) -> tuple[str, ...]:
    def median(runs: list[Run], field: str) -> float:
        return statistics.median(getattr(run, field) for run in runs)

    peer, ours = median(theirs, "cpu_seconds"), median(own, "cpu_seconds")
    memory = median(own, "peak_bytes") / median(theirs, "peak_bytes")
    return (
        pathlib.PurePath(chart).name,
        str(own[0].tests),
        verdict,
        f"{peer:.2f} s",
        f"{ours:.2f} s",
        f"{peer / max(ours, 0.01):.1f}",
        f"{memory:.2f}",
    )


def _run(command: list[str], chart: str) -> Run:
    """Runs a command over a copy of a chart, as both write snapshots.

    Its lines are sorted, because helm-unittest takes the dependencies of a chart in a random order.
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as out:
        shutil.copytree(chart, pathlib.Path(folder, "chart"))
        child = subprocess.Popen([*command, "chart"], cwd=folder, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    total = _TOTAL.search(text)
    return Run(
        code=child.returncode,
        lines=sorted(line for line in text.splitlines() if not line.startswith(_TIME_LINE)),
        tests=int(total[1]) if total else 0,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_bytes=usage.ru_maxrss * 1024,
    )


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/suites",
        description="Runs the suites of charts with helm-unittest and with `chartwright test "
        "--compat`, and compares what they say, their CPU time and their memory. Exit code 1 if "
        "they do not say the same.",
    )
    parser.add_argument(
        "charts",
        metavar="CHART[=PATTERN]",
        nargs="+",
        help=f"folder of a chart, and a pattern of its suite files; default: {_DEFAULT_PATTERN}",
    )
    parser.add_argument("--rounds", type=int, default=1, help="runs of each; medians are printed")
    return parser.parse_args(arguments)
