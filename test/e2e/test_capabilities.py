# SPDX-License-Identifier: Apache-2.0
"""A chart that asks .Capabilities.APIVersions gets another answer when a CRD comes or goes."""

import contextlib
import json

import pytest

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, WIDGET, condition
from harness.fault_proxy import Fault, FaultProxy
from harness.kube import wait_until

API_SERVICE = "apiregistration.k8s.io/v1/APIService"
CRD = "apiextensions.k8s.io/v1/CustomResourceDefinition"
WITHOUT_RIGHTS = "CRDs and APIServices cannot be watched"
GATED = """{{{{- if .Capabilities.APIVersions.Has "{group}/v1/Foo" }}}}
apiVersion: {group}/v1
kind: Foo
metadata:
  name: {{{{ .Release.Name }}}}
text: {{{{ .Values.text }}}}
{{{{- end }}}}
"""


def definition(group: str) -> dict:
    """Returns a CRD of the kind Foo."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"foos.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "Foo", "plural": "foos", "singular": "foo", "listKind": "FooList"},
            "versions": [version],
        },
    }


@pytest.fixture
def group(cluster, namespace):
    """An API group of the test, whose CRDs are removed in the end."""
    name = f"{namespace}.chartwright.io"
    yield name
    for each in (name, f"other.{name}"):
        with contextlib.suppress(Exception):
            cluster.kube.delete(CRD, f"foos.{each}")


@pytest.fixture
def project(group, tmp_path):
    """The options of an operator whose chart renders a Foo where the cluster has that kind."""
    return session.widget_project(tmp_path, {"templates/foo.yaml": GATED.format(group=group)})


@pytest.fixture
def account(cluster, namespace):
    """An account with all rights."""
    with session.admin_account(cluster, f"capabilities-{namespace}") as kubeconfig:
        yield kubeconfig


def kinds_of(widget) -> set:
    """Returns the kinds in its inventory."""
    return {child["kind"] for child in widget.status().get("resources", [])}


def has_foo(cluster, group: str, namespace: str) -> bool:
    """Reports whether the Foo of the custom resource `one` exists."""
    path = f"/apis/{group}/v1/namespaces/{namespace}/foos/one"
    done = cluster.kubectl.run("get", "--raw", path)
    return done.returncode == 0 and json.loads(done.stdout)["kind"] == "Foo"


def wait_kinds(widget, *kinds: str) -> None:
    """Waits until the inventory has just these kinds."""
    wait_until(lambda: kinds_of(widget) == set(kinds), timeout_seconds=60, what=f"{kinds}")


def test_a_child_comes_and_goes_with_the_kind_that_gates_it(
    cluster, namespace, group, project, account, declare
):
    with session.widget_operator(cluster, kubeconfig=account, **project) as operator:
        one = declare(WIDGET, "one").create()
        one.wait_ready()
        assert kinds_of(one) == {"ConfigMap"}
        meters.wait_at_rest(operator)
        before = one.get()["metadata"]["resourceVersion"]

        cluster.kube.create(definition(f"other.{group}"))
        operator.wait_log(
            lambda line: "capabilities of the cluster changed" in line["msg"], what="it"
        )
        cluster.kube.create(definition(group))
        wait_until(
            lambda: has_foo(cluster, group, namespace), timeout_seconds=30, what="the gated child"
        )
        wait_kinds(one, "ConfigMap", "Foo")
        # The kind that the chart does not ask about made no revision.
        one.wait_revision(2)
        one.wait_ready()
        assert one.get()["metadata"]["resourceVersion"] != before

        cluster.kube.delete(CRD, f"foos.{group}")
        wait_kinds(one, "ConfigMap")
        one.wait_revision(3)
        one.wait_ready()
        one.delete()
        one.wait_gone()


def test_a_restart_finds_what_changed_meanwhile_and_writes_nothing_otherwise(
    cluster, namespace, group, project, account, declare
):
    with session.widget_operator(cluster, kubeconfig=account, **project) as operator:
        one = declare(WIDGET, "one").create()
        one.wait_ready()
        meters.wait_at_rest(operator)
        before = one.get()["metadata"]["resourceVersion"]
        operator.restart()
        meters.wait_at_rest(operator)
        assert one.get()["metadata"]["resourceVersion"] == before

        operator.stop()
        cluster.kube.create(definition(group))
        operator.start()
        wait_until(
            lambda: has_foo(cluster, group, namespace), timeout_seconds=30, what="the gated child"
        )
        one.wait_revision(2)
        one.wait_ready()


def test_without_the_rights_the_operator_works_and_says_so_once(
    cluster, namespace, group, project, declare
):
    with session.widget_operator(cluster, **project) as operator:
        operator.wait_log(lambda line: line["msg"].startswith(WITHOUT_RIGHTS), what="the warning")
        one = declare(WIDGET, "one").create()
        one.wait_ready()
        assert kinds_of(one) == {"ConfigMap"}
        meters.wait_at_rest(operator)
        said = [line for line in operator.logs() if "CRDs and APIServices" in line["msg"]]
        assert len(said) == 1


class SilentGroup(Fault):
    """An API server that gets no answer about a group, and has none in its memory."""

    def __init__(self, group: str):
        self.group = group

    def rewrites(self, request) -> bool:
        return request.path == "/apis"

    def rewrite(self, _request, data: bytes) -> bytes:
        answer = json.loads(data)
        for group in answer["items"]:
            if group["metadata"]["name"] == self.group:
                group["versions"] = [{"version": "v1", "freshness": "Stale"}]
        return json.dumps(answer).encode()


class MissingGroup(SilentGroup):
    """An API server that has only just started, and does not name a group yet."""

    def rewrite(self, _request, data: bytes) -> bytes:
        answer = json.loads(data)
        answer["items"] = [
            group for group in answer["items"] if group["metadata"]["name"] != self.group
        ]
        return json.dumps(answer).encode()


@pytest.fixture
def proxy(cluster):
    """A proxy to the API server."""
    with FaultProxy(cluster.kube.connection.access) as running:
        yield running


def foo(cluster, group: str, namespace: str) -> dict:
    """Returns the Foo `one`."""
    path = f"/apis/{group}/v1/namespaces/{namespace}/foos/one"
    return json.loads(cluster.kubectl("get", "--raw", path))


def foo_uid(cluster, group: str, namespace: str) -> str:
    """Returns the uid of the Foo `one`."""
    return foo(cluster, group, namespace)["metadata"]["uid"]


@pytest.mark.parametrize("fault", [SilentGroup, MissingGroup])
def test_a_group_that_does_not_answer_takes_no_child_along(
    cluster, namespace, group, project, account, proxy, declare, tmp_path, fault
):
    through = proxy.kubeconfig(account, cluster.kubectl.binary, tmp_path / "proxy.kubeconfig")
    cluster.kube.create(definition(group))
    with session.widget_operator(cluster, kubeconfig=through, **project) as operator:
        one = declare(WIDGET, "one").create()
        one.wait_ready()
        wait_kinds(one, "ConfigMap", "Foo")
        revision, child = one.status()["revision"], foo_uid(cluster, group, namespace)
        meters.wait_at_rest(operator)

        proxy.fault = fault(group)
        cluster.kube.create(definition(f"other.{group}"))  # Discovery is read anew.
        operator.wait_log(
            lambda line: "capabilities of the cluster changed" in line["msg"], what="it"
        )
        one.touch()
        one.wait_ready()
        meters.wait_at_rest(operator)
        assert one.status()["revision"] == revision
        assert foo_uid(cluster, group, namespace) == child
        # Discovery does not name the kind, but its requests are answered.
        one.patch({"text": "changed"})
        one.wait_revision(revision + 1)
        one.wait_ready()
        revision += 1
        assert foo(cluster, group, namespace)["text"] == "changed"
        cluster.kube.patch(f"{group}/v1/Foo", "one", namespace, {"text": "edited"})
        wait_until(lambda: foo(cluster, group, namespace)["text"] == "changed", what="the repair")

        proxy.fault = Fault()
        cluster.kube.delete(CRD, f"foos.other.{group}")
        meters.wait_at_rest(operator)
        assert one.status()["revision"] == revision

        cluster.kube.delete(CRD, f"foos.{group}")
        wait_kinds(one, "ConfigMap")
        one.wait_revision(revision + 1)
        one.wait_ready()


def test_a_restart_while_a_group_does_not_answer_waits_and_prunes_nothing(
    cluster, namespace, group, project, account, proxy, declare, tmp_path
):
    through = proxy.kubeconfig(account, cluster.kubectl.binary, tmp_path / "proxy.kubeconfig")
    cluster.kube.create(definition(group))
    with session.widget_operator(cluster, kubeconfig=through, **project) as operator:
        one = declare(WIDGET, "one").create({"text": "kept"})
        one.wait_ready()
        wait_kinds(one, "ConfigMap", "Foo")
        revision, child = one.status()["revision"], foo_uid(cluster, group, namespace)
        meters.wait_at_rest(operator)
        operator.stop()
        proxy.fault = SilentGroup(group)
        operator.start()

        waits = f"the server does not say which kinds {group}/v1 has"
        one.wait(lambda obj: waits in condition(obj, "Irreconcilable").get("message", ""))
        assert one.status()["revision"] == revision
        assert kinds_of(one) == {"ConfigMap", "Foo"}
        # The revision in force is kept in order meanwhile.
        one.kube.patch(CONFIGMAP, "one-0", namespace, {"data": {"text": "edited"}})
        one.wait_child(CONFIGMAP, "one-0", lambda found: found["data"]["text"] == "kept")

        proxy.fault = Fault()
        one.wait_ready(timeout_seconds=60)
        assert one.status()["revision"] == revision
        assert foo_uid(cluster, group, namespace) == child


def test_an_install_waits_for_a_group_that_its_chart_asks_for_and_for_no_other(
    cluster, namespace, project, account, declare, group
):
    service = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": f"v1.{group}"},
        "spec": {
            "group": group,
            "version": "v1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"name": "nobody", "namespace": namespace},
        },
    }

    def is_listed() -> bool:
        listed = json.loads(cluster.kubectl("get", "--raw", "/apis"))
        return group in [one["name"] for one in listed["groups"]]

    cluster.kube.create(service)
    try:
        wait_until(is_listed, what="the group")
        with session.widget_operator(cluster, kubeconfig=account, **project):
            one = declare(WIDGET, "one").create()
            waits = f"the server does not say which kinds {group}/v1 has"
            one.wait(lambda obj: waits in condition(obj, "Ready").get("message", ""))
            assert "revision" not in one.status()
            cluster.kube.delete(API_SERVICE, f"v1.{group}")
            one.wait_ready(timeout_seconds=60)
            assert kinds_of(one) == {"ConfigMap"}
            assert one.status()["revision"] == 1
    finally:
        with contextlib.suppress(Exception):
            cluster.kube.delete(API_SERVICE, f"v1.{group}")
