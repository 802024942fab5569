# SPDX-License-Identifier: Apache-2.0
"""How long an object that is deleted stays away, as a watch sees it."""

import threading
import time

from harness.kube import Kube, WaitTimeout


class Recreation:
    """Watches one object; enter before deleting it, then `wait()` for its successor.

    A context manager. The time counts from the watch's DELETED event to its next ADDED event.
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
        # The watch starts at the version just read, so that no event can be missed.
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_exc) -> None:
        """Nothing to undo: the watch ends by itself."""

    def wait(self, timeout_seconds: float) -> float:
        """Returns the seconds of absence; WaitTimeout if there is no successor in time."""
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
            # A thread has nobody to raise to: wait() does it.
            self._error = error
