# SPDX-License-Identifier: Apache-2.0
"""Runs one attack under limits of the operating system and measures its cost."""

import dataclasses
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

from hostile.vector import Growth, Vector

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCH = pathlib.Path(__file__).with_name("launch.py")
# A program built with sanitizers may use TIMES as much time and memory.
SANITIZED = "CHARTWRIGHT_SANITIZED"
TIMES = 10 if SANITIZED in os.environ else 1
# A successful attack is stopped this far above its CPU bound, or after this time if it waits.
CPU_SECONDS_BEYOND = 2
WAIT_SECONDS_MAX = 240
FOLDER_PREFIX = "chartwright-hostile-"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcome of a run and its cost."""

    code: int
    out: str
    err: str
    cpu_seconds: float
    rss_mib: float


def binary() -> pathlib.Path:
    """Returns the program under test: CHARTWRIGHT_BINARY, or the release build."""
    return pathlib.Path(os.environ.get("CHARTWRIGHT_BINARY") or ROOT / "build/release/chartwright")


def command_line(vector: Vector, path: pathlib.Path) -> list[str]:
    """Returns the command under attack; `run` does not listen, and reads watches.yaml."""
    if vector.command == "run":
        return [
            str(binary()),
            "run",
            "--metrics-bind-address=0",
            "--health-probe-bind-address=0",
            *vector.arguments,
        ]
    return [str(binary()), vector.command, *vector.arguments, str(path)]


def attack(vector: Vector) -> Outcome:
    """Creates the chart in a folder of its own and runs the command on it."""
    with tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX) as name:
        folder = pathlib.Path(name)
        command = command_line(vector, vector.make(folder))
        deadline = vector.deadline_seconds or WAIT_SECONDS_MAX
        if vector.code != -signal.SIGTERM:  # It has to end by itself.
            deadline *= TIMES
        seconds = math.ceil(TIMES * vector.cpu_seconds) + CPU_SECONDS_BEYOND
        launcher = [
            sys.executable,
            "-I",
            "-S",
            LAUNCH,
            str(seconds),
            str(deadline),
            "out",
            "err",
            *command,
        ]
        fields = subprocess.run(
            launcher, stdout=subprocess.PIPE, cwd=folder, text=True, check=True
        ).stdout.split()
        return Outcome(
            int(fields[0]),
            (folder / "out").read_text(errors="replace"),
            (folder / "err").read_text(errors="replace"),
            float(fields[1]),
            float(fields[2]),
        )


def growth_seconds(growth: Growth) -> tuple[float, float]:
    """Returns the CPU seconds for the size and for twice the size."""
    once, twice = (attack(growth.vector(times)) for times in (1, 2))
    for outcome in (once, twice):
        if outcome.code != int(growth.error is not None) or not re.search(
            growth.error or "", outcome.err, re.DOTALL
        ):
            raise AssertionError(f"{growth.name}: exit code {outcome.code}: {outcome.err[:1000]}")
    return once.cpu_seconds, twice.cpu_seconds
