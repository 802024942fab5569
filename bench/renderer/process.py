# SPDX-License-Identifier: Apache-2.0
"""The programs that render: one process for a chart and a side, and whole runs of a command."""

import dataclasses
import os
import pathlib
import re
import subprocess


class RendererError(Exception):
    """A side that could not do its work; what it said is on stderr already."""


@dataclasses.dataclass(frozen=True)
class Timing:
    """What a batch of one work took, in nanoseconds: of CPU each, and of all the wall."""

    cpu: list[int]
    wall: int

    @property
    def mean(self) -> float:
        """CPU time of one work."""
        return sum(self.cpu) / len(self.cpu)


class Renderer:
    """A process that answers requests (bench/renderer/ours.cc has their description)."""

    def __init__(self, program: pathlib.Path, chart: pathlib.Path, values: pathlib.Path | None):
        self._name = f"{program.name} {chart}"
        self._process = subprocess.Popen(
            [program, chart, *([values] if values else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        # Both sides on one processor: what makes one of them slow for a second makes both.
        os.sched_setaffinity(self._process.pid, {min(os.sched_getaffinity(0))})

    def text(self, work: str) -> bytes:
        """What the work gives."""
        return bytes.fromhex(self._ask(f"text {work}"))

    def time(self, work: str, count: int) -> Timing:
        """Does the work `count` times."""
        wall, *cpu = map(int, self._ask(f"time {work} {count}").split())
        return Timing(cpu, wall)

    def close(self) -> float:
        """Ends the process; returns the most memory that it had resident, in megabytes."""
        status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text(encoding="utf-8")
        peak = re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)
        self._process.stdin.close()
        self._process.stdout.close()
        if self._process.wait() != 0:
            raise RendererError(f"{self._name}: exit code {self._process.returncode}")
        return int(peak[1]) / 1024

    def _ask(self, request: str) -> str:
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            raise RendererError(f"{self._name} has no answer to: {request}")
        return line.rstrip("\n")


@dataclasses.dataclass(frozen=True)
class Run:
    """What one process took: seconds, and megabytes resident at most."""

    wall: float
    cpu: float
    memory: float


def run(launch: pathlib.Path, command: list) -> Run:
    """Runs a command to its end, with its output thrown away."""
    done = subprocess.run([launch, *command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RendererError(f"{command[0]}: exit code {done.returncode}")
    wall, cpu, peak = map(int, done.stdout.split())
    return Run(wall / 1e9, cpu / 1e9, peak / 1024)
