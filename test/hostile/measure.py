# SPDX-License-Identifier: Apache-2.0
"""Runs one attack under limits of the operating system and measures its cost."""

import dataclasses
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from hostile.vector import Growth, Vector

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCH = pathlib.Path(__file__).with_name("launch.py")
# A program built with sanitizers may use TIMES as much time and memory.
SANITIZED = "CHARTWRIGHT_SANITIZED"
TIMES = 10 if SANITIZED in os.environ else 1
# A successful attack is stopped at so many times its CPU bound, or after this time if it waits.
STOPPED_AT = 4
WAIT_SECONDS_MAX = 240
# The bounds in seconds of CPU are those of a machine that computes the yardstick in this time.
YARDSTICK_SECONDS = 0.15
YARDSTICK_TRIES = 3
FOLDER_PREFIX = "chartwright-hostile-"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcome of a run and its cost."""

    code: int
    out: str
    err: str
    cpu_seconds: float
    rss_mib: float
    slowness: float = 1  # That of the machine then, if the attack took more than its bound.


def yardstick() -> float:
    """Returns the CPU seconds that a fixed computation takes here and now."""
    before = time.process_time()
    numbers = {str(i): i * i for i in range(200_000)}
    json.loads(json.dumps(sorted(numbers)))
    return time.process_time() - before


def slowness() -> float:
    """Returns how many times as long a computation takes as on the machine of the bounds.

    Never less than 1.
    Processors differ, and one whose other thread is busy does half of its work in a second of CPU.
    """
    return max(1, *(yardstick() / YARDSTICK_SECONDS for _ in range(YARDSTICK_TRIES)))


def assert_within(used: float, bound: float, slow: float | None = None) -> None:
    """Asserts that no more than the bound was used, both in CPU seconds.

    `slow` is the slowness of the machine when they were used; None: it was just now.
    """
    allowed = TIMES * bound
    if used > allowed:
        allowed *= slow or slowness()
    assert used <= allowed, f"{used:.1f} of {allowed:.1f} s of CPU"


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
        seconds = math.ceil(STOPPED_AT * TIMES * vector.cpu_seconds)
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
        used = float(fields[1])
        return Outcome(
            int(fields[0]),
            (folder / "out").read_text(errors="replace"),
            (folder / "err").read_text(errors="replace"),
            used,
            float(fields[2]),
            slowness() if used > TIMES * vector.cpu_seconds else 1,
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
