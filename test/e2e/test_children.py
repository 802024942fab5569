# SPDX-License-Identifier: Apache-2.0
"""No child is forgotten, and no finalizer stays: whatever a cache does not show, the API server is
asked for.
"""

import json

import pytest

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, SERVICE, WIDGET, condition
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions

ACCOUNT = "chartwright-e2e-children"
CLUSTER_ROLE = "rbac.authorization.k8s.io/v1/ClusterRole"
API_SERVICE = "apiregistration.k8s.io/v1/APIService"
CRD = "apiextensions.k8s.io/v1/CustomResourceDefinition"
CHART_LABEL = "helm.sdk.operatorframework.io/chart"
WAIT = {"helm.sdk.operatorframework.io/uninstall-wait": "1"}

OWN = """apiVersion: v1
kind: ConfigMap
metadata: {name: own}
data: {text: {{ .Values.text | default "one" }}}
"""
# `less` drops these.
NEAR = """{{- if not .Values.less }}
apiVersion: v1
kind: ConfigMap
metadata: {name: near}
{{- end }}
"""
FAR = """{{- if not .Values.less }}
apiVersion: v1
kind: ConfigMap
metadata: {name: far, namespace: {{ .Values.elsewhere }}}
{{- end }}
"""
ROLE = """{{- if not .Values.less }}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: {{ .Release.Namespace }}-child}
{{- end }}
"""
PORT = """apiVersion: v1
kind: Service
metadata: {name: port}
spec: {clusterIP: None, ports: [{port: 80}]}
"""


class Project:
    """A chart of one's own, and its operator, under an account with all rights."""

    def __init__(self, folder, cluster, namespace: str, kubeconfig):
        self.folder = folder
        self.cluster = cluster
        self.namespace = namespace
        self.kubeconfig = kubeconfig
        self.watch()
        self.write({"own": OWN})

    def watch(self, **fields) -> None:
        """Writes watches.yaml."""
        entry = {
            "group": "e2e.chartwright.io",
            "version": "v1",
            "kind": "Widget",
            "chart": "chart",
            **fields,
        }
        (self.folder / "watches.yaml").write_text(json.dumps([entry]), encoding="utf-8")

    def write(self, templates: dict[str, str], name: str = "project") -> None:
        """Adds templates, and names the chart."""
        files = {f"templates/{file}.yaml": text for file, text in templates.items()}
        files["Chart.yaml"] = f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n"
        for file, text in files.items():
            path = self.folder / "chart" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def operator(self) -> Operator:
        """Returns the operator, not started."""
        return Operator(
            OperatorOptions(
                self.kubeconfig,
                cwd=self.folder,
                watches_file=self.folder / "watches.yaml",
                namespaces=(self.namespace,),
                arguments=("--reconcile-period=0",),
            )
        )

    def requests(self, since) -> list[str]:
        """Returns what the operator has asked for about objects since then, but for watches."""
        user = session.user_of(ACCOUNT)
        return [
            f"{one.verb} {one.resource} {one.name}"
            for one in self.cluster.audit.requests(since, user=user)
            if one.verb not in ("watch", "list") and one.resource not in ("", "leases")
        ]


@pytest.fixture(name="project")
def new_project(tmp_path, own_cluster, namespace):
    """The project, with one template."""
    with session.admin_account(own_cluster, ACCOUNT) as kubeconfig:
        yield Project(tmp_path, own_cluster, namespace, kubeconfig)


@pytest.fixture(name="elsewhere")
def other_namespace(cluster):
    """A namespace that the operator does not watch."""
    name = cluster.create_namespace("e2e-far")
    yield name
    cluster.kube.delete("v1/Namespace", name)


def stop_then(operator: Operator, change) -> None:
    """Makes a change while the operator is down."""
    operator.stop()
    operator.close()
    change()
    operator.start()


def not_ready(widget, *parts: str) -> dict:
    """Blocks until Ready is False with these parts in its message."""

    def holds(obj: dict) -> bool:
        ready = condition(obj, "Ready")
        return ready.get("status") == "False" and all(part in ready["message"] for part in parts)

    return widget.wait(holds, what=f"Ready=False: {parts}")


def definition(group: str) -> dict:
    """Returns a CRD of Foos."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"foos.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "Foo", "listKind": "FooList", "plural": "foos", "singular": "foo"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "x-kubernetes-preserve-unknown-fields": True,
                        }
                    },
                }
            ],
        },
    }


def serve_foos(cluster, namespace: str) -> str:
    """Has a kind Foo served, in a group of its own, which it returns."""
    group = f"{namespace}.chartwright.io"
    cluster.kube.create(definition(group))
    cluster.kubectl("wait", "--for=condition=Established", f"crd/foos.{group}", "--timeout=30s")
    return group


@pytest.mark.parametrize("state", ["running", "down"])
def test_a_kind_whose_definition_is_deleted(project, cluster, declare, namespace, state):
    group = serve_foos(cluster, namespace)
    crd = f"foos.{group}"
    project.write(
        {"foo": f"apiVersion: {group}/v1\nkind: Foo\nmetadata: {{name: foo}}\n", "port": PORT}
    )
    with project.operator() as operator:
        widget = declare(WIDGET, "w").create({}, annotations=WAIT)
        widget.wait_ready()

        def delete() -> None:
            cluster.kube.delete(CRD, crd)
            cluster.kube.wait_gone(CRD, crd)

        if state == "running":
            delete()
        else:
            stop_then(operator, delete)
        not_ready(widget, "Foo")
        cluster.kube.delete(CONFIGMAP, "own", namespace)
        widget.wait_child(CONFIGMAP, "own")
        cluster.kube.delete(SERVICE, "port", namespace)
        widget.wait_child(SERVICE, "port")
        widget.delete()
        widget.wait_gone()
    assert not cluster.kube.find(CONFIGMAP, "own", namespace)
    assert not cluster.kube.find(SERVICE, "port", namespace)


WEB = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: app}]}
"""
ENFORCED = "pod-security.kubernetes.io/enforce"


def test_a_deployment_whose_pods_are_refused(project, cluster, declare, namespace):
    """The status says why in the words of the API server, and then rests until they are let in."""

    def enforce(level: str) -> None:
        cluster.kube.patch(
            "v1/Namespace", namespace, None, {"metadata": {"labels": {ENFORCED: level}}}
        )

    enforce("restricted")
    project.write({"web": WEB})
    with project.operator() as operator:
        widget = declare(WIDGET, "w").create({})
        found = not_ready(
            widget, 'web: FailedCreate: violates PodSecurity "restricted:latest": allow'
        )
        message = condition(found, "Ready")["message"]
        assert 'pods "web-' not in message, message
        assert condition(found, "Ready")["reason"] == "Progressing"
        meters.wait_at_rest(operator)
        enforce("privileged")
        widget.wait_ready()


# Both versions are served, and what an object looks like depends on the one it is read in.
SCALER = """apiVersion: autoscaling/{{ .Values.version }}
kind: HorizontalPodAutoscaler
metadata: {name: scaler}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: none}
  maxReplicas: 3
  {{- if eq .Values.version "v1" }}
  targetCPUUtilizationPercentage: 50
  {{- else }}
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}
  {{- end }}
"""
SCALER_KIND = "autoscaling/v2/HorizontalPodAutoscaler"


def test_a_chart_that_moves_a_child_to_another_api_version(project, declare):
    """One write moves it, none follows, and drift is repaired once."""
    project.write({"scaler": SCALER})
    with project.operator() as operator:
        widget = declare(WIDGET, "w").create({"version": "v1"})
        widget.wait_revision(1)
        uid = widget.child(SCALER_KIND, "scaler")["metadata"]["uid"]
        widget.patch({"version": "v2"})
        widget.wait_revision(2)
        meters.wait_at_rest(operator)
        versions = {one["kind"]: one["version"] for one in widget.status()["resources"]}
        assert versions["HorizontalPodAutoscaler"] == "v2"

        mark = project.cluster.audit.mark()
        widget.touch()
        meters.wait_at_rest(operator)
        assert [one for one in project.requests(mark) if "scaler" in one] == []

        project.cluster.kube.patch(
            SCALER_KIND, "scaler", project.namespace, {"spec": {"maxReplicas": 9}}
        )
        widget.wait_child(SCALER_KIND, "scaler", lambda scaler: scaler["spec"]["maxReplicas"] == 3)
        meters.wait_at_rest(operator)
        assert [
            one for one in project.requests(mark) if "scaler" in one and not one.startswith("get")
        ] == ["patch horizontalpodautoscalers scaler"]
        assert not condition(widget.get(), "Contested")
        assert widget.child(SCALER_KIND, "scaler")["metadata"]["uid"] == uid


def test_a_kind_whose_server_is_down(project, cluster, declare, namespace):
    """Its kinds cannot be discovered then, which does not mean that their objects are gone."""
    group = serve_foos(cluster, namespace)
    service = f"v1.{group}"
    project.write({"foo": f"apiVersion: {group}/v1\nkind: Foo\nmetadata: {{name: foo}}\n"})

    def take_down() -> None:
        # As if an aggregated server had the group, which nobody runs.
        labels = {"kube-aggregator.kubernetes.io/automanaged": None}
        backend = {"name": "nobody", "namespace": namespace, "port": 443}
        spec = {"service": backend, "insecureSkipTLSVerify": True}
        cluster.kube.patch(
            API_SERVICE, service, None, {"metadata": {"labels": labels}, "spec": spec}
        )
        wait_until(lambda: discovered(cluster, group) == ("Stale", []), what="a stale discovery")

    with project.operator() as operator:
        widget = declare(WIDGET, "w").create({}, annotations=WAIT)
        widget.wait_ready()
        stop_then(operator, take_down)
        widget.delete()
        cluster.kube.wait_gone(CONFIGMAP, "own", namespace)
        failed = widget.wait_condition("ReleaseFailed", "True", "UninstallError")
        assert f"{group}/v1 does not answer" in failed["message"]
        cluster.kube.delete(API_SERVICE, service)  # The API server makes its own again.
        widget.kube.wait_gone(WIDGET, "w", namespace)
        assert cluster.kube.list(f"{group}/v1/Foo", namespace) == []
    cluster.kube.delete(CRD, f"foos.{group}")


def discovered(cluster, group: str) -> tuple[str, list]:
    """Returns how fresh the discovery of a group is, and its resources."""
    kind = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    groups = cluster.kube.request("GET", "/apis", accept=f"application/json;{kind}")["items"]
    found = next(one for one in groups if one["metadata"]["name"] == group)
    version = found["versions"][0]
    return version["freshness"], version.get("resources", [])


def test_a_kind_that_comes_back(project, cluster, declare, namespace):
    group = serve_foos(cluster, namespace)
    crd = f"foos.{group}"
    project.write({"foo": f"apiVersion: {group}/v1\nkind: Foo\nmetadata: {{name: foo}}\n"})
    with project.operator():
        widget = declare(WIDGET, "w").create({})
        widget.wait_ready()
        cluster.kube.delete(CRD, crd)
        cluster.kube.wait_gone(CRD, crd)
        not_ready(widget, "Foo")
        cluster.kube.create(definition(group))
        widget.wait_ready(timeout_seconds=60)
        path = f"/apis/{group}/v1/namespaces/{namespace}/foos/foo"
        assert json.loads(cluster.kubectl("get", "--raw", path))["metadata"]["name"] == "foo"
        widget.delete()
        widget.wait_gone()
    cluster.kube.delete(CRD, crd)


def rights(*kinds: str) -> dict:
    """Returns a ClusterRole with the rights of an operator of these kinds."""
    every = ["get", "list", "watch", "create", "patch", "update", "delete"]
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": f"{ACCOUNT}-some"},
        "rules": [
            {"apiGroups": ["e2e.chartwright.io"], "resources": ["*"], "verbs": every},
            {"apiGroups": [""], "resources": ["secrets", "events", *kinds], "verbs": every},
        ],
    }


@pytest.fixture(name="limited")
def limited_account(own_cluster):
    """The kubeconfig of an account that may do what rights() says."""
    name = f"{ACCOUNT}-some"
    own_cluster.kubectl("-n", session.SYSTEM, "create", "serviceaccount", name)
    own_cluster.kube.apply(rights("configmaps", "services"))
    subject = f"--serviceaccount={session.SYSTEM}:{name}"
    own_cluster.kubectl("create", "clusterrolebinding", name, f"--clusterrole={name}", subject)
    yield own_cluster.service_account_kubeconfig(session.SYSTEM, name)
    own_cluster.kubectl("delete", "clusterrolebinding", name)
    own_cluster.kubectl("delete", "clusterrole", name)
    own_cluster.kubectl("-n", session.SYSTEM, "delete", "serviceaccount", name)


def test_a_kind_that_became_forbidden(project, cluster, declare, namespace, limited):
    project.write({"port": PORT})
    project.kubeconfig = limited
    with project.operator() as operator:
        widget = declare(WIDGET, "w").create({}, annotations=WAIT)
        widget.wait_ready()
        stop_then(operator, lambda: cluster.kube.apply(rights("configmaps")))
        cluster.kube.delete(CONFIGMAP, "own", namespace)
        widget.wait_child(CONFIGMAP, "own")
        not_ready(widget, "services", "cannot ")
        assert cluster.kube.find(SERVICE, "port", namespace)

        cluster.kube.apply(rights("configmaps", "services"))
        widget.wait_ready(timeout_seconds=90)
        cluster.kube.delete(SERVICE, "port", namespace)
        widget.wait_child(SERVICE, "port")

        stop_then(operator, lambda: cluster.kube.apply(rights("configmaps")))
        widget.delete()
        not_ready(widget, "services", "cannot ")
        cluster.kube.wait_gone(CONFIGMAP, "own", namespace)
        assert cluster.kube.find(SERVICE, "port", namespace)
        cluster.kube.apply(rights("configmaps", "services"))
        widget.wait_gone()
    assert not cluster.kube.find(SERVICE, "port", namespace)


def test_a_child_in_a_namespace_that_is_not_watched(project, cluster, declare, elsewhere):
    project.write({"far": FAR})
    with project.operator() as operator:
        widget = declare(WIDGET, "w").create({"elsewhere": elsewhere})
        widget.wait_ready()
        meters.wait_at_rest(operator)
        mark = cluster.audit.mark()
        meters.wait_at_rest(operator, quiet_seconds=6)
        assert not project.requests(mark)

        widget.touch()
        meters.wait_at_rest(operator)
        assert project.requests(mark).count("get configmaps far") == 1
        assert "patch configmaps far" not in project.requests(mark)

        cluster.kube.patch(
            CONFIGMAP,
            "far",
            elsewhere,
            {"metadata": {"ownerReferences": None, "annotations": None}},
        )
        widget.touch()
        cluster.kube.wait(
            CONFIGMAP,
            "far",
            elsewhere,
            lambda obj: "operator-sdk/primary-resource" in obj["metadata"].get("annotations", {}),
            what="its repair",
        )
        widget.patch({"less": True})
        cluster.kube.wait_gone(CONFIGMAP, "far", elsewhere)
        widget.patch({"less": False})
        cluster.kube.wait(CONFIGMAP, "far", elsewhere, bool, what="its return")
        widget.wait_ready()
        widget.delete()
        widget.wait_gone()
    assert not cluster.kube.find(CONFIGMAP, "far", elsewhere)


def strip(cluster, widget) -> None:
    """Removes the label by which the operator finds its children."""
    label = {"metadata": {"labels": {CHART_LABEL: None}}}
    cluster.kube.patch(CONFIGMAP, "near", widget.namespace, label)
    cluster.kube.patch(CLUSTER_ROLE, f"{widget.namespace}-child", None, label)


@pytest.mark.parametrize("end", ["dropped", "deleted", "kept"])
def test_a_label_that_somebody_removed(project, cluster, declare, namespace, end):
    project.write({"near": NEAR, "role": ROLE})
    role = f"{namespace}-child"
    with project.operator() as operator:
        widget = declare(WIDGET, "w").create({})
        widget.wait_ready()

        def change() -> None:
            strip(cluster, widget)
            if end == "dropped":
                widget.patch({"less": True})
            if end == "deleted":
                widget.delete()

        stop_then(operator, change)
        if end == "kept":
            labelled = lambda obj: CHART_LABEL in obj["metadata"].get("labels", {})  # noqa: E731
            cluster.kube.wait(CLUSTER_ROLE, role, None, labelled, what="its label")
            cluster.kube.wait(CONFIGMAP, "near", namespace, labelled, what="its label")
            widget.delete()
        cluster.kube.wait_gone(CLUSTER_ROLE, role)
        if end == "dropped":
            cluster.kube.wait_gone(CONFIGMAP, "near", namespace)
            widget.wait_ready()
            widget.delete()
        widget.wait_gone()


def test_a_chart_that_is_renamed(project, cluster, declare, namespace):
    project.write({"near": NEAR, "role": ROLE})
    with project.operator() as operator:
        widget = declare(WIDGET, "w").create({})
        widget.wait_ready()

        def rename() -> None:
            project.write({}, name="renamed")
            widget.patch({"less": True})

        uid = widget.child(CONFIGMAP, "own")["metadata"]["uid"]
        stop_then(operator, rename)
        cluster.kube.wait_gone(CLUSTER_ROLE, f"{namespace}-child")
        cluster.kube.wait_gone(CONFIGMAP, "near", namespace)
        widget.wait_ready()
        own = widget.child(CONFIGMAP, "own")["metadata"]
        assert (own["uid"], own["labels"][CHART_LABEL]) == (uid, "renamed")
        widget.patch({"less": False})
        widget.wait_ready()
        stop_then(operator, lambda: (project.write({}, name="again"), widget.delete()))
        widget.wait_gone()
    assert not cluster.kube.find(CLUSTER_ROLE, f"{namespace}-child")


def test_an_uninstall_that_waits_without_events(project, cluster, declare, namespace):
    project.watch(watchDependentResources=False)
    with project.operator():
        widget = declare(WIDGET, "w").create({}, annotations=WAIT)
        widget.wait_ready()
        cluster.kube.patch(
            CONFIGMAP, "own", namespace, {"metadata": {"finalizers": ["example.com/held"]}}
        )
        widget.delete()
        widget.wait(
            lambda obj: condition(obj, "Deployed").get("reason") == "UninstallSuccessful",
            what="its wait",
        )
        assert widget.child(CONFIGMAP, "own")["metadata"]["deletionTimestamp"]
        cluster.kube.patch(CONFIGMAP, "own", namespace, {"metadata": {"finalizers": None}})
        widget.wait_gone()


@pytest.mark.parametrize("state", ["running", "down"])
def test_a_status_that_somebody_wiped(project, cluster, declare, namespace, state):
    project.write({"near": NEAR, "role": ROLE})
    with project.operator() as operator:
        widget = declare(WIDGET, "w").create({})
        widget.wait_ready()

        def wipe() -> None:
            wiped = dict.fromkeys(widget.status())
            cluster.kube.patch(WIDGET, "w", namespace, {"status": wiped}, subresource="status")
            widget.patch({"less": True})

        if state == "running":
            wipe()
        else:
            stop_then(operator, wipe)
        cluster.kube.wait_gone(CLUSTER_ROLE, f"{namespace}-child")
        cluster.kube.wait_gone(CONFIGMAP, "near", namespace)
        assert widget.wait_ready()["status"]["revision"] == 2
        widget.delete()
        widget.wait_gone()
