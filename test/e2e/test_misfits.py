# SPDX-License-Identifier: Apache-2.0
"""Objects that server-side apply refuses: those that other writes take are installed, repaired and
upgraded without what does not fit; all others are refused by the right name.
"""

import base64
import copy
import dataclasses
import json

import pytest

from e2e import raw_chart
from e2e.custom_resource import (
    CONFIGMAP,
    DEPLOYMENT,
    SECRET,
    SERVICE,
    condition,
    is_current,
)
from e2e.raw_chart import NAME, create, deployment, manifest
from e2e.session import ensure_running, is_served
from harness.kube import wait_until

LEFT_OUT = "FieldsLeftOut"
SKEW = "misfits.example.com/v1/Skew"


@pytest.fixture(scope="module", name="raw_process")
def start_process(cluster, shared_operators, tmp_path_factory):
    """An operator of the chart that renders any manifest."""
    with raw_chart.started(cluster, tmp_path_factory.mktemp("misfits")) as process:
        shared_operators["raw_process"] = process
        yield process


@pytest.fixture(name="raw", autouse=True)
def running(raw_process):
    """The same, running and ready."""
    return ensure_running(raw_process)


def service(**spec) -> dict:
    """Returns a Service named as the release."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME},
        "spec": {"ports": [{"port": 80}], **spec},
    }


def config_map(**data) -> dict:
    """Returns a ConfigMap named as the release."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": NAME},
        "data": data,
    }


def containers(*each: dict) -> list[dict]:
    """Returns containers with names and images."""
    return [{"name": f"c{i}", "image": "nginx:1", **one} for i, one in enumerate(each)]


def pod_of(obj: dict) -> dict:
    """Returns the spec of a Deployment's pods."""
    return obj["spec"]["template"]["spec"]


def container_of(obj: dict) -> dict:
    """Returns the first container of a Deployment's pods."""
    return pod_of(obj)["containers"][0]


@dataclasses.dataclass(frozen=True)
class Misfit:
    """An object of which a part does not fit the schema, and what becomes of it.

    `kept` returns the part of the live object that is to be `value`.
    """

    obj: dict
    told: str
    kept: object = None
    value: object = None


IN_A = 'spec.template.spec.containers[name="c0"]'
MISFITS = {
    "a field of a Service": Misfit(service(labels={"a": "b"}), "spec.labels"),
    "a field of a container": Misfit(
        deployment({"containers": containers({"podAnnotations": {"a": "b"}})}),
        f"{IN_A}.podAnnotations",
    ),
    "a field beside others": Misfit(
        deployment(
            {"nodeselector": {"a": "b"}, "tolerations": [{"key": "k", "resourcesLimit": "x"}]}
        ),
        "spec.template.spec.nodeselector; spec.template.spec.tolerations[0].resourcesLimit",
    ),
    "a member at the top": Misfit({**config_map(k="1"), "labels": {"a": "b"}}, "labels"),
    "a variable twice": Misfit(
        deployment({"containers": containers({"env": [{"name": "A", "value": x} for x in "123"]})}),
        f'{IN_A}.env[name="A"], but for the last',
        lambda obj: container_of(obj)["env"],
        [{"name": "A", "value": "3"}],
    ),
    "a port twice": Misfit(
        deployment(
            {
                "containers": containers(
                    {
                        "ports": [
                            {"containerPort": 80, "name": "x"},
                            {"containerPort": 80, "name": "y", "protocol": "TCP"},
                            {"containerPort": 80, "name": "z", "protocol": "UDP"},
                        ]
                    }
                )
            }
        ),
        f'{IN_A}.ports[containerPort=80,protocol="TCP"], but for the last',
        lambda obj: [port["name"] for port in container_of(obj)["ports"]],
        ["y", "z"],
    ),
    "a pull secret twice": Misfit(
        deployment({"imagePullSecrets": [{"name": "p"}, {"name": "q"}, {"name": "p"}]}),
        'spec.template.spec.imagePullSecrets[name="p"], but for the last',
        lambda obj: pod_of(obj)["imagePullSecrets"],
        [{"name": "q"}, {"name": "p"}],
    ),
    "a field of an item that is there twice": Misfit(
        deployment(
            {
                "containers": containers(
                    {"env": [{"name": "A", "x": 1}, {"name": "A", "value": "2", "x": 2}]}
                )
            }
        ),
        f'{IN_A}.env[name="A"], but for the last; {IN_A}.env[name="A"].x',
        lambda obj: container_of(obj)["env"],
        [{"name": "A", "value": "2"}],
    ),
}


def with_place(told: str, place: str = "raw/templates/raw.yaml:1") -> str:
    """Returns the text about parts that were left out with the place of each."""
    return "; ".join(f"{part} ({place})" for part in told.split("; "))


@pytest.mark.parametrize("name", MISFITS)
def test_what_does_not_fit_is_left_out_and_named(name, cluster, namespace):
    misfit = MISFITS[name]
    kind = f"{misfit.obj['apiVersion']}/{misfit.obj['kind']}"
    widget = create(cluster, namespace, "one", misfit.obj)
    live = widget.wait_child(kind, "one")
    found = widget.wait_condition(LEFT_OUT, "True", "NotInSchema")
    assert found["message"].endswith(f" {namespace}/one: {with_place(misfit.told)}")
    if misfit.kept:
        assert misfit.kept(live) == misfit.value
    assert widget.wait(lambda obj: condition(obj, "Stalled") == {} and is_current(obj))

    cluster.kube.delete(kind, "one", namespace)
    again = widget.wait_child(
        kind, "one", lambda obj: obj["metadata"]["uid"] != live["metadata"]["uid"]
    )
    if misfit.kept:
        assert misfit.kept(again) == misfit.value


def test_drift_is_repaired_and_a_value_upgraded_beside_what_does_not_fit(cluster, namespace):
    before = deployment({"containers": containers({"imagee": "x"})}, replicas=1)
    after = copy.deepcopy(before)
    pod_of(after)["containers"][0]["image"] = "nginx:2"
    widget = create(cluster, namespace, "one", before)
    widget.wait_condition(LEFT_OUT, "True")
    cluster.kubectl("-n", namespace, "scale", "deployment/one", "--replicas=3")
    widget.wait_child(DEPLOYMENT, "one", lambda obj: obj["spec"]["replicas"] == 1)
    widget.patch(manifest(after))
    widget.wait_child(DEPLOYMENT, "one", lambda obj: container_of(obj)["image"] == "nginx:2")
    widget.wait_condition(LEFT_OUT, "True")
    del pod_of(after)["containers"][0]["imagee"]
    widget.patch(manifest(after))
    widget.wait_condition(LEFT_OUT, None)


def definition(version: int) -> dict:
    """Returns the CRD of a chart: version 2 knows a field more."""
    fields = {"a": {"type": "string"}, **({"b": {"type": "string"}} if version > 1 else {})}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "skews.misfits.example.com"},
        "spec": {
            "group": "misfits.example.com",
            "scope": "Namespaced",
            "names": {"kind": "Skew", "plural": "skews"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {"spec": {"type": "object", "properties": fields}},
                        }
                    },
                }
            ],
        },
    }


def define(cluster, version: int) -> None:
    """Installs that CRD, and waits until its kind is served."""
    cluster.kubectl("apply", "-f", "-", input=json.dumps(definition(version)))
    cluster.kubectl("wait", "--for=condition=Established", "crd/skews.misfits.example.com")
    cluster.learn_kinds()
    wait_until(lambda: is_served(cluster, SKEW), what="the kind being served")


def skew_with(spec: dict) -> dict:
    """Returns an object of that kind."""
    return {
        "apiVersion": "misfits.example.com/v1",
        "kind": "Skew",
        "metadata": {"name": NAME},
        "spec": spec,
    }


def test_a_newer_chart_beside_an_older_definition_says_so(cluster, namespace):
    define(cluster, 1)
    skew = skew_with({"a": "1", "b": "2"})
    widget = create(cluster, namespace, "one", skew)
    found = widget.wait_condition(LEFT_OUT, "True")
    assert found["message"] == f"Skew.misfits.example.com {namespace}/one: {with_place('spec.b')}"
    widget.wait_ready()

    # Once the definition is the chart's, a request brings the field about. The API server takes a
    # moment to publish the new schema.
    cluster.kubectl("apply", "-f", "-", input=json.dumps(definition(2)))
    wait_until(
        lambda: "b" in cluster.kubectl("explain", "skews.spec"), what="the schema being published"
    )
    wait_until(lambda: is_served(cluster, SKEW), what="the kind being served")
    widget.touch()
    widget.wait_child(SKEW, "one", lambda obj: obj["spec"].get("b") == "2")
    widget.wait_condition(LEFT_OUT, None)


def test_nulls_of_a_custom_resource_are_left_out_as_at_a_create(cluster, namespace):
    define(cluster, 2)
    skew = skew_with({"a": None, "b": "2"})
    widget = create(cluster, namespace, "one", skew)
    child = widget.wait_child(SKEW, "one", lambda obj: obj["spec"] == {"b": "2"})
    widget.wait_ready()
    assert condition(widget.get(), LEFT_OUT) == {}

    cluster.kube.patch(SKEW, "one", namespace, {"spec": {"b": "3"}})
    repaired = widget.wait_child(SKEW, "one", lambda obj: obj["spec"] == {"b": "2"})
    widget.touch()
    assert widget.wait(is_current)
    assert repaired["metadata"]["uid"] == child["metadata"]["uid"]


@dataclasses.dataclass(frozen=True)
class Refusal:
    """A change of an object that every write refuses, and part of the message about it.

    One that is `foreseen` is refused before anything is written, so that nothing is to be undone.
    """

    before: dict
    after: dict
    told: str
    foreseen: bool = False


def limits(memory) -> dict:
    """Returns a Deployment whose container has that limit."""
    return deployment({"containers": containers({"resources": {"limits": {"memory": memory}}})})


def secret(**data) -> dict:
    """Returns a Secret named as the release."""
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": NAME}, "data": data}


VALID = base64.b64encode(b"x").decode()
REFUSALS = {
    "a quantity": Refusal(limits("1Gi"), limits("1 Gi"), "quantities must match"),
    "another quantity": Refusal(limits("1Gi"), limits("1GB"), "quantities must match"),
    "an integer or a string": Refusal(
        service(ports=[{"port": 80, "targetPort": 80}]),
        service(ports=[{"port": 80, "targetPort": ["x"]}]),
        "cannot unmarshal array",
    ),
    "half a replica": Refusal(
        deployment(replicas=1), deployment(replicas=1.5), "failed to convert new object"
    ),
    "a string for a number": Refusal(
        deployment(replicas=1), deployment(replicas="two"), "spec.replicas"
    ),
    "a list for a map": Refusal(
        deployment(), deployment({"nodeSelector": ["a"]}), "spec.template.spec.nodeSelector"
    ),
    "a port of more than 16 bits": Refusal(
        service(), service(ports=[{"port": 65537}]), "spec.ports[0].port"
    ),
    "a port of more than 32 bits": Refusal(
        service(),
        service(ports=[{"port": 4294967376}]),
        "spec.ports[].port is 4294967376, of which the API server keeps 80",
    ),
    "replicas of more than 32 bits": Refusal(
        deployment(replicas=1),
        deployment(replicas=4294967297),
        "spec.replicas is 4294967297, of which the API server keeps 1",
    ),
    "data that is not base64": Refusal(
        secret(k=VALID), secret(k="not base64!"), 'data["k"] is not base64', foreseen=True
    ),
    "a number for a string": Refusal(
        {**secret(), "stringData": {"port": "1"}},
        {**secret(), "stringData": {"port": 5432}},
        'stringData["port"] is a number',
        foreseen=True,
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_is_no_outage_and_is_rolled_back(name, cluster, namespace):
    case = REFUSALS[name]
    rolls_back = {"chartwright.io/on-upgrade-failure": "rollback"}
    widget = create(cluster, namespace, "one", case.before, annotations=rolls_back)
    widget.wait_revision(1)
    widget.patch(manifest(case.after))
    if case.foreseen:
        told = widget.wait_error("UpgradeError")
        assert widget.status()["revision"] == 1
    else:
        widget.wait_revision(3)
        widget.wait_condition("RolledBack", "True", "UpgradeFailed")
        failed = widget.record(2)["info"]
        assert failed["status"] == "failed"
        told = failed["description"]
    assert case.told in told


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refused_install_stalls_by_its_name(name, cluster, namespace):
    case = REFUSALS[name]
    widget = create(cluster, namespace, "one", case.after)
    assert case.told in widget.wait_error("InstallError")
    assert condition(widget.get(), "Reconciling") == {}
    kind = f"{case.after['apiVersion']}/{case.after['kind']}"
    assert cluster.kube.find(kind, "one", namespace) is None


def test_no_value_of_a_secret_is_told(cluster, namespace, raw):
    word = "correct horse battery staple"
    create(cluster, namespace, "one", secret(k=word)).wait_condition("Stalled", "True")
    create(cluster, namespace, "two", {**secret(), "stringData": {"k": [word]}}).wait_condition(
        "Stalled", "True"
    )
    create(
        cluster, namespace, "three", {**secret(), "dataa": {"k": word}, "type": 5}
    ).wait_condition("Stalled", "True")
    told = cluster.kubectl("-n", namespace, "get", "events", "-o", "yaml")
    told += str([widget.get("status") for widget in cluster.kube.list(raw_chart.WIDGET, namespace)])
    assert word not in told
    assert word not in str(raw.logs())
    assert cluster.kube.find(SECRET, "one", namespace) is None


def test_what_only_has_to_be_restored_does_not_wait_for_a_refused_object(cluster, namespace):
    far = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "far", "namespace": cluster.create_namespace("far")},
        "data": {"a": "1"},
    }
    widget = create(cluster, namespace, "one", far, deployment(replicas=1), service())
    widget.wait_ready()
    away = far["metadata"]["namespace"]
    cluster.kubectl("delete", "namespace", away, "--wait=false")
    wait_until(lambda: cluster.kube.find(CONFIGMAP, "far", away) is None, what="its end")
    cluster.kube.delete(SERVICE, "one", namespace)
    cluster.kubectl("-n", namespace, "scale", "deployment/one", "--replicas=3")
    widget.wait_child(SERVICE, "one")
    widget.wait_child(DEPLOYMENT, "one", lambda obj: obj["spec"]["replicas"] == 1)
    found = widget.wait(lambda obj: condition(obj, "Ready").get("status") == "False")
    assert condition(found, "Ready")["reason"] == "ReconcileError"
    assert condition(found, "ReleaseFailed") == {}


POD = """{{- define "pod" -}}
image: nginx:1
podAnnotations: {a: b}
{{- end }}
"""
WEB = """{{- /* A comment that renders nothing. */ -}}
# {{ .Values.manifest | trunc 0 }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
spec:
  labels: {a: b}
  ports:
  - port: 80
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      containers:
      - name: a
        {{- include "pod" . | nindent 8 }}
        env:
        - {name: A, value: "1"}
        - {name: A, value: "2"}
"""


def test_what_is_left_out_is_named_with_its_line(cluster, namespace, raw, tmp_path_factory):
    raw.stop()
    files = {"templates/raw.yaml": WEB, "templates/_pod.tpl": POD}
    with raw_chart.started(cluster, tmp_path_factory.mktemp("lines"), files=files):
        widget = create(cluster, namespace, "one")
        found = widget.wait_condition(LEFT_OUT, "True", "NotInSchema")
        in_a = 'spec.template.spec.containers[name="a"]'
        begin = (
            f"Service {namespace}/one: spec.labels (raw/templates/raw.yaml:9); "
            f"Deployment.apps {namespace}/one: "
        )
        assert found["message"].startswith(begin)
        # The API server tells both in any order.
        assert sorted(found["message"].removeprefix(begin).split("; ")) == [
            f'{in_a}.env[name="A"], but for the last (raw/templates/raw.yaml:26)',
            f"{in_a}.podAnnotations (raw/templates/_pod.tpl:3)",
        ]
        widget.delete()
        widget.wait_gone()


def test_kinds_that_are_not_served_are_all_named(cluster, namespace):
    unserved = [
        {"apiVersion": "unserved.example.com/v1", "kind": kind, "metadata": {"name": NAME}}
        for kind in ("Foo", "Bar")
    ]
    widget = create(cluster, namespace, "one", *unserved)
    found = widget.wait(lambda obj: condition(obj, "Ready").get("status") == "False")
    assert (
        "the server serves no kind unserved.example.com/v1, Kind=Bar (raw/templates/raw.yaml); "
        "unserved.example.com/v1, Kind=Foo (raw/templates/raw.yaml)"
    ) in condition(found, "Ready")["message"]


def test_an_object_without_a_kind_is_refused_by_its_template(cluster, namespace):
    widget = create(cluster, namespace, "one", {"apiVersion": "v1", "metadata": {"name": NAME}})
    message = widget.wait_error()
    assert 'raw/templates/raw.yaml: rendered object "one" has no kind' in message
    assert "Each object needs apiVersion, kind and metadata.name" in message


def test_a_strict_project_refuses_what_does_not_fit(cluster, namespace, raw, tmp_path_factory):
    raw.stop()
    folder = tmp_path_factory.mktemp("strict")
    with raw_chart.started(cluster, folder, strictFields=True):
        widget = create(cluster, namespace, "one", service(labels={"a": "b"}))
        assert ".spec.labels: field not declared in schema" in widget.wait_error("InstallError")
        widget.delete()
        widget.wait_gone()
