# SPDX-License-Identifier: Apache-2.0
"""The demo exits with 0 on success, names the step that deviates, and leaves nothing behind."""

import io
import os
import pathlib
import signal
import stat
import subprocess
import sys
import time

import pytest

from cluster import state
from demo.narrator import Narrator
from harness.cluster import Cluster
from harness.kube import wait_until

DEMO = pathlib.Path(__file__).with_name("demo")
TIMEOUT_SECONDS = 300


def run_demo(*arguments, **environment):
    """Runs the demo to completion."""
    return subprocess.run(
        [sys.executable, DEMO, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


def abandoned() -> set[str]:
    """Returns the clusters of tests whose process has ended; others may be running beside it."""
    owners = {name: name.split("-")[1] for name in state.names() if name.startswith("test-")}
    return {name for name, pid in owners.items() if not pathlib.Path("/proc", pid).exists()}


@pytest.fixture(autouse=True)
def own_cache_of_states(monkeypatch):
    """Unsets KUBECONFIG, so that the demo starts a cluster; none may be left afterwards."""
    monkeypatch.delenv("KUBECONFIG", raising=False)
    before = abandoned()
    yield
    assert abandoned() <= before


def test_every_step_succeeds():
    done = run_demo()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All 15 steps went as told" in done.stdout
    assert "Left out" not in done.stdout
    assert "\x1b[" not in done.stdout
    for claim in (
        "renamed, it is the same entry",
        "the deletion took the entry along",
        "one FarmPod per Pod, with the number of its containers",
        "kubectl explains the fields that the view declares",
    ):
        assert f"  ok: {claim}\n" in done.stdout


@pytest.mark.parametrize(
    "system, steps, claim",
    [
        ("podset", 5, "status.podNames lists them"),
        ("pet", 3, "renamed, it is the same entry"),
        ("farm", 6, "one FarmPod per Pod, with the number of its containers"),
    ],
)
def test_the_scene_of_one_system_can_be_shown_alone(system, steps, claim):
    done = run_demo("--system", system)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"All {steps} steps went as told" in done.stdout
    assert f"  ok: {claim}\n" in done.stdout


def test_an_unknown_system_is_refused_and_the_known_ones_are_named():
    done = run_demo("--system", "zoo")
    assert done.returncode == 2
    systems = ("bookstore", "podset", "demovolume", "pet", "farm")
    assert all(f"'{system}'" in done.stderr for system in systems)


def test_on_a_cluster_of_the_user_no_other_server_is_started(monkeypatch):
    monkeypatch.delenv("CHARTWRIGHT_CLUSTER", raising=False)
    with Cluster.start() as cluster:
        done = run_demo(KUBECONFIG=str(cluster.kubeconfig))
        assert done.returncode == 0, done.stdout + done.stderr
        assert cluster.kube.find("APIService", "v1alpha.farm.example.com") is None
        assert cluster.kube.find("v1/Namespace", "pets") is None
    assert "Left out: its store would have to run beside your cluster.\n" in done.stdout
    told = "Left out: the API server of your cluster cannot be led to this machine.\n"
    assert told in done.stdout
    assert "13 of 15 steps went as told" in done.stdout


def test_an_operator_that_does_not_start_is_named(tmp_path):
    broken = tmp_path / "chartwright"
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    done = run_demo(CHARTWRIGHT_BINARY=str(broken))
    assert done.returncode == 1
    assert 'demo: step 3, "Start the operator under its own ServiceAccount", failed' in done.stdout
    assert "broken" in done.stdout


def test_a_missing_binary_is_named_before_anything_starts():
    done = run_demo(CHARTWRIGHT_BINARY="/nonexistent/chartwright")
    assert done.returncode == 1
    assert "/nonexistent/chartwright is not there" in done.stdout


def test_ctrl_c_ends_play_with_success(tmp_path):
    output = tmp_path / "output"
    with output.open("w", encoding="utf-8") as stream:
        child = subprocess.Popen([sys.executable, DEMO, "--play"], stdout=stream)
    try:
        wait_until(
            lambda: "rollback-to=previous" in output.read_text() or child.poll() is not None,
            timeout_seconds=TIMEOUT_SECONDS,
            what="the invitation",
        )
        assert "export KUBECONFIG=" in output.read_text()
        child.send_signal(signal.SIGINT)
        assert child.wait(TIMEOUT_SECONDS) == 0
    finally:
        child.kill()
        child.wait()


def test_ctrl_c_in_a_step_ends_the_demo(tmp_path):
    output = tmp_path / "output"
    with output.open("w", encoding="utf-8") as stream:
        child = subprocess.Popen([sys.executable, DEMO], stdout=stream)
    try:
        wait_until(
            lambda: "[4/" in output.read_text() or child.poll() is not None,
            timeout_seconds=TIMEOUT_SECONDS,
            what="the fourth step",
        )
        started = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.wait(TIMEOUT_SECONDS) == 130
        assert time.monotonic() - started < 60
    finally:
        child.kill()
        child.wait()


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize("no_colour, coloured", [("", True), ("1", False)])
def test_colour_only_on_a_terminal_that_wants_it(monkeypatch, no_colour, coloured):
    monkeypatch.setenv("NO_COLOR", no_colour)
    stream = Terminal()
    Narrator(stream).title(1, 1, "A title")
    assert ("\x1b[" in stream.getvalue()) == coloured


def test_tables_are_aligned():
    stream = io.StringIO()
    Narrator(stream).table([("VERB", "NAME"), ("patch", "a")])
    assert stream.getvalue() == "    VERB   NAME\n    patch  a\n"
