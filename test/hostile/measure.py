# SPDX-License-Identifier: Apache-2.0
"""Runs one attack under limits of the operating system and says what it took."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

from hostile.vector import Vector

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCH = pathlib.Path(__file__).with_name("launch.py")
# Beyond what any attack is allowed.
CPU_SECONDS_MAX = 60
FOLDER_PREFIX = "chartwright-hostile-"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a render ended and what it took."""

    code: int
    out: str
    err: str
    cpu_seconds: float
    rss_mib: float


def binary() -> pathlib.Path:
    """Returns the program under test: CHARTWRIGHT_BINARY, or the release build."""
    return pathlib.Path(os.environ.get("CHARTWRIGHT_BINARY") or ROOT / "build/release/chartwright")


def attack(vector: Vector) -> Outcome:
    """Makes the chart in a folder of its own and renders it."""
    with tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX) as name:
        folder = pathlib.Path(name)
        path = vector.make(folder)
        command = [str(binary()), "template", *vector.arguments, str(path)]
        launcher = [sys.executable, "-I", "-S", LAUNCH, str(CPU_SECONDS_MAX), "out", "err", *command]
        told = subprocess.run(launcher, stdout=subprocess.PIPE, cwd=folder, text=True, check=True).stdout.split()
        return Outcome(
            int(told[0]),
            (folder / "out").read_text(errors="replace"),
            (folder / "err").read_text(errors="replace"),
            float(told[1]),
            float(told[2]),
        )
