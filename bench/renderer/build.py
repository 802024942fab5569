# SPDX-License-Identifier: Apache-2.0
"""Builds both sides: ours with CMake in the folder of the release build, Helm's with Go."""

import pathlib
import subprocess
import sys

from bench.renderer.process import RendererError
from cluster import build, go_toolchain
from harness.paths import REPOSITORY


def ours(program: str) -> pathlib.Path:
    """Builds the shipped program and one benchmark program; returns the path of the latter."""
    _run(["cmake", "--preset", "release", "-DCW_BENCH=ON", "--log-level=WARNING"])
    _run(["cmake", "--build", "--preset", "release", "--target", program, "chartwright"])
    return REPOSITORY / "build" / "release" / "bench" / "renderer" / program


def helms() -> pathlib.Path:
    """Builds Helm's side with the version information of a Helm release; returns its path."""
    program = REPOSITORY / "build" / "bench" / "helm"
    flags = [
        "-trimpath",
        "-buildvcs=false",
        f"-ldflags={build.link_flags(build.BINARIES['helm'])}",
    ]
    _run(
        [go_toolchain.find_or_install(), "build", *flags, "-o", program, "./bench"],
        cwd=REPOSITORY / "test" / "oracle",
        env={**go_toolchain.environment(), "CGO_ENABLED": "0"},
    )
    return program


def helm_command() -> pathlib.Path:
    """Builds the helm command; returns its path."""
    return build.ensure(("helm",))["helm"]


def _run(command: list, **options) -> None:
    done = subprocess.run(command, stdout=sys.stderr, check=False, **{"cwd": REPOSITORY, **options})
    if done.returncode != 0:
        raise RendererError(f"{command[0]} failed (exit {done.returncode})")
