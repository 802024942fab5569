# SPDX-License-Identifier: Apache-2.0
"""The programs that render: one process per chart and side, and whole runs of a command."""

import dataclasses
import os
import pathlib
import re
import subprocess


class RendererError(Exception):
    """A side failed; its message is already on stderr."""


@dataclasses.dataclass(frozen=True)
class Timing:
    """The times of a batch of one work, in nanoseconds: CPU time of each, wall time of all."""

    cpu: list[int]
    wall: int

    @property
    def mean(self) -> float:
        """Returns the mean CPU time of one work."""
        return sum(self.cpu) / len(self.cpu)


class Renderer:
    """A process that answers requests (described in bench/renderer/ours.cc)."""

    def __init__(self, program: pathlib.Path, chart: pathlib.Path, values: pathlib.Path | None):
        self._name = f"{program.name} {chart}"
        self._process = subprocess.Popen(
            [program, chart, *([values] if values else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        # Both sides run on the same processor, so that a disturbance slows down both.
        os.sched_setaffinity(self._process.pid, {min(os.sched_getaffinity(0))})

    def text(self, work: str) -> bytes:
        """Returns the output of the work."""
        return bytes.fromhex(self._ask(f"text {work}"))

    def time(self, work: str, count: int) -> Timing:
        """Does the work `count` times and returns the times."""
        wall, *cpu = map(int, self._ask(f"time {work} {count}").split())
        return Timing(cpu, wall)

    def close(self) -> float:
        """Ends the process; returns its peak resident memory in megabytes."""
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
    """The cost of one process: seconds, and peak resident memory in megabytes."""

    wall: float
    cpu: float
    memory: float


def run(launch: pathlib.Path, command: list) -> Run:
    """Runs a command to completion and discards its output."""
    done = subprocess.run([launch, *command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise RendererError(f"{command[0]}: exit code {done.returncode}")
    wall, cpu, peak = map(int, done.stdout.split())
    return Run(wall / 1e9, cpu / 1e9, peak / 1024)
