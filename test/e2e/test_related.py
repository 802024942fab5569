# SPDX-License-Identifier: Apache-2.0
"""Related objects: by name, in another namespace, and by the selector of a child."""

import pytest

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, DEPLOYMENT, WIDGET
from harness.kube import wait_until

WEB = """
{{- if not .Values.bare }}
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: {{ .Values.pods | default 2 }}
  selector:
    matchLabels: {app: web, instance: {{ .Release.Name }}}
    matchExpressions: [{key: retired, operator: DoesNotExist}]
  template:
    metadata: {labels: {app: web, instance: {{ .Release.Name }}}}
    spec: {containers: [{name: web, image: web}]}
{{- end }}
"""
RELATED = """
related:
  pods:
    apiVersion: v1
    kind: Pod
    selectedBy: {apiVersion: apps/v1, kind: Deployment, name: '{{ .CR.metadata.name }}'}
  labelled:
    apiVersion: v1
    kind: Pod
    selector: {app: web, instance: '{{ .CR.metadata.name }}'}
  settings:
    apiVersion: v1
    kind: ConfigMap
    namespace: '{{ .CR.spec.shared }}'
    name: settings
  classes:
    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    selector: {tier: e2e-related}
  zones:
    apiVersion: v1
    kind: ConfigMap
    selector:
      matchLabels: {role: zone}
      matchExpressions:
      - {key: zone, operator: In, values: [all, '{{ .CR.spec.zone | default "all" }}']}
      - {key: retired, operator: DoesNotExist}
"""
STATUS = """
podCount: {{ len .Related.pods }}
labelledCount: {{ len .Related.labelled }}
classes: {{ len .Related.classes }}
zones: {{ range .Related.zones }}{{ .metadata.name }} {{ else }}none{{ end }}
settings: {{ range .Related.settings }}{{ .data.text }}{{ else }}none{{ end }}
"""


@pytest.fixture
def start(cluster, namespace, tmp_path):
    """Starts an operator, for one namespace, of a chart that reads related objects."""
    project = session.widget_project(
        tmp_path,
        {
            "templates/web.yaml": WEB,
            "operator/operator.yaml": RELATED,
            "operator/status.yaml": STATUS,
        },
    )
    started = []

    def start_with(**options):
        chosen = {"namespaces": (namespace,), **project, **options}
        started.append(session.widget_operator(cluster, **chosen))
        return started[-1].start()

    yield start_with
    for operator in started:
        operator.close()


@pytest.fixture
def shared(cluster):
    """A namespace that the operator does not watch."""
    name = cluster.create_namespace("shared")
    yield name
    cluster.abandon_namespace(name)


def write_settings(cluster, namespace: str, text: str) -> None:
    """Writes the ConfigMap that the chart reads."""
    write_map(cluster, {"name": "settings", "namespace": namespace}, {"text": text})


def write_map(cluster, metadata: dict, data: dict) -> None:
    """Writes a ConfigMap."""
    cluster.kube.apply(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    )


def wait_shown(widget, **fields) -> None:
    """Waits until the status has these fields."""
    widget.wait(
        lambda obj: all(obj.get("status", {}).get(k) == v for k, v in fields.items()),
        what=f"the status {fields}",
    )


def test_related_objects_are_seen_wherever_they_are(cluster, start, declare, shared):
    operator = start(kubeconfig=cluster.kubeconfig)
    widget = declare(WIDGET, "reader").create({"shared": shared})
    wait_shown(widget, podCount=2, settings="none", classes=0)
    other = declare(WIDGET, "other").create({"pods": 1})  # Reads settings where it is.
    wait_shown(other, podCount=1, settings="none")

    write_settings(cluster, shared, "theirs")
    wait_shown(widget, settings="theirs")
    write_settings(cluster, shared, "changed")
    wait_shown(widget, settings="changed")
    widget.patch({"pods": 3})
    wait_shown(widget, podCount=3)
    wait_shown(other, podCount=1, settings="none")

    cluster.kube.delete(CONFIGMAP, "settings", shared)
    wait_shown(widget, settings="none")
    cluster.kube.delete(DEPLOYMENT, "reader", widget.namespace)
    widget.wait_child(DEPLOYMENT, "reader")
    wait_shown(widget, podCount=3)
    assert operator.running()


def test_related_cluster_scoped_objects_are_seen(cluster, start, declare):
    start(kubeconfig=cluster.kubeconfig)
    widget = declare(WIDGET, "reader").create({})
    wait_shown(widget, classes=0)
    metadata = {"name": "e2e-related", "labels": {"tier": "e2e-related"}}
    cluster.kube.create(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": metadata,
            "provisioner": "none",
        }
    )
    wait_shown(widget, classes=1)
    cluster.kube.delete("storage.k8s.io/v1/StorageClass", "e2e-related")
    wait_shown(widget, classes=0)


def test_related_objects_are_selected_by_expressions(cluster, start, declare, namespace):
    start(kubeconfig=cluster.kubeconfig)

    def write_zone(name: str, **labels: str) -> None:
        metadata = {"name": name, "namespace": namespace, "labels": {"role": "zone", **labels}}
        write_map(cluster, metadata, {})

    write_zone("everywhere", zone="all")
    write_zone("east", zone="east")
    write_zone("west", zone="west")
    write_zone("former", zone="east", retired="yes")
    widget = declare(WIDGET, "reader").create({"zone": "east"})
    wait_shown(widget, zones="east everywhere", podCount=2)
    write_zone("west", zone="west", retired="yes")
    write_zone("east", zone="east", retired="yes")
    wait_shown(widget, zones="everywhere")
    write_zone("west", zone="west")
    widget.patch({"zone": "west"})
    wait_shown(widget, zones="everywhere west")
    # A pod of the Deployment that its selector no longer selects.
    pod = next(
        pod
        for pod in cluster.kube.list("v1/Pod", namespace)
        if pod["metadata"]["labels"].get("app") == "web"
    )
    labels = {"metadata": {"labels": {"retired": "yes"}}}
    cluster.kube.patch("v1/Pod", pod["metadata"]["name"], namespace, labels)
    wait_until(
        lambda: len(cluster.kube.list("v1/Pod", namespace)) == 3,
        what="a pod in place of the retired one",
    )
    wait_shown(widget, podCount=2)


def stranger_set(namespace: str, instance: str) -> dict:
    """Returns a ReplicaSet whose pods have the labels of the Deployment of that name, and more."""
    labels = {"app": "web", "instance": instance, "of": "stranger"}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "stranger", "namespace": namespace},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "c", "image": "x"}]},
            },
        },
    }


def test_objects_of_others_have_the_labels_but_are_not_selected_by_a_child(
    cluster, start, declare, namespace
):
    start(kubeconfig=cluster.kubeconfig)
    widget = declare(WIDGET, "reader").create({})
    wait_shown(widget, podCount=2, labelledCount=2)
    cluster.kube.create(stranger_set(namespace, "reader"))
    # By its labels, the third pod is one of them; by its controller, it is not.
    wait_shown(widget, podCount=2, labelledCount=3)
    cluster.kube.delete("apps/v1/ReplicaSet", "stranger", namespace)
    wait_shown(widget, podCount=2, labelledCount=2)


def test_related_objects_at_rest_cost_nothing(cluster, start, declare, shared, namespace):
    operator = start(kubeconfig=cluster.kubeconfig)
    write_settings(cluster, shared, "theirs")
    widget = declare(WIDGET, "reader").create({"shared": shared})
    wait_shown(widget, podCount=2, settings="theirs")
    widget.wait_ready()
    meters.wait_at_rest(operator)
    before = widget.get()["metadata"]["resourceVersion"]
    # A pod that nothing selects concerns nobody.
    stranger = {"containers": [{"name": "c", "image": "x"}]}
    cluster.kube.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "stranger", "namespace": namespace, "labels": {"app": "web"}},
            "spec": stranger,
        }
    )
    meters.wait_at_rest(operator)
    assert widget.get()["metadata"]["resourceVersion"] == before
    assert widget.status()["podCount"] == 2


@pytest.fixture
def grant(cluster):
    """`grant()` lets the account of the operator read StorageClasses."""
    name = "e2e-related"
    cluster_role = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": name}}
    rule = {"apiGroups": ["storage.k8s.io"], "resources": ["storageclasses"]}
    group = "rbac.authorization.k8s.io"
    account = {"kind": "ServiceAccount", "name": session.WIDGETS, "namespace": session.SYSTEM}

    def make() -> None:
        rules = [{**rule, "verbs": ["list", "watch"]}]
        cluster.kube.create({**cluster_role, "kind": "ClusterRole", "rules": rules})
        reference = {"apiGroup": group, "kind": "ClusterRole", "name": name}
        bound = {"subjects": [account], "roleRef": reference}
        cluster.kube.create({**cluster_role, "kind": "ClusterRoleBinding", **bound})

    yield make
    for kind in ("ClusterRoleBinding", "ClusterRole"):
        cluster.kube.delete(f"{group}/v1/{kind}", name)


def test_a_missing_right_is_a_condition_and_noticed_when_it_is_granted(start, declare, grant):
    start()
    widget = declare(WIDGET, "reader").create({"bare": True})
    ready = widget.wait_condition("Ready", "False")
    assert "related.classes: " in ready["message"] and "forbidden" in ready["message"]
    grant()
    widget.wait_ready(timeout_seconds=25)
    assert widget.status()["classes"] == 0


def test_a_misspelt_key_of_the_spec_is_a_condition(widgets, declare):
    widget = declare(WIDGET, "typo").create({"texd": "x", "count": 1})
    found = widget.wait_condition("UnknownKeys", "True", "UnreadKeys")
    assert found["message"] == '"texd" is read by no template, did you mean "text"?'
    widget.wait_ready()
    widget.patch({"texd": None, "text": "x"})
    wait_until(
        lambda: all(c["type"] != "UnknownKeys" for c in widget.status()["conditions"]),
        what="the condition to go",
    )
    assert widgets.running()
