# SPDX-License-Identifier: Apache-2.0
"""A start that cannot work fails at once, says where and why, and starts nothing."""

import dataclasses
import os
import re
import socket
import subprocess

import pytest

from e2e.session import WIDGET_FILES
from e2e.traffic import Traffic, nothing
from harness import ports
from harness.operator import default_binary
from harness.paths import REPOSITORY

EXIT_SECONDS_MAX = 10.0


@dataclasses.dataclass
class Started:
    """The outcome of a start, and the ports that it should serve."""

    code: int
    stdout: str
    stderr: str


@pytest.fixture
def start(cluster, namespace):
    """`start(ARGUMENTS…)` runs the operator until it ends, with an account without rights."""
    account = cluster.service_account_kubeconfig(namespace, "default")
    traffic = Traffic(cluster.audit, f"system:serviceaccount:{namespace}:default", namespace)
    mark = traffic.mark()

    def run(*arguments: str, **environment: str) -> Started:
        with ports.Reservation(2) as reservation:
            metrics, health = reservation.ports
            flags = [
                f"--metrics-bind-address=127.0.0.1:{metrics}",
                f"--health-probe-bind-address=127.0.0.1:{health}",
            ]
            given = {argument.partition("=")[0] for argument in arguments}
            flags = [flag for flag in flags if flag.partition("=")[0] not in given]
            done = subprocess.run(
                [default_binary(), "run", *flags, *arguments],
                cwd=REPOSITORY,
                env={**os.environ, "KUBECONFIG": str(account), **environment},
                capture_output=True,
                text=True,
                timeout=EXIT_SECONDS_MAX,
                check=False,
            )
        return Started(done.returncode, done.stdout, done.stderr)

    yield run
    # Every error was found before the first request to the API server.
    traffic.check(mark, nothing)
    traffic.report()


def entry(**changes) -> str:
    """Returns a correct entry of a watches file with changes applied; None omits a key."""
    fields = {
        "group": "e2e.chartwright.io",
        "version": "v1",
        "kind": "Widget",
        "chart": "test/e2e/charts/widget",
        **changes,
    }
    lines = [f"{key}: {text}" for key, text in fields.items() if text is not None]
    return "- " + "\n  ".join(lines) + "\n"


# Fault -> the file, the place of the fault, other words of the message.
BROKEN = {
    "unknown key": (entry(chrt="x"), "5:3", ["chrt", "chart"]),
    # Like helm-operator, we match keys in any case: this is the key `kind` a second time.
    "key twice": (entry(Kind="x"), "5:3", ["kind"]),
    "duplicate kind": (entry() + entry(), "5:", ["duplicate GVK", "Widget"]),
    "missing chart": (entry(chart="test/e2e/charts/none"), "4:", ["test/e2e/charts/none"]),
    "chart without Chart.yaml": (entry(chart="test/e2e/charts"), "4:", ["Chart.yaml"]),
    "no chart": (entry(chart=None), "1:", ["chart"]),
    "no version": (entry(version=None), "1:", ["version must not be empty"]),
    "no kind": (entry(kind=None), "1:", ["kind must not be empty"]),
    "bad period": (entry(reconcilePeriod="soon"), "5:", ["reconcilePeriod", "soon"]),
    "negative period": (entry(reconcilePeriod="-5s"), "5:", ["reconcilePeriod", "negative"]),
    "null override": (entry(overrideValues="{a: null}"), "5:", ["null"]),
    "bad group": (entry(group="e2e.chartwright.io/v1"), "1:", ["e2e.chartwright.io/v1"]),
    "bad selector": (
        entry(selector="{matchExpressions: [{key: a, operator: Perhaps}]}"),
        "5:",
        ["Perhaps"],
    ),
    "bad boolean": (entry(watchDependentResources="sometimes"), "5:", ["watchDependentResources"]),
    "no list": ("group: e2e.chartwright.io\n", "1:1", ["list"]),
    "not YAML": ("- group: [\n", "", []),
    "empty": ("", "", []),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_watches_end_the_start(start, tmp_path, case):
    text, position, parts = BROKEN[case]
    file = tmp_path / "watches.yaml"
    file.write_text(text, encoding="utf-8")
    ended = start(f"--watches-file={file}")
    assert ended.code == 1, ended.stderr
    if text:
        found = re.search(rf"{re.escape(str(file))}:(\d+:\d+)", ended.stderr)
        assert found and found[1].startswith(position), ended.stderr
    else:
        assert str(file) in ended.stderr
    for part in parts:
        assert part in ended.stderr
    assert not ended.stdout


def test_a_missing_watches_file_is_named(start, tmp_path):
    ended = start(f"--watches-file={tmp_path}/none.yaml")
    assert ended.code == 1
    assert f"{tmp_path}/none.yaml" in ended.stderr


GOOD = f"--watches-file={WIDGET_FILES / 'watches.yaml'}"


def test_a_missing_kubeconfig_is_named(start, tmp_path):
    missing = str(tmp_path / "none")
    for ended in (start(GOOD, KUBECONFIG=missing), start(GOOD, f"--kubeconfig={missing}")):
        assert ended.code == 1
        assert missing in ended.stderr


def test_without_a_kubeconfig_the_error_names_the_places_searched(start, tmp_path):
    ended = start(GOOD, KUBECONFIG="", HOME=str(tmp_path))
    assert ended.code == 1
    assert "KUBECONFIG" in ended.stderr or str(tmp_path) in ended.stderr


def test_a_libcurl_that_cannot_be_loaded_is_named(start, tmp_path):
    # The binary loads the library at run time; the loader searches here first.
    (tmp_path / "libcurl.so.4").write_text("no library", encoding="utf-8")
    ended = start(GOOD, LD_LIBRARY_PATH=str(tmp_path))
    assert ended.code == 1
    assert "libcurl.so.4 cannot be used" in ended.stderr
    assert str(tmp_path) in ended.stderr


KUBECONFIGS = {
    "not YAML": "a: [",
    "no context": "apiVersion: v1\nkind: Config\ncurrent-context: none\n",
    "empty": "",
}


@pytest.mark.parametrize("case", KUBECONFIGS)
def test_a_broken_kubeconfig_is_named(start, tmp_path, case):
    file = tmp_path / "kubeconfig"
    file.write_text(KUBECONFIGS[case], encoding="utf-8")
    ended = start(GOOD, KUBECONFIG=str(file))
    assert ended.code == 1
    assert str(file) in ended.stderr


FLAGS = {
    "unknown": (["--watches-fil=x"], "--watches-fil"),
    "bad period": (["--reconcile-period=soon"], "reconcile-period"),
    "bad memory": (["--render-memory=64MB"], '--render-memory: "64MB" is not an amount of memory'),
    "bad number": (["--max-concurrent-reconciles=many"], "max-concurrent-reconciles"),
    "no worker": (["--max-concurrent-reconciles=0"], "must be at least 1"),
    "as many workers as helm-operator takes, but no id": (
        ["--max-concurrent-reconciles=100000", "--leader-elect"],
        "LeaderElectionID",
    ),
    "bad address": (["--metrics-bind-address=nowhere"], "nowhere"),
    "election without id": (["--leader-elect"], "LeaderElectionID"),
    "open to whom": (["--metrics-require-rbac"], "--metrics-secure flag is required"),
    "old and new": (["--metrics-bind-address=:0", "--metrics-addr=:0"], "metrics-addr"),
}


@pytest.mark.parametrize("case", FLAGS)
def test_a_wrong_flag_ends_the_start(start, case):
    arguments, part = FLAGS[case]
    ended = start(GOOD, *arguments)
    assert ended.code == 1, ended.stderr
    assert part in ended.stderr


def test_a_taken_port_is_named(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = start(GOOD, f"--health-probe-bind-address={address}")
    assert ended.code == 1
    assert address in ended.stderr


def test_the_allocator_is_linked_in_with_its_settings():
    done = subprocess.run(
        [default_binary(), "version"],
        env={**os.environ, "MALLOC_CONF": "confirm_conf:true"},
        capture_output=True,
        text=True,
        timeout=EXIT_SECONDS_MAX,
        check=True,
    )
    assert "Set conf value: narenas:1" in done.stderr
