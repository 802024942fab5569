# SPDX-License-Identifier: Apache-2.0
"""The files of clusters: one folder per name, which is removed with its cluster."""

import fcntl
import json
import os
import pathlib
import re
import shutil

from harness.paths import cache_dir
from harness.process import Identity


class StateError(Exception):
    """A cluster is not in the state that a command requires; the message is for the user."""


class State:
    """The folder of one cluster. Its running supervisor holds a lock next to the folder."""

    def __init__(self, name: str):
        if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?", name):
            raise StateError(
                f"cluster name {name!r}: at most 42 lower-case letters, digits and inner hyphens"
            )
        self.name = name
        self.folder = cache_dir() / "clusters" / name
        self.kubeconfig = self.folder / "kubeconfig"
        self.pki = self.folder / "pki"
        self.logs = self.folder / "logs"
        self.audit_log = self.folder / "audit.log"
        self.etcd = self.folder / "etcd"
        self.control_socket = self.folder / "control.sock"
        self.supervisor_log = self.folder / "logs" / "supervisor.log"
        self._record = self.folder / "state.json"
        self._lock_file = self.folder.with_name(name + ".lock")

    def create(self) -> None:
        """Creates the folder anew; only its owner may read it, because it holds keys."""
        self.remove()
        self.logs.mkdir(parents=True)
        self.folder.chmod(0o700)

    def remove(self) -> None:
        """Removes the folder and its contents."""
        # Renamed first, so that an interrupted removal does not look like a cluster.
        doomed = self.folder.with_name(f".{self.name}.removed")
        shutil.rmtree(doomed, ignore_errors=True)
        if self.folder.exists():
            self.folder.rename(doomed)
            shutil.rmtree(doomed)

    def try_lock(self) -> int | None:
        """Acquires the supervisor's lock and returns its descriptor; None if it is held."""
        self._lock_file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._lock_file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor

    def write(self, record: dict) -> None:
        """Atomically replaces the record of ports and processes."""
        partial = self._record.with_suffix(".part")
        partial.write_text(json.dumps(record, indent=1), encoding="utf-8")
        partial.rename(self._record)

    def read(self) -> dict:
        """Returns the record, or an empty one if there is none."""
        try:
            return json.loads(self._record.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}

    def processes(self) -> dict[str, Identity]:
        """Returns the recorded processes by name, including the supervisor."""
        recorded = self.read().get("processes", {})
        return {name: Identity(*pair) for name, pair in recorded.items()}


def control_address(folder_descriptor: int) -> str:
    """Returns a path to the control socket that is short enough for any depth of the folder."""
    return f"/proc/self/fd/{folder_descriptor}/control.sock"


def names() -> list[str]:
    """Returns the names of all clusters that have a folder."""
    folder: pathlib.Path = cache_dir() / "clusters"
    if not folder.exists():
        return []
    return sorted(p.name for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
