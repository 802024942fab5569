# SPDX-License-Identifier: Apache-2.0
"""A CRD that does not keep our status, or drops fields of it: the operator says so, and loses no
object.
"""

import json

import pytest

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, CustomResource, condition
from e2e.releases import deployed
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions

ACCOUNT = "chartwright-e2e-pruned"
CRD = "apiextensions.k8s.io/v1/CustomResourceDefinition"
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
# As in projects of helm-operator that were written by hand.
ONLY_CONDITIONS = {"type": "object", "properties": {"conditions": {"type": "array", "items": OPEN}}}
CONDITIONS_OF_HELM_OPERATOR = {
    "type": "object",
    "properties": {
        "conditions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    key: {"type": "string"}
                    for key in ("type", "status", "reason", "message", "lastTransitionTime")
                },
            },
        }
    },
}
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: narrow\nversion: 1.0.0\n",
    "templates/own.yaml": """apiVersion: v1
kind: ConfigMap
metadata: {name: own}
data: {text: {{ .Values.text | default "one" }}}
""",
    "templates/near.yaml": """{{- if not .Values.less }}
apiVersion: v1
kind: ConfigMap
metadata: {name: near}
{{- end }}
""",
}


class Narrow:
    """A kind whose CRD has that schema of the status, with its operator."""

    def __init__(self, folder, cluster, namespace: str, kubeconfig):
        self.cluster = cluster
        self.namespace = namespace
        self.group = f"{namespace}.chartwright.io"
        self._options = OperatorOptions(
            kubeconfig,
            cwd=folder,
            watches_file=folder / "watches.yaml",
            arguments=("--reconcile-period=0",),
        )
        for file, text in CHART.items():
            path = folder / "chart" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        entry = {"group": self.group, "version": "v1", "kind": "Narrow", "chart": "chart"}
        (folder / "watches.yaml").write_text(json.dumps([entry]), encoding="utf-8")

    def define(self, status: dict, subresources: dict | None = None) -> None:
        """Creates the CRD, or changes it. By default, it has the status subresource."""
        names = {
            "kind": "Narrow",
            "listKind": "NarrowList",
            "plural": "narrows",
            "singular": "narrow",
        }
        properties = {"spec": OPEN, "status": status} if status else {"spec": OPEN}
        schema = {"type": "object", "properties": properties}
        version = {
            "name": "v1",
            "served": True,
            "storage": True,
            "subresources": {"status": {}} if subresources is None else subresources,
            "schema": {"openAPIV3Schema": schema},
        }
        self.cluster.kube.apply(
            {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "metadata": {"name": f"narrows.{self.group}"},
                "spec": {
                    "group": self.group,
                    "scope": "Namespaced",
                    "names": names,
                    "versions": [version],
                },
            }
        )
        self.cluster.kubectl(
            "wait", "--for=condition=Established", f"crd/narrows.{self.group}", "--timeout=30s"
        )
        self.cluster.learn_kinds()

    def operator(self) -> Operator:
        """Returns the operator, not started."""
        return Operator(self._options)

    def create(self, spec: dict) -> CustomResource:
        """Creates a custom resource."""
        return CustomResource(self.cluster, f"{self.group}/v1/Narrow", self.namespace, "n").create(
            spec
        )


@pytest.fixture(name="narrow")
def new_kind(tmp_path, own_cluster, namespace):
    """The kind, without its CRD."""
    with session.admin_account(own_cluster, ACCOUNT) as kubeconfig:
        made = Narrow(tmp_path, own_cluster, namespace, kubeconfig)
        yield made
        own_cluster.kube.delete(CRD, f"narrows.{made.group}")


def told(cr, **verdict) -> dict:
    """Blocks until Ready is true; returns the custom resource."""
    return cr.wait(
        lambda obj: condition(obj, "Ready").get("status") == "True", what="Ready", **verdict
    )


def status_writes(cluster, since) -> int:
    """Returns how often the operator has tried to write a status since then."""
    user = session.user_of(ACCOUNT)
    return sum(one.resource == "narrows/status" for one in cluster.audit.requests(since, user=user))


@pytest.mark.parametrize("items", ["open conditions", "conditions as of helm-operator"])
def test_a_schema_with_conditions_only(narrow, cluster, namespace, items):
    narrow.define(ONLY_CONDITIONS if items == "open conditions" else CONDITIONS_OF_HELM_OPERATOR)
    with narrow.operator() as operator:
        cr = narrow.create({})
        told(cr)
        meters.wait_at_rest(operator)
        found = cr.get()
        assert set(found["status"]) == {"conditions"}
        pruned = condition(found, "StatusPruned")
        assert pruned["status"] == "True"
        for part in (
            "status.resources",
            "status.revision",
            "x-kubernetes-preserve-unknown-fields: true",
        ):
            assert part in pruned["message"]
        assert operator.log_path.read_text().count("does not keep all of the status") == 1

        mark = cluster.audit.mark()
        cluster.kube.delete(CONFIGMAP, "own", namespace)
        cr.wait_child(CONFIGMAP, "own")
        meters.wait_at_rest(operator)
        assert status_writes(cluster, mark) <= 4
        uid = cr.child(CONFIGMAP, "own")["metadata"]["uid"]

        operator.stop()
        operator.close()
        operator.start()
        told(cr)
        meters.wait_at_rest(operator)
        assert (deployed(cr), cr.child(CONFIGMAP, "own")["metadata"]["uid"]) == ([1], uid)
        assert condition(cr.get(), "StatusPruned") == pruned
        mark = cluster.audit.mark()
        meters.wait_at_rest(operator, quiet_seconds=3)
        assert status_writes(cluster, mark) == 0

        operator.stop()
        operator.close()
        cr.patch({"less": True})
        operator.start()
        cluster.kube.wait_gone(CONFIGMAP, "near", namespace)
        wait_until(lambda: deployed(cr) == [2], what="revision 2")
        meters.wait_at_rest(operator)

        narrow.define(OPEN)
        operator.stop()
        operator.close()
        operator.start()
        cr.wait(
            lambda obj: not condition(obj, "StatusPruned") and obj["status"].get("revision") == 2,
            what="all",
        )
        cr.delete()
        cr.wait_gone()


def test_a_schema_without_a_status(narrow, cluster, namespace):
    narrow.define({})
    with narrow.operator() as operator:
        cr = narrow.create({})
        cr.wait_child(CONFIGMAP, "near")
        wait_until(lambda: deployed(cr) == [1], what="revision 1")
        meters.wait_at_rest(operator)
        assert not cr.status()
        log = operator.log_path.read_text()
        assert log.count("does not keep all of the status") == 1
        mark = cluster.audit.mark()
        cr.touch()
        cr.patch({"less": True})
        cluster.kube.wait_gone(CONFIGMAP, "near", namespace)
        wait_until(lambda: deployed(cr) == [2], what="revision 2")
        meters.wait_at_rest(operator)
        assert status_writes(cluster, mark) == 0
        cr.delete()
        cr.wait_gone()


def test_a_crd_without_a_status_subresource(narrow):
    narrow.define(OPEN, subresources={})
    with narrow.operator() as operator:
        cr = narrow.create({})
        line = operator.wait_log(
            lambda one: "has no status subresource" in one.get("error", ""), what="the reason"
        )
        assert "subresources: {status: {}}" in line["error"]
        narrow.define(OPEN)
        told(cr)
        assert deployed(cr) == [1]
        cr.delete()
        cr.wait_gone()
