# SPDX-License-Identifier: Apache-2.0
"""Runs one attack under limits of the operating system and says what it took."""

import dataclasses
import os
import pathlib
import resource
import subprocess
import tempfile
import threading

from hostile.vector import Vector

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Beyond what any attack is allowed: only there so that a failing test leaves the machine alone.
CPU_SECONDS_MAX = 60
ADDRESS_BYTES_MAX = 8 << 30
OUTPUT_BYTES_MAX = 1 << 30


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a render ended and what it took."""

    code: int
    out: str
    err: str
    cpu_seconds: float
    rss_mib: float


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS_MAX, CPU_SECONDS_MAX))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES_MAX, ADDRESS_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_BYTES_MAX, OUTPUT_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def binary() -> pathlib.Path:
    """Returns the program under test: CHARTWRIGHT_BINARY, or the release build."""
    return pathlib.Path(os.environ.get("CHARTWRIGHT_BINARY") or ROOT / "build/release/chartwright")


def attack(vector: Vector) -> Outcome:
    """Makes the chart in a folder of its own and renders it."""
    with tempfile.TemporaryDirectory(prefix="chartwright-hostile-") as name:
        folder = pathlib.Path(name)
        path = vector.make(folder)
        command = [str(binary()), "template", *vector.arguments, str(path)]
        with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, preexec_fn=_limit)
            timer = threading.Timer(4 * CPU_SECONDS_MAX, child.kill)
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        return Outcome(
            child.returncode,
            (folder / "out").read_text(errors="replace"),
            (folder / "err").read_text(errors="replace"),
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss / 1024,
        )
