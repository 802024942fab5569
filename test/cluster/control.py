# SPDX-License-Identifier: Apache-2.0
"""Operations on a cluster from outside its supervisor."""

import http.client
import os
import pathlib
import signal
import socket
import subprocess
import sys

from cluster import build, pki
from cluster.components import Options
from cluster.state import State, StateError, control_address
from cluster.supervisor import READY
from harness import process
from harness.connection import ApiError
from harness.kube import Kube
from harness.service_account import mint

_COMMAND = pathlib.Path(__file__).resolve().parent / "cluster"


def up(name: str, options: Options, owner_pid: int | None = None) -> None:
    """Starts a cluster in the background and waits until it is ready; raises StateError on failure.

    It stops with the process `owner_pid` if given, else with `down`.
    """
    state = State(name)
    build.ensure()
    command = [sys.executable, _COMMAND, "_supervise", f"--name={name}"]
    if not options.pods:
        command.append("--no-pods")
    if options.audit_policy is not None:
        command.append(f"--audit-policy={options.audit_policy}")
    command += [f"--apiserver-arg={argument}" for argument in options.apiserver_args]
    if owner_pid is not None:
        command.append(f"--owner-pid={owner_pid}")
    # A session of its own: Ctrl-C reaches only `up`, and the supervisor notices that `up` ended.
    supervisor = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    said = []
    try:
        for line in supervisor.stdout:
            if line.strip() == READY:
                return
            said.append(line)
    finally:
        supervisor.stdin.close()
        supervisor.stdout.close()
        if said or not state.read().get("ready"):
            supervisor.wait()
        # Still running on purpose; this avoids the ResourceWarning of the interpreter.
        supervisor.returncode = supervisor.returncode or 0
    raise StateError("".join(said).strip() or f"cluster {name!r} ended while it was starting")


def down(name: str) -> None:
    """Stops a cluster, if any, and removes its files; raises StateError if it does not stop."""
    state = State(name)
    running = state.processes()
    supervisor = running.get("supervisor")
    if supervisor is not None:
        process.send_signal(supervisor, signal.SIGTERM)
    for component, identity in running.items():
        if component == "supervisor" and process.wait_for_end(identity):
            continue
        # Only needed if the supervisor was killed or hangs.
        process.send_signal(identity, signal.SIGKILL)
        if not process.wait_for_end(identity):
            raise StateError(f"cluster {name!r}: {component} (pid {identity.pid}) does not end")
    lock = state.try_lock()
    if lock is None:
        raise StateError(f"cluster {name!r} is starting; end the `up` that starts it")
    state.remove()
    os.close(lock)


def ask(state: State, verb: str, component: str) -> None:
    """Asks the supervisor to stop or start one component, and waits until that is done."""
    try:
        folder = os.open(state.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise StateError(f"cluster {state.name!r} is not up") from None
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        try:
            client.connect(control_address(folder))
        except OSError:
            raise StateError(f"cluster {state.name!r} is not up") from None
        finally:
            os.close(folder)
        client.sendall(f"{verb} {component}\n".encode())
        answer = client.makefile("r", encoding="utf-8").readline().strip()
    if answer != "ok":
        raise StateError(answer or f"the supervisor of {state.name!r} gave no answer")


def admin(state: State, user_agent: str = "chartwright-cluster") -> Kube:
    """Returns a client with all rights."""
    server = state.read().get("server")
    if server is None:
        raise StateError(f"cluster {state.name!r} is not up")
    return Kube(pki.access(state.pki, "admin", server), user_agent=user_agent)


def apiserver_ready(state: State) -> bool:
    """Reports whether the API server is ready, according to itself."""
    try:
        admin(state).request("GET", "/readyz", timeout_seconds=5)
        return True
    except (OSError, http.client.HTTPException, ApiError):
        return False


def service_account_kubeconfig(state: State, namespace: str, name: str) -> pathlib.Path:
    """Writes a kubeconfig with a new token for the account into the cluster's folder."""
    path = state.folder / f"{namespace}.{name}.kubeconfig"
    mint(admin(state), namespace, name, path)
    return path
