# SPDX-License-Identifier: Apache-2.0
"""`chartwright logs` prints the log of the pod that holds up a custom resource.

The node of the test cluster has no kubelet. A server plays the part of it that gives logs.
"""

import http.server
import ssl
import subprocess
import threading
import urllib.parse

import pytest

from cluster.bootstrap import NODE
from e2e import console, raw_chart
from harness.kube import wait_until

POD_STATE = "chartwright.io/test-pod-state"


class Kubelet(http.server.BaseHTTPRequestHandler):
    """Gives as many lines as are asked for, which say what was asked."""

    def do_GET(self) -> None:
        """Answers /containerLogs/NAMESPACE/POD/CONTAINER."""
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        _, verb, _, pod, container = url.path.split("/")
        run = "previous" if query.get("previous") == "true" else "present"
        lines = [
            f"{verb} {pod} {container} {run} line {number} \x1b[31mred"
            for number in range(int(query["tailLines"]))
        ]
        data = "".join(line + "\n" for line in lines).encode()[: int(query["limitBytes"])]
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_arguments) -> None:
        """Says nothing."""


@pytest.fixture(scope="module", name="kubelet")
def kubelet_of_the_node(cluster, tmp_path_factory):
    """The server, as the kubelet of the node."""
    if cluster.external:
        pytest.skip("plays the kubelet of a cluster of our own")
    folder = tmp_path_factory.mktemp("kubelet")
    certificate, key = folder / "tls.crt", folder / "tls.key"
    subprocess.run(
        f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
        f"-subj /CN=kubelet -addext subjectAltName=IP:127.0.0.1 "
        f"-keyout {key} -out {certificate}".split(),
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Kubelet)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    before = cluster.kube.get("v1/Node", NODE)["status"]
    status = {
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": server.server_port}},
    }
    cluster.kube.patch("v1/Node", NODE, None, {"status": status}, subresource="status")
    yield server
    restored = {
        "addresses": before.get("addresses"),
        "daemonEndpoints": before.get("daemonEndpoints"),
    }
    cluster.kube.patch("v1/Node", NODE, None, {"status": restored}, subresource="status")
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module", name="raw")
def raw_operator(cluster, shared_operators, tmp_path_factory):
    """The operator of a chart that renders the manifest of its custom resource."""
    with raw_chart.started(cluster, tmp_path_factory.mktemp("logs")) as operator:
        shared_operators["raw"] = operator
        yield operator
    del shared_operators["raw"]


@pytest.fixture(name="logs")
def command(cluster, namespace, kubelet):
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
