# SPDX-License-Identifier: Apache-2.0
"""Tests of the harness itself: counting requests, waiting and starting processes."""

import concurrent.futures
import json
import subprocess
import sys
import textwrap

import pytest

from cluster.components import Options
from harness import kubeconfig, ports, process
from harness.cluster import Cluster
from harness.connection import ApiError
from harness.kube import Kube, WaitTimeout, wait_until
from harness.operator import Operator, OperatorFailed, OperatorOptions
from harness.views import ViewOptions, ViewServer

# Behaves like an operator towards the harness: two ports, JSON lines, SIGTERM.
FAKE_OPERATOR = textwrap.dedent(
    """\
    #!/usr/bin/env python3
    import http.server, json, os, signal, sys, threading

    def log(**line):
        print(json.dumps(line), file=sys.stderr, flush=True)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'# HELP x y\\nreconciles_total{kind="A b"} 3\\nup 1\\n')
        def log_message(self, *_):
            pass

    flags = dict(argument.lstrip("-").partition("=")[::2] for argument in sys.argv[2:])
    log(msg="starting", namespaces=os.environ["WATCH_NAMESPACE"], watches=flags["watches-file"])
    if "fail" in flags:
        sys.exit(3)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    for flag in ("metrics-bind-address", "health-probe-bind-address"):
        host, port = flags[flag].split(":")
        server = http.server.HTTPServer((host, int(port)), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.pause()
    """
)


@pytest.fixture(scope="module")
def cluster():
    """A cluster without pods."""
    with Cluster.start(options=Options(pods=False)) as running:
        yield running


@pytest.fixture
def options(tmp_path):
    """Options that start the fake operator."""
    binary = tmp_path / "operator"
    binary.write_text(FAKE_OPERATOR, encoding="utf-8")
    binary.chmod(0o755)
    return {"kubeconfig": "/none", "binary": binary, "log_path": tmp_path / "log", "cwd": tmp_path}


def config_map(name, **metadata):
    """Returns an object that no controller reacts to."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default", **metadata},
    }


def test_audit_counts_exactly_what_was_sent_between_marks(cluster):
    client = Kube(cluster.kube.connection.access, user_agent="counted/1.0")
    client.get("v1/Namespace", "default")
    start = cluster.audit.mark()
    for number in range(50):
        client.apply(config_map(f"counted-{number}"))
    client.find("v1/ConfigMap", "absent", "default")
    middle = cluster.audit.mark()
    client.delete("v1/ConfigMap", "counted-0", "default")

    writes = cluster.audit.requests(start, middle, user_agent="counted/", verb="patch")
    assert len(writes) == 50
    assert all(request.is_write() and request.code == 201 for request in writes)
    assert {request.user for request in writes} == {"kubernetes-admin"}
    assert {request.resource for request in writes} == {"configmaps"}
    absent = cluster.audit.requests(start, middle, user_agent="counted/", code=404)
    assert [(request.verb, request.name) for request in absent] == [("get", "absent")]
    assert cluster.audit.count(middle, user_agent="counted/") == 1
    assert cluster.audit.count(middle, user_agent="counted/", verb={"get", "list"}) == 0
    assert cluster.audit.count(start, middle, namespace="kube-system", user_agent="counted/") == 0


def test_audit_tells_a_missing_right_from_other_refusals(cluster):
    namespace = cluster.create_namespace()
    path = cluster.service_account_kubeconfig(namespace, "default")
    stranger = Kube.from_kubeconfig(path, cluster.kubectl.binary)
    start = cluster.audit.mark()
    with pytest.raises(ApiError):
        stranger.get("v1/ConfigMap", "any", namespace)
    held = config_map("held", finalizers=["example.com/held"])
    held["metadata"]["namespace"] = namespace
    cluster.kube.create(held)
    cluster.kube.delete("v1/Namespace", namespace)
    held["metadata"]["name"] = "late"
    with pytest.raises(ApiError):
        cluster.kube.create(held)
    cluster.kube.patch("v1/ConfigMap", "held", namespace, {"metadata": {"finalizers": None}})
    refused = cluster.audit.requests(start, code=403)
    assert [(request.verb, request.forbidden) for request in refused] == [
        ("get", True),
        ("create", False),
    ]


def test_a_mark_does_not_wait_for_open_watches(cluster):
    watcher = Kube(cluster.kube.connection.access, user_agent="watching/1.0")
    start = cluster.audit.mark()
    events = watcher.watch("v1/ConfigMap", "default", timeout_seconds=30)
    cluster.kube.apply(config_map("watched"))
    assert next(events)[1]["kind"] == "ConfigMap"
    assert cluster.audit.count(start, user_agent="watching/", verb="watch") == 1
    events.close()


def test_waits_see_creation_change_and_end(cluster):
    kube = cluster.kube
    with pytest.raises(WaitTimeout, match="an object did not come"):
        kube.wait(
            "configmaps",
            "awaited",
            "default",
            lambda obj: obj is not None,
            timeout_seconds=0.2,
            what="an object",
        )
    kube.create(config_map("awaited"))
    kube.annotate("ConfigMap", "awaited", "default", {"a": "b"})
    seen = kube.wait("v1/ConfigMap", "awaited", "default", lambda o: "annotations" in o["metadata"])
    assert seen["metadata"]["annotations"] == {"a": "b"}
    kube.delete("v1/ConfigMap", "awaited", "default")
    kube.wait_gone("v1/ConfigMap", "awaited", "default")


def test_a_wait_goes_on_when_the_server_fills_its_cache(cluster, monkeypatch):
    kube = cluster.kube
    refusals = [ApiError(429, {"message": "storage is (re)initializing"}, "GET")]
    request = kube.request

    def refuse_once(*arguments, **options):
        if refusals:
            raise refusals.pop()
        return request(*arguments, **options)

    monkeypatch.setattr(kube, "request", refuse_once)
    assert kube.wait("v1/Namespace", "default", None, bool)["metadata"]["name"] == "default"
    assert not refusals


def test_api_errors_carry_code_reason_and_causes(cluster):
    with pytest.raises(ApiError) as refused:
        cluster.kube.create(config_map("Bad_Name"))
    assert (refused.value.code, refused.value.reason) == (422, "Invalid")
    assert refused.value.causes[0]["field"] == "metadata.name"
    with pytest.raises(LookupError, match="no 'Nonsense'"):
        cluster.kube.list("Nonsense")


def test_kubectl_and_the_client_agree(cluster, tmp_path):
    cluster.kube.apply(config_map("agreed", labels={"x": "y"}))
    arguments = ["get", "cm", "agreed", "-n", "default", "-o", "json", "--show-managed-fields"]
    shown = json.loads(cluster.kubectl(*arguments))
    assert shown["metadata"] == cluster.kube.get("ConfigMap", "agreed", "default")["metadata"]
    manifest = tmp_path / "two.yaml"
    documents = [json.dumps(config_map("one")), json.dumps(config_map("two"))]
    manifest.write_text("\n---\n".join(documents), encoding="utf-8")
    assert [o["metadata"]["name"] for o in cluster.kubectl.objects(manifest)] == ["one", "two"]
    assert cluster.kubectl.run("get", "nonsense").returncode == 1


def test_a_given_kubeconfig_is_used_and_never_torn_down(cluster, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
    monkeypatch.delenv("CHARTWRIGHT_CLUSTER", raising=False)
    with Cluster.acquire() as given:
        assert given.external and given.audit is None
        assert given.kube.get("v1/Namespace", "default")
        with pytest.raises(RuntimeError):
            given.stop_component("etcd")
    monkeypatch.setenv("CHARTWRIGHT_CLUSTER", cluster.name)
    with Cluster.acquire() as ours:
        assert ours.audit.count(ours.audit.mark()) == 0
    assert cluster.kube.get("v1/Namespace", "default")


def test_an_operator_can_be_started_observed_and_stopped(options):
    with Operator(OperatorOptions(namespaces=("a", "b"), **options)) as operator:
        assert operator.http_status("/healthz") == 200
        assert operator.metrics() == {'reconciles_total{kind="A b"}': 3.0, "up": 1.0}
        assert operator.logs()[0]["namespaces"] == "a,b"
        assert (
            operator.wait_log(lambda line: line["msg"] == "starting")["watches"] == "watches.yaml"
        )
        assert operator.resident_bytes() > 1_000_000
        assert operator.cpu_seconds() >= 0
        assert operator.restart().code == 0
        assert operator.running()
        with pytest.raises(RuntimeError, match="runs already"):
            operator.start()
        assert operator.stop().code == 0
        assert not operator.running()


def test_an_operator_that_ends_at_start_shows_its_log(options):
    failing = OperatorOptions(arguments=("--fail",), **options)
    with pytest.raises(OperatorFailed, match=r"(?s)ended with 3.*starting"):
        Operator(failing).start()
    operator = Operator(failing)
    operator.launch()
    assert operator.wait_exit().code == 3
    operator.close()


def test_an_operator_never_outlives_its_starter(options, tmp_path):
    script = f"""\
import os, sys
sys.path[:0] = {sys.path!r}
from harness.operator import Operator, OperatorOptions
operator = Operator(OperatorOptions(kubeconfig="/none", binary={str(options["binary"])!r},
                                    log_path={str(options["log_path"])!r}, cwd={str(tmp_path)!r}))
operator.start()
print(operator.pid, flush=True)
os.kill(os.getpid(), 9)
"""
    starter = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert starter.returncode == -9, starter.stderr
    pid = int(starter.stdout)
    wait_until(lambda: process.start_ticks(pid) is None, what="the end of the operator")


def test_reserved_ports_are_not_handed_out_twice():
    with ports.Reservation(40) as one, ports.Reservation(40) as other:
        assert len(set(one.ports) | set(other.ports)) == 80
        assert all(ports.is_free(port) for port in one.ports)


def test_an_identity_does_not_match_a_later_process_of_the_same_pid():
    child = subprocess.Popen(["sleep", "60"])
    identity = process.Identity.of(child.pid)
    assert identity.alive()
    assert not process.Identity(child.pid, identity.start_ticks - 1).alive()
    assert not process.send_signal(process.Identity(child.pid, identity.start_ticks - 1), 9)
    assert process.send_signal(identity, 9)
    assert process.wait_for_end(identity)
    child.wait()
    assert not identity.alive()


class LaggingAggregator:
    """Answers as an aggregator whose proxy and discovery follow the condition two requests on."""

    def __init__(self):
        self.asked = {"proxy": 0, "discovery": 0}

    def find(self, _kind: str, _name: str) -> dict:
        """Returns an APIService that is available."""
        return {"status": {"conditions": [{"type": "Available", "status": "True"}]}}

    def request(self, _method: str, path: str, **_options) -> dict:
        """Answers for the group or for all groups."""
        if path != "/apis":
            if self._is_behind("proxy"):
                raise ApiError(503, {"message": "service unavailable"}, path)
            return {"kind": "APIResourceList"}
        freshness = "Stale" if self._is_behind("discovery") else "Current"
        version = {"version": "v1", "freshness": freshness}
        return {"items": [{"metadata": {"name": "a.example"}, "versions": [version]}]}

    def _is_behind(self, part: str) -> bool:
        self.asked[part] += 1
        return self.asked[part] < 3


def test_an_api_service_is_waited_for_until_the_aggregator_acts_on_its_condition():
    aggregator = LaggingAggregator()
    with ViewServer(aggregator, ViewOptions("unused", "unused", "default/unused")) as server:
        assert server.wait_available("v1.a.example") == {"type": "Available", "status": "True"}
    assert aggregator.asked == {"proxy": 3, "discovery": 3}


def test_threads_may_write_the_same_kubeconfig(tmp_path):
    path = tmp_path / "kubeconfig"
    access = kubeconfig.Access("https://127.0.0.1:1", ca=b"ca", token="secret")

    def write_often(_):
        for _ in range(100):
            kubeconfig.write(path, access, kubeconfig.Names("one", "two"))

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(write_often, range(4)))
    assert "token: secret" in path.read_text("utf-8")
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]
