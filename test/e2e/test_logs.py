# SPDX-License-Identifier: Apache-2.0
"""`chartwright logs` prints the log of the pod that holds up a custom resource."""

import pytest

from e2e import console, kubelet, raw_chart
from harness.kube import wait_until

POD_STATE = "chartwright.io/test-pod-state"


@pytest.fixture(scope="module", name="kubelet_logs")
def kubelet_of_the_node(cluster, tmp_path_factory):
    """The server, as the kubelet of the node."""
    with kubelet.playing(cluster, tmp_path_factory.mktemp("kubelet")):
        yield


@pytest.fixture(scope="module", name="raw")
def raw_operator(cluster, shared_operators, tmp_path_factory):
    """The operator of a chart that renders the manifest of its custom resource."""
    with raw_chart.started(cluster, tmp_path_factory.mktemp("logs")) as operator:
        shared_operators["raw"] = operator
        yield operator
    del shared_operators["raw"]


@pytest.fixture(name="logs")
def command(cluster, namespace, kubelet_logs):
    """`logs(ARGUMENTS...)` runs the command in the test's namespace."""
    return lambda *arguments, **options: console.run(
        cluster, namespace, "logs", *arguments, **options
    )


def deployment(name: str, **annotations: str) -> dict:
    """Returns a Deployment whose pods have these annotations."""
    made = raw_chart.deployment()
    made["metadata"]["name"] = name
    made["spec"]["selector"]["matchLabels"] = {"app": name}
    made["spec"]["template"]["metadata"] = {"labels": {"app": name}, "annotations": annotations}
    return made


@pytest.fixture(name="widget")
def with_a_pod_that_crashes(raw, cluster, namespace, logs):
    """A custom resource with two pods, the second of which crashes."""
    widget = raw_chart.create(
        cluster,
        namespace,
        "one",
        deployment("fine"),
        deployment("ill", **{POD_STATE: "crashloop"}),
    )
    wait_until(
        lambda: "Pod " in (done := logs("widget/one")).stderr and "/ill-" in done.stderr,
        what="the log of the pod that crashes",
    )
    return widget


def test_the_log_is_that_of_the_pod_that_fails(widget, namespace, logs):
    done = logs("widget/one", "--tail", "2")
    assert done.returncode == 0
    assert done.stderr.startswith(f"Pod {namespace}/ill-")
    assert done.stderr.endswith(", container a:\n")
    pod = done.stderr.partition("/")[2].partition(",")[0]
    # Nothing in a log controls the terminal.
    assert done.stdout == "".join(
        f"containerLogs {pod} a present line {number} \\u001b[31mred\n" for number in (0, 1)
    )
    assert len(logs("widget/one").stdout.splitlines()) == 100
    done = logs("widget", "one", "-p", "-c", "a", "--tail=1")
    assert "container a, the run before the last restart:\n" in done.stderr
    assert " a previous line 0 " in done.stdout


def test_where_nothing_fails_the_first_pod_is_read(raw, cluster, namespace, logs):
    widget = raw_chart.create(cluster, namespace, "one", deployment("fine"), deployment("other"))
    widget.wait_ready()
    done = logs("widget/one", "--tail", "1")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    [first, others] = done.stderr.splitlines()
    assert first.startswith(f"Pod {namespace}/")
    assert others.startswith("Other pods: ")


def test_a_container_that_there_is_not_is_told_with_those_that_there_are(widget, logs):
    done = logs("widget/one", "-c", "nothing")
    assert (done.returncode, done.stdout) == (1, "")
    assert 'has no container "nothing"; it has a\n' in done.stderr
    done = logs("widget/one", "--tail", "0")
    assert done.stderr == "Error: --tail: the number has to be from 1 to 10000\n"
    done = logs("widget/one", "widget/two")
    assert done.stderr == "Error: name one custom resource: KIND/NAME\n"


def test_without_pods_or_rights_that_is_told(raw, widget, cluster, namespace, logs):
    kubeconfig = console.viewer(
        cluster,
        namespace,
        ("e2e.chartwright.io", "widgets", "get"),
        ("apps", "deployments", "get"),
        ("", "pods", "get list"),
    )
    done = logs("widget/one", kubeconfig=kubeconfig)
    assert (done.returncode, done.stdout) == (1, "")
    assert 'cannot get resource "pods/log"' in done.stderr
    raw_chart.create(cluster, namespace, "none").wait_ready()
    done = logs("widget/none")
    assert done.returncode == 1
    assert done.stderr == "Error: widget.e2e.chartwright.io/none has no pods\n"
