# SPDX-License-Identifier: Apache-2.0
"""TCP ports on the loopback address, unique among all runs on this machine."""

import fcntl
import os
import pathlib
import random
import socket
import tempfile

# Below Linux's range for outgoing connections (32768-60999), which use random ports.
_FIRST_PORT = 20000
_LAST_PORT = 32700
_ATTEMPTS = 500


class Reservation:
    """Ports reserved for this process until `close()` or its end.

    There is a lock file per port, which only this class respects. Another server may still take a
    port between the check and its use; then callers must retry with new ports.
    """

    def __init__(self, count: int):
        """Reserves `count` ports; raises OSError if there are not enough."""
        self.ports: list[int] = []
        self._locks: list[int] = []
        for _ in range(_ATTEMPTS):
            if len(self.ports) == count:
                return
            self._try(random.randint(_FIRST_PORT, _LAST_PORT))
        if len(self.ports) < count:
            self.close()
            raise OSError(f"no {count} free ports between {_FIRST_PORT} and {_LAST_PORT}")

    def _try(self, port: int) -> None:
        folder = pathlib.Path(tempfile.gettempdir()) / f"chartwright-ports-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        lock = os.open(folder / str(port), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return
        if is_free(port):
            self.ports.append(port)
            self._locks.append(lock)
        else:
            os.close(lock)

    def close(self) -> None:
        """Releases the ports."""
        for lock in self._locks:
            os.close(lock)
        self._locks = []
        self.ports = []

    def __enter__(self) -> "Reservation":
        return self

    def __exit__(self, *_exc) -> None:
        self.close()


def is_free(port: int) -> bool:
    """Reports whether a server could now listen on the port of the loopback address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
