# SPDX-License-Identifier: Apache-2.0
"""Clusters start, stop and leave nothing behind, no matter how their owners end."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import urllib.parse

import pytest

from cluster import cli, control, supervisor
from cluster.components import Options
from cluster.state import State, StateError
from harness import ports, process
from harness.cluster import Cluster
from harness.kube import wait_until

COMMAND = pathlib.Path(__file__).resolve().parent / "cluster"
COMPONENTS = {"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"}


def run(*arguments):
    """Runs the command as a user would."""
    return subprocess.run(
        [sys.executable, COMMAND, *arguments], capture_output=True, text=True, check=False
    )


def start(*arguments):
    """Starts the command in the background, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    )


def assert_ended(processes):
    """Asserts that every recorded process has ended or ends now."""
    assert processes
    for component, identity in processes.items():
        assert process.wait_for_end(identity), f"{component} (pid {identity.pid}) still runs"


def assert_gone(state, processes):
    """Asserts that no process and no file of the cluster is left."""
    assert_ended(processes)
    wait_until(lambda: not state.folder.exists(), what="the removal of the folder")


def test_up_status_kubeconfig_down(name):
    state = State(name)
    up = run("up", "--name", name)
    assert up.returncode == 0, up.stderr
    assert up.stdout.strip() == str(state.kubeconfig)
    assert state.kubeconfig.stat().st_mode & 0o777 == 0o600
    assert state.folder.stat().st_mode & 0o777 == 0o700
    status = run("status", "--name", name)
    assert status.returncode == 0, status.stdout
    assert all(component in status.stdout for component in COMPONENTS)
    assert run("kubeconfig", "--name", name).stdout.strip() == str(state.kubeconfig)
    processes, server = state.processes(), state.read()["server"]
    assert set(processes) == COMPONENTS | {"supervisor"}

    assert run("down", "--name", name).returncode == 0

    assert not state.folder.exists()
    assert not any(identity.alive() for identity in processes.values())
    assert ports.is_free(urllib.parse.urlsplit(server).port)
    assert run("status", "--name", name).returncode == 1
    assert run("kubeconfig", "--name", name).returncode == 1
    assert run("down", "--name", name).returncode == 0


def test_a_second_up_of_the_same_name_is_refused_and_harmless(name):
    control.up(name, Options(pods=False))
    again = run("up", "--name", name)
    assert again.returncode == 1
    assert "already up" in again.stderr
    assert run("status", "--name", name).returncode == 0


def test_two_clusters_side_by_side_share_nothing():
    options = Options(pods=False)
    with Cluster.start(options=options) as one, Cluster.start(options=options) as other:
        assert one.kube.connection.access.server != other.kube.connection.access.server
        namespace = one.create_namespace()
        assert other.kube.find("v1/Namespace", namespace) is None
        other.close()
        assert one.kube.get("v1/Namespace", namespace)["status"]["phase"] == "Active"


def test_without_pods_only_three_components_run(name):
    control.up(name, Options(pods=False))
    assert set(State(name).processes()) == COMPONENTS - {"kube-scheduler", "kwok"} | {"supervisor"}
    assert control.admin(State(name)).list("v1/Node") == []


def test_run_gives_the_command_a_cluster_and_returns_its_exit_code(name):
    script = 'test -s "$KUBECONFIG" && test "$CHARTWRIGHT_CLUSTER" = "$0" && exit 7'
    ended = run("run", "--name", name, "--no-pods", "--", "sh", "-c", script, name)
    assert ended.returncode == 7, ended.stderr
    assert not State(name).folder.exists()


def test_a_killed_owner_takes_the_cluster_and_the_command_with_it(name, tmp_path):
    state, note = State(name), tmp_path / "pid"
    script = f"echo $$ > {note}.part && mv {note}.part {note} && exec sleep 600"
    owner = start("run", "--name", name, "--no-pods", "--", "sh", "-c", script)
    wait_until(note.exists, what="the start of the command")
    command = process.Identity.of(int(note.read_text(encoding="ascii")))
    processes = state.processes()

    owner.kill()
    owner.communicate()

    assert_gone(state, {**processes, "command": command})


def test_a_killed_supervisor_takes_its_components_with_it(name):
    state = State(name)
    control.up(name, Options())
    processes = state.processes()
    os.kill(processes["supervisor"].pid, signal.SIGKILL)
    assert_ended(processes)
    status = run("status", "--name", name)
    assert status.returncode == 1
    assert "kube-apiserver: not running" in status.stdout
    # The leftover files do not prevent a start.
    control.up(name, Options(pods=False))
    assert run("status", "--name", name).returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_up_that_is_interrupted_leaves_nothing(name, number):
    state = State(name)
    up = start("up", "--name", name)
    wait_until(lambda: "etcd" in state.processes(), what="the start of etcd")
    processes = state.processes()

    os.killpg(up.pid, number)
    up.communicate()

    assert_gone(state, processes)
    lock = wait_until(state.try_lock, what="the end of the supervisor")
    os.close(lock)


def test_ctrl_c_lets_the_command_finish_and_then_ends_the_cluster(name, tmp_path):
    state, note = State(name), tmp_path / "note"
    script = f"trap 'sleep 0.5; echo cleaned >{note}; exit 5' INT; echo >{note}; sleep 60"
    owner = start("run", "--name", name, "--no-pods", "--", "sh", "-c", script)
    wait_until(note.exists, what="the start of the command")
    processes = state.processes()

    os.killpg(owner.pid, signal.SIGINT)

    owner.communicate()
    assert owner.returncode == 5
    assert note.read_text(encoding="ascii") == "cleaned\n"
    assert_gone(state, processes)


def test_ctrl_c_right_after_the_start_of_the_command_is_left_to_it(name, monkeypatch):
    """The signal once came between the start and the handler: 130 instead of the command's code."""

    class Interrupted(subprocess.Popen):
        def __init__(self, *arguments, **keywords):
            super().__init__(*arguments, **keywords)
            if "CHARTWRIGHT_CLUSTER" in (keywords.get("env") or {}):
                os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(cli.subprocess, "Popen", Interrupted)
    assert cli.main(["run", "--name", name, "--no-pods", "--", "sh", "-c", "exit 5"]) == 5


def test_a_component_that_dies_is_named_by_status(name):
    control.up(name, Options(pods=False))
    os.kill(State(name).processes()["kube-controller-manager"].pid, signal.SIGKILL)
    process.wait_for_end(State(name).processes()["kube-controller-manager"])
    status = run("status", "--name", name)
    assert status.returncode == 1
    assert "kube-controller-manager: not running" in status.stdout


def test_components_stop_and_start_again_with_their_data(name):
    with Cluster.start(name, Options(pods=False)) as cluster:
        namespace = cluster.create_namespace()
        cluster.stop_component("kube-apiserver")
        with pytest.raises(OSError):
            cluster.kube.get("v1/Namespace", namespace)
        cluster.start_component("kube-apiserver")
        assert cluster.kube.get("v1/Namespace", namespace)["status"]["phase"] == "Active"
        assert run("status", "--name", name).returncode == 0
        refused = run("stop", "--name", name, "kube-proxy")
        assert refused.returncode == 1
        assert "no component 'kube-proxy'" in refused.stderr


def test_a_refused_argument_fails_with_the_log_and_leaves_nothing(name):
    up = run("up", "--name", name, "--apiserver-arg=--no-such-flag")
    assert up.returncode == 1
    assert "kube-apiserver ended" in up.stderr
    assert "--no-such-flag" in up.stderr
    assert not State(name).folder.exists()


def test_other_ports_are_chosen_if_one_is_taken(name, monkeypatch):
    honest = ports.Reservation
    attempts = []

    def reserve(count):
        reservation = honest(count)
        attempts.append(reservation)
        if len(attempts) == 1:
            reservation.ports[2] = intruder.getsockname()[1]
        return reservation

    monkeypatch.setattr(supervisor.ports, "Reservation", reserve)
    with socket.create_server(("127.0.0.1", 0)) as intruder:
        started = supervisor.Supervisor(State(name), Options(pods=False))
        try:
            started.start()
            assert len(attempts) == 2
            assert control.apiserver_ready(State(name))
        finally:
            started.end()


def unlucky(binary, tmp_path, lucky_after, fate):
    """Writes a kwok that does nothing in its first starts, as if it lost the node's first event, or
    that ends.
    """
    counter = tmp_path / "starts"
    script = tmp_path / "kwok"
    script.write_text(
        f'#!/bin/sh\necho start >> "{counter}"\n'
        f'[ "$(wc -l < "{counter}")" -gt {lucky_after} ] && exec "{binary}" "$@"\n'
        f"echo nothing comes to mind; {fate}\n",
        encoding="ascii",
    )
    script.chmod(0o700)
    return script


@pytest.mark.parametrize(
    "lucky_after,patience,fate",
    [
        (1, 8.0, "exec sleep infinity"),
        (1, 8.0, "exit 2"),
        (supervisor.READY_ATTEMPTS, 1.0, "exec sleep infinity"),
    ],
)
def test_a_node_that_does_not_become_ready_gets_another_kwok(
    name, monkeypatch, tmp_path, lucky_after, patience, fate
):
    binaries = dict(supervisor.build.ensure())
    binaries["kwok"] = unlucky(binaries["kwok"], tmp_path, lucky_after, fate)
    monkeypatch.setattr(supervisor.build, "ensure", lambda: binaries)
    monkeypatch.setattr(supervisor.bootstrap, "NODE_READY_SECONDS", patience)
    started = supervisor.Supervisor(State(name), Options())
    try:
        if lucky_after < supervisor.READY_ATTEMPTS:
            started.start()
            assert control.apiserver_ready(State(name))
        else:
            with pytest.raises(
                supervisor.StartError, match=r"Ready node(.|\n)*nothing comes to mind"
            ):
                started.start()
    finally:
        started.end()


@pytest.mark.parametrize("bad", ["", "../x", "Upper", "a_b", "x" * 43, "-a"])
def test_a_bad_name_is_refused(bad):
    with pytest.raises(StateError):
        State(bad)
    assert run("up", f"--name={bad}").returncode == 1


def test_a_kubeconfig_for_a_service_account_must_name_one(name):
    control.up(name, Options(pods=False))
    path = run("kubeconfig", "--name", name, "--service-account", "default/default").stdout.strip()
    assert pathlib.Path(path).stat().st_mode & 0o777 == 0o600
    for wrong, message in (("default", "NAMESPACE/NAME"), ("default/absent", "404")):
        ended = run("kubeconfig", "--name", name, "--service-account", wrong)
        assert ended.returncode == 1
        assert message in ended.stderr


def test_an_unknown_binary_is_refused_with_the_choice():
    ended = run("build", "kubelet")
    assert ended.returncode == 1
    assert "kube-apiserver" in ended.stderr
