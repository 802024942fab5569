# SPDX-License-Identifier: Apache-2.0
"""client-go's shared informer (test/oracle/informer) as a child process."""

import json
import os
import pathlib
import signal
import subprocess
import threading

from harness.kube import DEFAULT_TIMEOUT_SECONDS, WaitTimeout
from harness.oracle import build
from harness.process import tied_to_parent

# By default, an informer asks a watch for the existing objects instead of listing them.
WATCH_LIST = "KUBE_FEATURE_WatchListClient"


class Informer:
    """An informer on one resource; a context manager. `resource` is VERSION.GROUP/PLURAL."""

    def __init__(
        self,
        kubeconfig: pathlib.Path | str,
        resource: str,
        namespace: str,
        *,
        watch_list: bool = True,
    ):
        api, _, plural = resource.partition("/")
        version, _, group = api.partition(".")
        command = [
            os.fspath(build("informer")),
            f"-kubeconfig={os.fspath(kubeconfig)}",
            f"-group={group}",
            f"-version={version}",
            f"-resource={plural}",
            f"-namespace={namespace}",
        ]
        self.user_agent = f"informer-{plural}"
        self._lines: list[dict] = []
        self._arrived = threading.Condition()
        self._child = subprocess.Popen(
            tied_to_parent(command),
            env={**os.environ, WATCH_LIST: str(watch_list).lower()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> "Informer":
        self.wait("synced")
        return self

    def __exit__(self, *_exc) -> None:
        self._child.send_signal(signal.SIGCONT)
        self._child.kill()
        self._child.wait()
        self._child.stdin.close()

    def wait(
        self, event: str, since: int = 0, timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS, **fields
    ):
        """Waits for a line with these fields after the first `since` lines, and returns it."""

        def found() -> dict | None:
            wanted = {"event": event, **fields}
            return next((one for one in self._lines[since:] if wanted.items() <= one.items()), None)

        with self._arrived:
            line = self._arrived.wait_for(found, timeout_seconds)
            if not line:
                raise WaitTimeout(f"no {event} {fields} in {self._lines[since:]}")
            return line

    def lines(self, event: str | None = None) -> list[dict]:
        """Returns the lines so far, all or those of one event."""
        with self._arrived:
            return [line for line in self._lines if event in (None, line["event"])]

    def mark(self) -> int:
        """Returns the number of lines so far."""
        return len(self.lines())

    def store(self) -> dict[str, dict]:
        """Returns what the informer holds, by NAMESPACE/NAME."""
        since = self.mark()
        self._child.stdin.write("\n")
        self._child.stdin.flush()
        return self.wait("store", since).get("store", {})

    def freeze(self) -> None:
        """Stops the process: it reads nothing, and its connections stay open."""
        self._child.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Continues a frozen process."""
        self._child.send_signal(signal.SIGCONT)

    def _read(self) -> None:
        for text in self._child.stdout:
            with self._arrived:
                self._lines.append(json.loads(text))
                self._arrived.notify_all()
