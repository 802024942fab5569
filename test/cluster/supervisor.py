# SPDX-License-Identifier: Apache-2.0
"""The process that owns a cluster: it starts the components and stops them when it ends.

The kernel kills every component when this process ends for any reason. It ends on SIGTERM, when
its owner ends, and when `up` ends before the cluster is ready.
"""

import http.client
import os
import select
import shutil
import signal
import socket
import ssl
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence

from cluster import bootstrap, build, components, pki
from cluster.components import APISERVER, ETCD, KWOK, Options, Ports
from cluster.state import State, StateError, control_address
from harness import kubeconfig, ports, process
from harness.connection import ApiError
from harness.kube import Kube, WaitTimeout

READY = "ready"
_START_TIMEOUT_SECONDS = 60.0
# Collecting garbage is a fifth of what an API server does in the tests, at Go's setting.
_GARBAGE_COLLECTION = {"GOGC": "400", "GOMEMLIMIT": "1GiB"}
_PORT_ATTEMPTS = 5
READY_ATTEMPTS = 3
_POLL_SECONDS = 0.02
_CONTROL_TIMEOUT_SECONDS = 5.0


class Stop(BaseException):
    """Raised in the main thread by SIGTERM, at any point."""


class StartError(Exception):
    """A component did not start; the message has the end of its log."""


class PortTaken(Exception):
    """A component ended because another server has its port; other ports may work."""


class Supervisor:
    """Runs the components of one cluster."""

    def __init__(self, state: State, options: Options):
        self._state = state
        self._options = options
        self._binaries = build.ensure()
        self._children: dict = {}
        self._reservation: ports.Reservation | None = None
        self._ports: Ports | None = None
        self.ready = False

    def start(self) -> None:
        """Starts the cluster until pods can be created, or raises StartError."""
        self._state.create()
        components.write_inputs(self._state, self._options)
        pki.create(self._state.pki)
        for _ in range(_PORT_ATTEMPTS):
            self._choose_ports()
            try:
                self._run(ETCD)
                self._wait(ETCD, self._etcd_answers, [self._ports.etcd_client])
                self._run(APISERVER)
                self._wait(APISERVER, self._apiserver_answers, [self._ports.apiserver])
                break
            except PortTaken:
                self._kill_all()
        else:
            raise StartError(f"no free ports after {_PORT_ATTEMPTS} attempts")
        kube = self._kube()
        bootstrap.apply(kube, pods=self._options.pods)
        for name in self._options.names()[2:]:
            self._run(name)
        self._wait_ready(kube)

    def serve(self, listener: socket.socket) -> None:
        """Serves requests to stop and start single components until Stop is raised."""
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(_CONTROL_TIMEOUT_SECONDS)
                try:
                    request = connection.makefile("r", encoding="ascii").readline().split()
                    connection.sendall((self._control(request) + "\n").encode())
                except OSError:
                    # The client is gone; the cluster goes on.
                    continue

    def end(self) -> None:
        """Stops every component, waits until all have ended and removes the folder."""
        self._kill_all()
        self._state.remove()

    def _control(self, request: list[str]) -> str:
        verb, name = request if len(request) == 2 else ("", "")
        if name not in self._options.names():
            return f"no component {name!r} runs here; there are {', '.join(self._options.names())}"
        if verb == "stop":
            self._kill(name)
        elif verb == "start" and self._children[name].poll() is not None:
            self._run(name)
            if name == APISERVER:
                self._wait(name, self._apiserver_answers, [])
        elif verb != "start":
            return f"unknown request {verb!r}"
        return "ok"

    def _choose_ports(self) -> None:
        if self._reservation is not None:
            self._reservation.close()
        self._reservation = ports.Reservation(3)
        self._ports = Ports(*self._reservation.ports)
        server = self._ports.server()
        folder, pki_folder = self._state.folder, self._state.pki
        shutil.rmtree(self._state.etcd, ignore_errors=True)
        for client in pki.CLIENTS:
            path = self._state.kubeconfig if client == "admin" else folder / f"{client}.kubeconfig"
            names = kubeconfig.Names(cluster=f"chartwright-{self._state.name}", user=client)
            kubeconfig.write(path, pki.access(pki_folder, client, server), names)

    def _run(self, name: str) -> None:
        arguments = components.arguments(name, self._state, self._options, self._ports)
        log = self._state.logs / f"{name}.log"
        self._children[name] = process.spawn(
            [self._binaries[name], *arguments],
            log_path=log,
            cwd=self._state.folder,
            env={**_GARBAGE_COLLECTION, **os.environ},
        )
        self.record()

    def record(self) -> None:
        """Records the running processes, for `status` and `down`."""
        running = {"supervisor": process.Identity.of(os.getpid())}
        for name, child in self._children.items():
            try:
                running[name] = process.Identity.of(child.pid)
            except ProcessLookupError:
                # Already ended; `status` reports the missing component.
                continue
        self._state.write(
            {
                "ready": self.ready,
                "server": self._ports.server() if self._ports else None,
                "components": self._options.names(),
                "processes": {name: [i.pid, i.start_ticks] for name, i in running.items()},
            }
        )

    def _wait_ready(self, kube: Kube) -> None:
        for attempts_left in reversed(range(READY_ATTEMPTS)):
            try:
                bootstrap.wait_ready(kube, pods=self._options.pods)
                self._check_all_alive()
                return
            except (WaitTimeout, StartError) as error:
                if attempts_left == 0 or not self._options.pods:
                    self._check_all_alive()
                    raise StartError(self._describe_all(str(error))) from error
            # kwok retries a stage only after a refused connection and a few other errors
            # (shouldRetry in its controllers); after others the node never changes. Rarely, it
            # panics at its start (InstallMetrics, v0.8.0).
            self._kill(KWOK)
            self._check_all_alive(but=KWOK)
            self._run(KWOK)

    def _describe_all(self, what: str) -> str:
        # Any controller may be the cause, so include the logs of all.
        return "\n".join([what, *(self._describe(n, "runs") for n in self._options.names()[2:])])

    def _check_all_alive(self, but: str = "") -> None:
        for name in self._options.names():
            if name != but:
                self._check_alive(name)

    def _wait(self, name: str, answers: Callable[[], bool], own_ports: list[int]) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_SECONDS
        while not answers():
            self._check_alive(name, own_ports)
            if time.monotonic() > deadline:
                raise StartError(self._describe(name, "does not answer"))
            time.sleep(_POLL_SECONDS)
        # Another server may have answered instead.
        self._check_alive(name, own_ports)

    def _check_alive(self, name: str, own_ports: Sequence[int] = ()) -> None:
        if self._children[name].poll() is None:
            return
        if any(not ports.is_free(port) for port in own_ports):
            raise PortTaken(name)
        raise StartError(self._describe(name, f"ended ({self._children[name].returncode})"))

    def _describe(self, name: str, what: str) -> str:
        log = self._state.logs / f"{name}.log"
        return f"{name} {what}; the end of its log:\n{process.tail(log)}"

    def _etcd_answers(self) -> bool:
        client = http.client.HTTPConnection("127.0.0.1", self._ports.etcd_client, timeout=2)
        try:
            client.request("GET", "/health")
            return client.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            client.close()

    def _apiserver_answers(self) -> bool:
        try:
            self._kube().request("GET", "/readyz", timeout_seconds=2)
            return True
        except (OSError, ssl.SSLError, http.client.HTTPException, ApiError):
            return False

    def _kube(self) -> Kube:
        access = pki.access(self._state.pki, "admin", self._ports.server())
        return Kube(access, user_agent="chartwright-cluster")

    def _kill_all(self) -> None:
        for child in self._children.values():
            if child.poll() is None:
                child.kill()
        for child in self._children.values():
            child.wait()
        self._children = {}

    def _kill(self, name: str) -> None:
        # On SIGTERM an API server keeps serving while it drains; tests want it gone at once.
        child = self._children[name]
        if child.poll() is None:
            child.kill()
        child.wait()
        self.record()


def main(name: str, options: Options, owner_pid: int | None) -> int:
    """Runs a cluster until SIGTERM or the owner's end; stdin and stdout are pipes to the caller.

    Writes `ready` or the reason of a failure. If stdin is closed before that, the cluster stops.
    """
    state = State(name)
    lock = state.try_lock()
    if lock is None:
        print(f"cluster {name!r} is already up or starting", flush=True)
        return 1
    signal.signal(signal.SIGTERM, _raise_stop)
    signal.signal(signal.SIGINT, _raise_stop)
    supervisor = None
    try:
        supervisor = Supervisor(state, options)
        _watch_hangups(supervisor, owner_pid)
        return _run(supervisor, state)
    except Stop:
        return 0
    except (StartError, StateError, OSError) as error:
        print(error, flush=True)
        return 1
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if supervisor is not None:
            supervisor.end()


def _run(supervisor: Supervisor, state: State) -> int:
    supervisor.start()
    folder = os.open(state.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(control_address(folder))
        listener.listen()
        supervisor.ready = True
        supervisor.record()
        print(READY, flush=True)
        _leave_caller(state)
        supervisor.serve(listener)
    return 0


def _leave_caller(state: State) -> None:
    """Closes the pipes to `up`, which is about to end; further output goes to the log."""
    null = os.open(os.devnull, os.O_RDONLY)
    log = os.open(state.supervisor_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(null, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(null)
    os.close(log)


def _raise_stop(_number: int, _frame: object) -> None:
    raise Stop


def _watch_hangups(supervisor: Supervisor, owner_pid: int | None) -> None:
    """Sends SIGTERM to this process when the owner ends, or when `up` ends too early."""
    # A duplicate, because `_leave_caller` replaces descriptor 0.
    caller = os.dup(0)
    owner = os.pidfd_open(owner_pid) if owner_pid is not None else None
    poller = select.poll()
    poller.register(caller, select.POLLIN | select.POLLHUP)
    if owner is not None:
        poller.register(owner, select.POLLIN)

    def watch() -> None:
        while True:
            for descriptor, _ in poller.poll():
                if descriptor == owner or not supervisor.ready:
                    os.kill(os.getpid(), signal.SIGTERM)
                    return
                poller.unregister(caller)

    threading.Thread(target=watch, name="hangups", daemon=True).start()


def run_reporting(name: str, options: Options, owner_pid: int | None) -> int:
    """Runs `main`; reports an unexpected error to the caller, if it still waits, and to the log."""
    try:
        return main(name, options, owner_pid)
    except Exception:
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        raise
