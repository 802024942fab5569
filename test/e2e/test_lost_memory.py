# SPDX-License-Identifier: Apache-2.0
"""Somebody deletes what the operator remembers, or replaces a child, and nothing is lost."""

import pytest

from e2e import releases, session
from e2e.custom_resource import CONFIGMAP, SECRET, WIDGET
from harness.fault_proxy import Fault, FaultProxy
from harness.operator import Operator, OperatorOptions

ACCOUNT = "chartwright-e2e-lost"
RECORD = "sh.helm.release.v1.w.v1"
ELSEWHERE = "default"
# One in the namespace of the custom resource, and one where garbage collection does not get to.
CHILDREN = """{{- range list .Release.Namespace "default" }}
{{- if not $.Values.less }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $.Release.Namespace }}-extra, namespace: {{ . }}}
data: {text: {{ $.Values.text | quote }}}
---
{{- end }}
{{- end }}
"""


@pytest.fixture(name="kubeconfig", scope="module")
def lost_account(cluster):
    """The account of the operators, with all rights."""
    with session.admin_account(cluster, ACCOUNT) as kubeconfig:
        yield kubeconfig


class Deletes(Fault):
    """Deletes the pending record at the first PATCH of something."""

    def __init__(self, kube, namespace: str, path: str):
        self._kube = kube
        self._namespace = namespace
        self._path = path
        self.login = None

    def before(self, request) -> None:
        if self.login is None and request.method == "PATCH" and request.path.endswith(self._path):
            self.login = self._kube.get(SECRET, "w-login", self._namespace)
            self._kube.delete(SECRET, RECORD, self._namespace)


@pytest.mark.parametrize("path", ["/configmaps/w-login", f"/secrets/{RECORD}"])
def test_a_record_that_is_deleted_before_its_end_is_written_again(
    own_cluster, kubeconfig, namespace, declare, tmp_path, path
):
    files = session.widget_project(tmp_path, {"templates/login.yaml": releases.LOGIN})
    with FaultProxy(own_cluster.kube.connection.access) as proxy:
        proxy.fault = Deletes(own_cluster.kube, namespace, path)
        through = proxy.kubeconfig(kubeconfig, own_cluster.kubectl.binary, tmp_path / "kubeconfig")
        with session.widget_operator(own_cluster, kubeconfig=through, **files):
            widget = declare(WIDGET, "w").create({"text": "one"})
            widget.wait_ready()
            assert proxy.fault.login
            assert releases.records(widget) == {1: "deployed"}
            assert releases.passwords(widget, 1) == {
                releases.decoded(proxy.fault.login["data"]["password"])
            }


class Replaces(Fault):
    """Replaces a child by its copy, as a restored backup does, before a PATCH of it arrives."""

    def __init__(self, kube, namespace: str):
        self._kube = kube
        self._namespace = namespace
        self.awaits = False

    def before(self, request) -> None:
        if self.awaits and request.method == "PATCH" and request.path.endswith("/configmaps/w-0"):
            self.awaits = False
            child = self._kube.get(CONFIGMAP, "w-0", self._namespace)
            self._kube.delete(CONFIGMAP, "w-0", self._namespace)
            for assigned in ("uid", "resourceVersion", "creationTimestamp", "managedFields"):
                del child["metadata"][assigned]
            self._kube.create(child)


def test_a_child_that_is_replaced_while_it_is_written_fails_no_release(
    own_cluster, kubeconfig, namespace, declare, tmp_path
):
    with FaultProxy(own_cluster.kube.connection.access) as proxy:
        proxy.fault = Replaces(own_cluster.kube, namespace)
        through = proxy.kubeconfig(kubeconfig, own_cluster.kubectl.binary, tmp_path / "kubeconfig")
        files = session.widget_project(tmp_path, {})
        with session.widget_operator(own_cluster, kubeconfig=through, **files):
            widget = declare(WIDGET, "w").create({"text": "one"})
            widget.wait_ready()
            widget.annotate(on_upgrade_failure="rollback")
            proxy.fault.awaits = True
            widget.patch({"text": "two"})
            widget.wait_revision(2)
            widget.wait_ready()
            assert not proxy.fault.awaits
            assert releases.records(widget) == {1: "superseded", 2: "deployed"}
            assert widget.child(CONFIGMAP, "w-0")["data"]["text"] == "two"


def forget(widget, name: str) -> None:
    """Removes the lines about objects of that name from the status."""
    kept = [one for one in widget.status()["resources"] if one["name"] != name]
    assert len(kept) < len(widget.status()["resources"])
    widget.kube.patch(
        WIDGET, widget.name, widget.namespace, {"status": {"resources": kept}}, subresource="status"
    )


@pytest.mark.parametrize("step", ["upgrade", "rollback", "uninstall"])
def test_children_that_the_status_has_lost_are_pruned(
    own_cluster, kubeconfig, namespace, declare, tmp_path, step
):
    files = session.widget_project(tmp_path, {"templates/extra.yaml": CHILDREN})
    operator = Operator(
        OperatorOptions(
            kubeconfig,
            namespaces=(namespace, ELSEWHERE),
            arguments=("--reconcile-period=0",),
            **files,
        )
    )
    name = f"{namespace}-extra"
    widget = declare(WIDGET, "w")
    with operator:
        widget.create({"text": "one", "less": step == "rollback"}).wait_ready()
        if step == "rollback":
            widget.patch({"less": False})
            widget.wait_revision(2)
            widget.wait_ready()
    forget(widget, name)
    with operator:
        if step == "upgrade":
            widget.patch({"less": True})
            widget.wait_revision(2)
            widget.wait_ready()
        elif step == "rollback":
            widget.annotate(rollback_to="1")
            widget.wait_revision(3)
        else:
            widget.delete()
            widget.wait_gone()
        widget.kube.wait_gone(CONFIGMAP, name, namespace)
        widget.kube.wait_gone(CONFIGMAP, name, ELSEWHERE)
        if step != "uninstall":
            assert widget.child(CONFIGMAP, "w-0")
            widget.delete()
            widget.wait_gone()
