# SPDX-License-Identifier: Apache-2.0
"""Measures with a watch how long a deleted object is absent."""

import threading
import time

from harness.kube import Kube, WaitTimeout


class Recreation:
    """Watches one object; enter it before the deletion, then `wait()` for the new object.

    A context manager. The time runs from the DELETED event of the watch to the next ADDED event.
    """

    def __init__(self, kube: Kube, kind: str, name: str, namespace: str):
        self._kube = kube
        self._target = (kind, name, namespace)
        self._seconds: float | None = None
        self._version: str | None = None
        self._thread: threading.Thread | None = None
        self._error: Exception | None = None

    def __enter__(self) -> "Recreation":
        self._version = self._kube.get(*self._target)["metadata"]["resourceVersion"]
        # The watch starts at the version just read, so it cannot miss an event.
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_exc) -> None:
        """Does nothing: the watch ends by itself."""

    def wait(self, timeout_seconds: float) -> float:
        """Returns the seconds of absence; raises WaitTimeout if no new object appears in time."""
        self._thread.join(timeout_seconds)
        if self._error is not None:
            raise self._error
        if self._seconds is None:
            raise WaitTimeout(f"{self._target}: no successor after {timeout_seconds:.0f} s")
        return self._seconds

    def _follow(self) -> None:
        kind, name, namespace = self._target
        deleted = None
        try:
            for event, _ in self._kube.watch(
                kind, namespace, fields=f"metadata.name={name}", resource_version=self._version
            ):
                if event == "DELETED":
                    deleted = time.monotonic()
                elif event == "ADDED" and deleted is not None:
                    self._seconds = time.monotonic() - deleted
                    return
        except Exception as error:  # pylint: disable=broad-except
            # wait() raises it in the main thread.
            self._error = error
