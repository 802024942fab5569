# SPDX-License-Identifier: Apache-2.0
"""Fields that exclude each other: a sibling of a field of the chart, which others or a default have
set, is dropped in the same repair or upgrade. The judge is the API server's validation.
"""

import copy
import dataclasses
import json

import pytest

from e2e import raw_chart
from e2e.custom_resource import DEPLOYMENT, condition
from e2e.raw_chart import NAME, create, deployment, manifest
from e2e.session import ensure_running


@pytest.fixture(scope="module", name="raw_process")
def start_process(cluster, shared_operators, tmp_path_factory):
    """An operator of the chart that renders any manifest."""
    with raw_chart.started(cluster, tmp_path_factory.mktemp("unions")) as process:
        shared_operators["union_process"] = process
        yield process


@pytest.fixture(name="raw", autouse=True)
def running(raw_process):
    """The same, running and ready."""
    return ensure_running(raw_process)


def workload(kind: str, **spec) -> dict:
    """Returns a StatefulSet or DaemonSet."""
    return {**deployment(**spec), "kind": kind}


def pods(**container) -> dict:
    """Returns a Deployment of one container."""
    return deployment({"containers": [{"name": "a", "image": "nginx:1", **container}]})


def volumes(**volume) -> dict:
    """Returns a Deployment with one volume."""
    return deployment({"volumes": [{"name": "v", **volume}]})


def budget(**spec) -> dict:
    """Returns a PodDisruptionBudget."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": NAME},
        "spec": {"selector": {"matchLabels": {"app": NAME}}, **spec},
    }


def ingress(backend: dict) -> dict:
    """Returns an Ingress with that default backend."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": NAME},
        "spec": {"defaultBackend": backend},
    }


def service(**spec) -> dict:
    """Returns a Service."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME},
        "spec": {"ports": [{"port": 80}], **spec},
    }


def autoscaler(target: dict) -> dict:
    """Returns a HorizontalPodAutoscaler with that target for memory."""
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": NAME},
        "spec": {
            "maxReplicas": 3,
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": NAME},
            "metrics": [{"type": "Resource", "resource": {"name": "memory", "target": target}}],
        },
    }


REFERENCE = {"secretKeyRef": {"name": "s", "key": "k"}}
HTTP = {"path": "/", "port": 80}
TCP = {"port": 80}
EXEC = {"command": ["true"]}
TO_SERVICE = {"service": {"name": "s", "port": {"number": 80}}}
TO_RESOURCE = {"resource": {"apiGroup": "x.example.com", "kind": "X", "name": "x"}}


@dataclasses.dataclass(frozen=True)
class Drift:
    """An object of the chart, a patch of somebody, and the form in which kubectl takes it."""

    obj: dict
    patch: dict
    form: str = "strategic"


def in_pod(**pod) -> dict:
    """Returns a patch of a Deployment's pods."""
    return {"spec": {"template": {"spec": pod}}}


def in_container(**container) -> dict:
    """Returns a patch of the container of a Deployment."""
    return in_pod(containers=[{"name": "a", **container}])


DRIFTS = {
    "a variable by reference becomes a value": Drift(
        pods(env=[{"name": "B", "valueFrom": REFERENCE}]),
        in_container(env=[{"name": "B", "value": "hack", "valueFrom": None}]),
    ),
    "a value becomes a variable by reference": Drift(
        pods(env=[{"name": "B", "value": "x"}]),
        in_container(env=[{"name": "B", "value": None, "valueFrom": REFERENCE}]),
    ),
    "a probe by TCP becomes one by HTTP": Drift(
        pods(readinessProbe={"tcpSocket": TCP}),
        in_container(readinessProbe={"tcpSocket": None, "httpGet": HTTP}),
    ),
    "a probe by HTTP becomes a command": Drift(
        pods(livenessProbe={"httpGet": HTTP}),
        in_container(livenessProbe={"httpGet": None, "exec": EXEC}),
    ),
    "a probe by command becomes gRPC": Drift(
        pods(startupProbe={"exec": EXEC}),
        in_container(startupProbe={"exec": None, "grpc": TCP}),
    ),
    "a hook by command becomes HTTP": Drift(
        pods(lifecycle={"preStop": {"exec": EXEC}}),
        in_container(lifecycle={"preStop": {"exec": None, "httpGet": HTTP}}),
    ),
    "a volume of a Secret becomes a folder": Drift(
        volumes(secret={"secretName": "s"}),
        in_pod(volumes=[{"name": "v", "secret": None, "emptyDir": {}}]),
    ),
    "a volume becomes one of the host": Drift(
        volumes(configMap={"name": "c"}),
        in_pod(volumes=[{"name": "v", "configMap": None, "hostPath": {"path": "/x"}}]),
    ),
    "a budget of those available becomes one of those away": Drift(
        budget(minAvailable=1), {"spec": {"minAvailable": None, "maxUnavailable": 2}}, "merge"
    ),
    "a budget of those away becomes one of those available": Drift(
        budget(maxUnavailable=1), {"spec": {"minAvailable": 2, "maxUnavailable": None}}, "merge"
    ),
    "Recreate becomes RollingUpdate": Drift(
        deployment(strategy={"type": "Recreate"}),
        {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3}}}},
    ),
    "Recreate becomes RollingUpdate with defaults": Drift(
        deployment(strategy={"type": "Recreate"}), {"spec": {"strategy": {"type": "RollingUpdate"}}}
    ),
    "a backend of a service becomes one of a resource": Drift(
        ingress(TO_SERVICE), {"spec": {"defaultBackend": {**TO_RESOURCE, "service": None}}}, "merge"
    ),
    "a backend of a resource becomes one of a service": Drift(
        ingress(TO_RESOURCE),
        {"spec": {"defaultBackend": {**TO_SERVICE, "resource": None}}},
        "merge",
    ),
    "a target of use becomes one of a value": Drift(
        autoscaler({"type": "Utilization", "averageUtilization": 50}),
        {
            "spec": {
                "metrics": [
                    {
                        "type": "Resource",
                        "resource": {
                            "name": "memory",
                            "target": {"type": "AverageValue", "averageValue": "1Gi"},
                        },
                    }
                ]
            }
        },
        "merge",
    ),
    "a headless Service becomes an external name": Drift(
        service(clusterIP="None", type="ClusterIP"),
        {
            "spec": {
                "type": "ExternalName",
                "externalName": "x.example.com",
                "clusterIP": None,
                "clusterIPs": None,
                "ports": None,
            }
        },
        "merge",
    ),
}


def contains(live, wanted) -> bool:
    """Reports whether `live` has everything that `wanted` has."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(
            key in live and contains(live[key], value) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return len(live) == len(wanted) and all(map(contains, live, wanted))
    return live == wanted


def named(obj: dict) -> dict:
    """Returns the object as the release "one" has it."""
    return json.loads(json.dumps(obj).replace(NAME, "one"))


def kind_of(obj: dict) -> str:
    """Returns the kind as the harness names it."""
    return f"{obj['apiVersion']}/{obj['kind']}"


@pytest.mark.parametrize("name", DRIFTS)
def test_a_sibling_that_somebody_has_set_is_dropped(name, cluster, namespace, raw):
    case = DRIFTS[name]
    kind, wanted = kind_of(case.obj), named(case.obj)["spec"]
    widget = create(cluster, namespace, "one", case.obj)
    widget.wait_revision(1)
    settled = widget.wait_child(kind, "one", lambda obj: contains(obj["spec"], wanted))
    # So that the object has its new form before it is repaired.
    raw.stop()
    cluster.kubectl(
        *("-n", namespace, "patch", case.obj["kind"], "one"),
        *(f"--type={case.form}", "-p", json.dumps(case.patch)),
    )
    drifted = cluster.kube.get(kind, "one", namespace)
    assert not contains(drifted["spec"], wanted)
    ensure_running(raw)
    repaired = widget.wait_child(kind, "one", lambda obj: contains(obj["spec"], wanted))
    kept = {key: value for key, value in settled["spec"].items() if key != "replicas"}
    assert contains(repaired["spec"], kept)
    widget.wait(lambda obj: condition(obj, "Irreconcilable") == {})
    # The next repair needs nothing of that.
    cluster.kube.delete(kind, "one", namespace)
    widget.wait_child(kind, "one", lambda obj: obj["metadata"]["uid"] != settled["metadata"]["uid"])


UPGRADES = {
    "a default strategy to Recreate": (deployment(), deployment(strategy={"type": "Recreate"})),
    "a named strategy to Recreate": (
        deployment(strategy={"type": "RollingUpdate"}),
        deployment(strategy={"type": "Recreate"}),
    ),
    "to Recreate with a null": (
        deployment(),
        deployment(strategy={"type": "Recreate", "rollingUpdate": None}),
    ),
    "Recreate to the default": (deployment(strategy={"type": "Recreate"}), deployment()),
    "a StatefulSet to OnDelete": (
        workload("StatefulSet", serviceName="s"),
        workload("StatefulSet", serviceName="s", updateStrategy={"type": "OnDelete"}),
    ),
    "a DaemonSet to OnDelete": (
        workload("DaemonSet"),
        workload("DaemonSet", updateStrategy={"type": "OnDelete"}),
    ),
    "a volume without a source to a Secret": (
        volumes(),
        volumes(secret={"secretName": "s", "defaultMode": 420}),
    ),
    "a Service to an external name": (
        service(),
        {
            **service(),
            "spec": {"type": "ExternalName", "externalName": "x.example.com"},
        },
    ),
    "a budget to its sibling": (budget(minAvailable=1), budget(maxUnavailable=1)),
}


@pytest.mark.parametrize("name", UPGRADES)
def test_a_default_beside_which_an_upgrade_is_invalid_is_dropped(name, cluster, namespace):
    before, after = UPGRADES[name]
    widget = create(cluster, namespace, "one", before)
    widget.wait_revision(1)
    widget.patch(manifest(after))
    widget.wait_revision(2)
    wanted = json.loads(json.dumps(named(after)["spec"]).replace(', "rollingUpdate": null', ""))
    widget.wait_child(kind_of(after), "one", lambda obj: contains(obj["spec"], wanted))


def test_an_adopted_object_loses_what_excludes_the_chart(cluster, namespace):
    theirs = named(budget(maxUnavailable=2, unhealthyPodEvictionPolicy="AlwaysAllow"))
    theirs["metadata"]["namespace"] = namespace
    theirs["metadata"]["annotations"] = {"chartwright.io/adoptable-by": f"{namespace}/one"}
    before = cluster.kube.create(theirs)
    widget = create(cluster, namespace, "one", budget(minAvailable=1))
    widget.wait_condition("Ready", "False")
    widget.annotate(adopt="true")
    widget.wait_revision(1)
    adopted = widget.child(kind_of(theirs), "one")
    assert adopted["metadata"]["uid"] == before["metadata"]["uid"]
    assert "maxUnavailable" not in adopted["spec"]
    assert adopted["spec"]["minAvailable"] == 1
    assert adopted["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"


def test_fields_of_others_that_exclude_nothing_stay(cluster, namespace, raw):
    widget = create(cluster, namespace, "one", pods(env=[{"name": "B", "valueFrom": REFERENCE}]))
    widget.wait_revision(1)
    raw.stop()
    patch = in_container(
        env=[{"name": "B", "value": "hack", "valueFrom": None}, {"name": "C", "value": "mine"}],
        workingDir="/tmp",
    )
    patch["spec"]["minReadySeconds"] = 1
    cluster.kubectl("-n", namespace, "patch", "deployment", "one", "-p", json.dumps(patch))
    ensure_running(raw)
    wanted = {"name": "B", "valueFrom": REFERENCE}
    live = widget.wait_child(
        DEPLOYMENT,
        "one",
        lambda obj: wanted in obj["spec"]["template"]["spec"]["containers"][0]["env"],
    )
    container = live["spec"]["template"]["spec"]["containers"][0]
    assert {"name": "C", "value": "mine"} in container["env"]
    assert container["workingDir"] == "/tmp"
    assert live["spec"]["minReadySeconds"] == 1


def test_a_security_fix_is_rolled_out_over_a_sibling(cluster, namespace, raw):
    before = pods(env=[{"name": "B", "valueFrom": REFERENCE}])
    after = copy.deepcopy(before)
    after["spec"]["template"]["spec"]["containers"][0]["image"] = "nginx:2"
    widget = create(cluster, namespace, "one", before)
    widget.wait_revision(1)
    raw.stop()
    cluster.kubectl("-n", namespace, "set", "env", "deployment/one", "B=hack")
    widget.patch(manifest(after))
    ensure_running(raw)
    widget.wait_revision(2)
    wanted = named(after)["spec"]
    live = widget.wait_child(DEPLOYMENT, "one", lambda obj: contains(obj["spec"], wanted))
    # In one step: the third form after those of the install and of the patch.
    assert live["metadata"]["generation"] == 3
    assert "spec.template.spec.containers[0].env[0].value (set by kubectl-set)" in str(raw.logs())
