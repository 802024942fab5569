# SPDX-License-Identifier: Apache-2.0
"""`chartwright serve` as a child process, behind the aggregator of a cluster on this machine."""

import dataclasses
import http.client
import json
import os
import pathlib
import signal
import ssl
import subprocess

from harness import ports, process
from harness.connection import ApiError
from harness.kube import Kube, wait_until
from harness.operator import default_binary
from harness.paths import REPOSITORY

STOP_TIMEOUT_SECONDS = 20.0
FOLLOW_TIMEOUT_SECONDS = 60.0
PROBE_TIMEOUT_SECONDS = 2.0
AGGREGATED_DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@dataclasses.dataclass(frozen=True)
class ViewOptions:
    """Options for serving the views of a folder; `service` is NAMESPACE/NAME.

    `wrapper` is a command that runs the server in its place (harness.confinement).
    """

    kubeconfig: str | os.PathLike
    folder: str | os.PathLike
    service: str
    arguments: tuple[str, ...] = ()
    wrapper: tuple[str, ...] = ()


class ViewServer:
    """One server of views. It ends with the context or with the thread that started it."""

    def __init__(self, kube: Kube, options: ViewOptions):
        self.kube = kube
        self.options = options
        self.reservation = ports.Reservation(1)
        logs = REPOSITORY / "build" / "test-logs"
        logs.mkdir(parents=True, exist_ok=True)
        self.log_path = pathlib.Path(logs / f"views-{os.getpid()}-{self.port}.log")
        self._child: subprocess.Popen | None = None

    def __enter__(self) -> "ViewServer":
        return self

    def __exit__(self, *_exc) -> None:
        self.close()

    @property
    def port(self) -> int:
        """Returns the port that it listens on."""
        return self.reservation.ports[0]

    @property
    def pid(self) -> int:
        """Returns the pid of the running server."""
        return self._child.pid

    def create_service(self) -> None:
        """Makes the Service, which leads to this machine: the API server runs on it, too."""
        namespace, _, name = self.options.service.partition("/")
        self.kube.apply(
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": name, "namespace": namespace},
                "spec": {
                    "type": "ExternalName",
                    "externalName": "localhost",
                    "ports": [{"port": self.port}],
                },
            }
        )

    def command(self, *arguments: str) -> list[str]:
        """Returns the command line."""
        return [
            *self.options.wrapper,
            os.fspath(default_binary()),
            "serve",
            f"--views={os.fspath(self.options.folder)}",
            f"--listen=127.0.0.1:{self.port}",
            f"--service={self.options.service}:{self.port}",
            *self.options.arguments,
            *arguments,
        ]

    def run_arguments(self) -> tuple[str, ...]:
        """Returns the arguments with which `chartwright run` serves the views instead."""
        return (
            f"--views={os.fspath(self.options.folder)}",
            f"--views-bind-address=127.0.0.1:{self.port}",
            f"--views-service={self.options.service}:{self.port}",
        )

    def environment(self) -> dict:
        """Returns the environment of the command."""
        return {**os.environ, "KUBECONFIG": os.fspath(self.options.kubeconfig)}

    def start(self) -> "ViewServer":
        """Starts the server without waiting."""
        self._child = process.spawn(
            self.command(), log_path=self.log_path, cwd=REPOSITORY, env=self.environment()
        )
        return self

    def running(self) -> bool:
        """Reports whether the process is alive."""
        return self._child is not None and self._child.poll() is None

    def ready(self) -> bool:
        """Reports whether /readyz says so, at the server itself."""
        tls = ssl.create_default_context()
        tls.check_hostname = False
        tls.verify_mode = ssl.CERT_NONE  # For want of the authority: nothing is told or believed.
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, context=tls, timeout=PROBE_TIMEOUT_SECONDS
        )
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def stop(self) -> int:
        """Sends SIGTERM, waits for the end and returns the exit code."""
        self._child.send_signal(signal.SIGTERM)
        return self._child.wait(STOP_TIMEOUT_SECONDS)

    def freeze(self) -> None:
        """Stops the process without ending it: connections stay open, and nothing answers."""
        self._child.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Continues a frozen process."""
        self._child.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Ends the server, by force if necessary."""
        if self.running():
            self.thaw()
            self._child.terminate()
            try:
                self._child.wait(STOP_TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()
        self.reservation.close()

    def logs(self) -> list[dict]:
        """Returns the log lines."""
        text = self.log_path.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def availability(self, api_service: str) -> dict:
        """Returns the condition Available of an APIService; empty if there is none."""
        found = self.kube.find("APIService", api_service) or {}
        conditions = found.get("status", {}).get("conditions", [])
        return next((c for c in conditions if c["type"] == "Available"), {})

    def wait_available(self, api_service: str, status: str = "True") -> dict:
        """Waits until the aggregator calls the APIService available, or not, and acts on it.

        The parts of the aggregator that proxy requests and that merge discovery documents watch the
        condition, so that each follows it a moment later.
        """
        available = status == "True"
        version, _, group = api_service.partition(".")
        condition = wait_until(
            lambda: (c := self.availability(api_service)).get("status") == status and c,
            timeout_seconds=FOLLOW_TIMEOUT_SECONDS,
            what=f"{api_service} Available={status}",
        )
        wait_until(
            lambda: self._proxied(f"/apis/{group}/{version}") == available,
            timeout_seconds=FOLLOW_TIMEOUT_SECONDS,
            what=f"requests to {api_service} to be {'passed on' if available else 'refused'}",
        )
        wait_until(
            lambda: not available or self._discovered(group, version),
            timeout_seconds=FOLLOW_TIMEOUT_SECONDS,
            what=f"{api_service} to be in the discovery document of all groups",
        )
        return condition

    def _proxied(self, root: str) -> bool | None:
        """Reports whether requests below `root` are answered; None if nothing answers in time."""
        try:
            self.kube.request("GET", root, timeout_seconds=PROBE_TIMEOUT_SECONDS)
        except TimeoutError:
            return None
        except ApiError as error:
            if error.code not in (404, 503):
                raise
            return False
        return True

    def _discovered(self, group: str, version: str) -> bool:
        """Reports whether the discovery document of all groups has the group's newest resources."""
        groups = self.kube.request("GET", "/apis", accept=AGGREGATED_DISCOVERY)["items"]
        return any(
            found["metadata"]["name"] == group
            and any(
                v["version"] == version and v["freshness"] == "Current" for v in found["versions"]
            )
            for found in groups
        )
