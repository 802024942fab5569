# SPDX-License-Identifier: Apache-2.0
"""The operator under test as a child process: readiness, logs, metrics, cost and exit."""

import dataclasses
import http.client
import itertools
import json
import os
import pathlib
import signal
import subprocess
import time
from collections.abc import Callable

from harness import ports, process
from harness.kube import wait_until
from harness.paths import REPOSITORY

START_TIMEOUT_SECONDS = 30.0
STOP_TIMEOUT_SECONDS = 40.0
_PORT_ATTEMPTS = 5
_numbers = itertools.count(1)


def default_binary() -> pathlib.Path:
    """Returns the binary to test: CHARTWRIGHT_BINARY, or the release build."""
    return pathlib.Path(
        os.environ.get("CHARTWRIGHT_BINARY") or REPOSITORY / "build" / "release" / "chartwright"
    )


@dataclasses.dataclass(frozen=True)
class OperatorOptions:
    """Options for starting the operator; all but the kubeconfig have defaults.

    `watches_file` and the chart paths in it are relative to `cwd`. `namespaces` becomes
    WATCH_NAMESPACE (empty: all). `arguments` and `environment` are added to those set here.
    `wrapper` is a command prefix that replaces itself with the operator (exec). `has_state_dir`:
    the binary has the flag --state-dir, unlike helm-operator.
    """

    kubeconfig: str | os.PathLike
    watches_file: str | os.PathLike = "watches.yaml"
    namespaces: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    environment: dict = dataclasses.field(default_factory=dict)
    cwd: str | os.PathLike = REPOSITORY
    binary: str | os.PathLike | None = None
    log_path: str | os.PathLike | None = None
    wrapper: tuple[str, ...] = ()
    has_state_dir: bool = True


@dataclasses.dataclass(frozen=True)
class Exit:
    """How the operator ended: exit code (negative: a signal) and the time that it took."""

    code: int
    seconds: float


class OperatorFailed(AssertionError):
    """The operator ended or did not become ready; the message has the end of its log."""


class Operator:
    """One operator process, started by `start()` or by entering the context.

    It ends with the context or with the thread that started it, whichever is first.
    """

    def __init__(self, options: OperatorOptions):
        self.options = options
        self.log_path = pathlib.Path(options.log_path or _log_path())
        self.log_path.parent.mkdir(parents=True, exist_ok=True)
        # State that the operator keeps across restarts.
        self.state_dir = self.log_path.with_suffix(".state")
        self.state_dir.mkdir(exist_ok=True)
        # All operators of the tests sign with one key, as replicas do.
        (self.state_dir / "master-key").write_text("7e" * 32, encoding="utf-8")
        self._child: subprocess.Popen | None = None
        self._reservation: ports.Reservation | None = None

    def __enter__(self) -> "Operator":
        return self.start()

    def __exit__(self, *_exc) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Returns the pid of the running operator."""
        return self._child.pid

    @property
    def metrics_port(self) -> int:
        """Returns the port of /metrics."""
        return self._reservation.ports[0]

    @property
    def health_port(self) -> int:
        """Returns the port of /healthz and /readyz."""
        return self._reservation.ports[1]

    def start(self, *, timeout_seconds: float = START_TIMEOUT_SECONDS) -> "Operator":
        """Starts the operator and waits until /readyz is ok; else raises OperatorFailed."""
        for _ in range(_PORT_ATTEMPTS):
            self.launch()
            try:
                self.wait_ready(timeout_seconds=timeout_seconds)
                return self
            except OperatorFailed:
                taken = self._child.poll() is not None and not all(
                    ports.is_free(port) for port in self._reservation.ports
                )
                self.close()
                if not taken:
                    raise
        raise OperatorFailed("no free ports for the operator")

    def launch(self) -> None:
        """Starts the operator without waiting, for runs that are expected to fail."""
        if self._child is not None and self._child.poll() is None:
            raise RuntimeError("this operator runs already")
        self._reservation = ports.Reservation(2)
        options = self.options
        self._child = process.spawn(
            self._command(),
            log_path=self.log_path,
            cwd=options.cwd,
            env={
                **os.environ,
                "KUBECONFIG": os.fspath(options.kubeconfig),
                "WATCH_NAMESPACE": ",".join(options.namespaces),
                **options.environment,
            },
        )

    def wait_ready(self, *, timeout_seconds: float = START_TIMEOUT_SECONDS) -> None:
        """Blocks until /readyz answers 200; raises OperatorFailed at an exit or timeout."""
        deadline = time.monotonic() + timeout_seconds
        while self.http_status("/readyz") != 200:
            if self._child.poll() is not None:
                raise OperatorFailed(self._describe(f"ended with {self._child.returncode}"))
            if time.monotonic() > deadline:
                raise OperatorFailed(self._describe("does not get ready"))
            time.sleep(0.02)

    def wait_exit(self, *, timeout_seconds: float = STOP_TIMEOUT_SECONDS) -> Exit:
        """Blocks until the operator exits by itself; raises OperatorFailed at a timeout."""
        started = time.monotonic()
        try:
            code = self._child.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            raise OperatorFailed(self._describe("does not end")) from None
        return Exit(code, time.monotonic() - started)

    def stop(self, *, timeout_seconds: float = STOP_TIMEOUT_SECONDS) -> Exit:
        """Sends SIGTERM and waits for the exit; raises OperatorFailed at a timeout."""
        self._child.send_signal(signal.SIGTERM)
        return self.wait_exit(timeout_seconds=timeout_seconds)

    def kill(self) -> None:
        """Kills the operator with SIGKILL, like a crash."""
        self._child.kill()
        self._child.wait()

    def restart(self) -> Exit:
        """Stops and restarts the operator with the same log; returns how it exited."""
        ended = self.stop()
        self._reservation.close()
        self.start()
        return ended

    def revive(self) -> None:
        """Restarts the operator after `kill` with the same log and state; ready on return."""
        self._reservation.close()
        self.start()

    def close(self) -> None:
        """Stops the operator, by force if necessary, and releases its ports."""
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()
            try:
                self._child.wait(STOP_TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
        if self._reservation is not None:
            self._reservation.close()

    def running(self) -> bool:
        """Reports whether the process is alive."""
        return self._child is not None and self._child.poll() is None

    def logs(self) -> list[dict]:
        """Returns the log lines, JSON objects on stderr; raises ValueError if one is not."""
        text = self.log_path.read_text(encoding="utf-8")
        # The last line may be incomplete.
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def wait_log(self, predicate: Callable[[dict], object], **options) -> dict:
        """Waits for a log line that satisfies `predicate`, with the options of `wait_until`."""
        return wait_until(
            lambda: next((line for line in self.logs() if predicate(line)), None), **options
        )

    def exposition(self) -> str:
        """Returns the text of /metrics."""
        return self._get(self.metrics_port, "/metrics")[1]

    def metrics(self) -> dict[str, float]:
        """Returns all samples of /metrics: `name{label="value"}` -> value."""
        samples = {}
        for line in self.exposition().splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                samples[name] = float(value)
        return samples

    def http_status(self, path: str) -> int | None:
        """Returns the HTTP status of a path on the health port; None without an answer."""
        try:
            return self._get(self.health_port, path)[0]
        except (OSError, http.client.HTTPException):
            return None

    def cpu_seconds(self) -> float:
        """Returns the CPU time used so far."""
        return process.cpu_seconds(self.pid)

    def resident_bytes(self) -> int:
        """Returns the current resident set size."""
        return process.resident_bytes(self.pid)

    def peak_resident_bytes(self) -> int:
        """Returns the largest resident set size so far."""
        return process.peak_resident_bytes(self.pid)

    def _command(self) -> list[str | os.PathLike]:
        options = self.options
        return [
            *options.wrapper,
            options.binary or default_binary(),
            "run",
            f"--watches-file={os.fspath(options.watches_file)}",
            *self._addresses(),
            *((f"--state-dir={self.state_dir}",) if options.has_state_dir else ()),
            *options.arguments,
        ]

    def _addresses(self) -> tuple[str, ...]:
        return (
            f"--metrics-bind-address=127.0.0.1:{self.metrics_port}",
            f"--health-probe-bind-address=127.0.0.1:{self.health_port}",
        )

    def _get(self, port: int, path: str) -> tuple[int, str]:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            client.request("GET", path)
            reply = client.getresponse()
            return reply.status, reply.read().decode("utf-8")
        finally:
            client.close()

    def _describe(self, what: str) -> str:
        return f"the operator {what}; the end of {self.log_path}:\n{process.tail(self.log_path)}"


def _log_path() -> pathlib.Path:
    folder = REPOSITORY / "build" / "test-logs"
    return folder / f"operator-{os.getpid()}-{next(_numbers)}.log"
