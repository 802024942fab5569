# SPDX-License-Identifier: Apache-2.0
"""The CRDs match the charts, accept the operator's writes and refuse wrong specs."""

import json

import pytest

import yaml
from harness.connection import ApiError
from harness.paths import REPOSITORY

BOOKSTORE = ("bookstore", "bookstores.blog.velotio.com", "blog.velotio.com/v1alpha1", "BookStore")
DEMOVOLUME = ("demovolume", "demovolumes.demo.demo.civo.io", "demo.demo.civo.io/v1", "DemoVolume")
PODSET = ("podset", "podsets.app.example.com", "app.example.com/v1alpha1", "PodSet")
PET = ("pet", "pets.petstore.example.com", "petstore.example.com/v1alpha1", "Pet")
SYSTEMS = [BOOKSTORE, DEMOVOLUME, PET, PODSET]

# Fields that a spec must have despite a default in the chart: the original CRDs require them.
REQUIRED = {
    "bookstore": [],
    "demovolume": ["size"],
    "pet": ["name", "type", "birthday"],
    "podset": ["replicas"],
}

# Values that users do not set (crd.omit of operator/operator.yaml).
OMITTED = {"pet": ["store", "deletionPolicy"]}

JSON_SCHEMA_ONLY = {"$schema", "title", "additionalProperties", "required"}


def read_schema(chart, path):
    return json.loads((REPOSITORY / "charts" / chart / path).read_text(encoding="utf-8"))


def structural(schema, usual=None, *, may_be_null=False):
    """Converts a chart's schema to CRD form: nothing closed; null removes a default."""
    out = {key: value for key, value in schema.items() if key not in JSON_SCHEMA_ONLY}
    if schema["type"] == ["string", "integer"]:
        del out["type"]
        out["x-kubernetes-int-or-string"] = True
    if may_be_null:
        out["nullable"] = True
        if "enum" in out:
            out["allOf"] = [{"enum": out.pop("enum")}]
    if isinstance(schema.get("additionalProperties"), dict):
        out["additionalProperties"] = structural(schema["additionalProperties"])
    if "properties" in schema:
        out["properties"] = members_of(schema, usual or {})
    elif schema["type"] == "object" and "additionalProperties" not in schema:
        out["x-kubernetes-preserve-unknown-fields"] = True
    if "items" in schema:
        out["items"] = structural(schema["items"])
        out["x-kubernetes-list-type"] = "atomic"
    return out


def members_of(schema, usual):
    """Converts the properties of a schema. A field that is required cannot be null."""
    required = schema.get("required", [])
    return {
        name: structural(
            member,
            usual.get(name),
            may_be_null=usual.get(name) is not None and name not in required,
        )
        for name, member in schema["properties"].items()
    }


def add_defaults(fields, usual):
    """Names the defaults in the descriptions, but for those of tables and lists with members, and
    empty ones that the description explains.
    """
    for name, field in fields.items():
        value = usual.get(name)
        if isinstance(value, dict) and value:
            add_defaults(field.get("properties", {}), value)
        elif value is not None and (not isinstance(value, list) or not value):
            text = field.get("description", "")
            if value in ("", [], {}) and "default" in text:
                continue
            gap = "" if not text else " " if text.endswith(".") else ". "
            field["description"] = f"{text}{gap}Default: {json.dumps(value)}."


def without_required(schema):
    out = {key: value for key, value in schema.items() if key != "required"}
    for key in ("items", "additionalProperties"):
        if isinstance(out.get(key), dict):
            out[key] = without_required(out[key])
    if "properties" in out:
        out["properties"] = {k: without_required(v) for k, v in out["properties"].items()}
    return out


def crd_schema(cluster, crd):
    version = cluster.kube.get("customresourcedefinitions", crd)["spec"]["versions"][0]
    return version["schema"]["openAPIV3Schema"]


@pytest.mark.parametrize("chart, crd, _version, _kind", SYSTEMS)
def test_the_spec_is_the_chart_s_values_schema(cluster, chart, crd, _version, _kind):
    spec = crd_schema(cluster, crd)["properties"]["spec"]
    schema = read_schema(chart, "values.schema.json")
    schema["required"] = schema.get("required", []) + REQUIRED[chart]
    defaults = yaml.safe_load((REPOSITORY / "charts" / chart / "values.yaml").read_text("utf-8"))
    wanted = structural(schema, defaults)
    add_defaults(wanted["properties"], defaults)
    for field in OMITTED.get(chart, []):
        del wanted["properties"][field]
    assert spec.get("required", []) == REQUIRED[chart]
    assert without_required(spec)["properties"] == wanted["properties"]


@pytest.mark.parametrize("chart, crd, _version, _kind", SYSTEMS)
def test_the_crd_s_status_declares_the_chart_s_fields(cluster, chart, crd, _version, _kind):
    status = crd_schema(cluster, crd)["properties"]["status"]["properties"]
    wanted = structural(read_schema(chart, "operator/status.schema.json"))["properties"]
    assert {key: without_required(status[key]) for key in wanted} == wanted


# The operator's own part of a status. The API server prunes fields that the schema lacks at each
# write, so the status would never settle.
ENGINE_STATUS = {
    "observedGeneration": 1,
    "revision": 2,
    "inputs": "sha256:1",
    "lastHandledRollback": "1",
    "selectedBy": "tier=a",
    "signature": "0" * 64,
    "pin": {"revision": 1, "rejectedInputs": "sha256:2"},
    "history": [
        {
            "revision": 2,
            "status": "deployed",
            "description": "Upgrade complete",
            "chart": "x-0.1.0",
            "digest": "sha256:3",
            "deployedAt": "2026-01-02T03:04:05Z",
        }
    ],
    "resources": [
        {
            "group": "apps",
            "version": "v1",
            "kind": "StatefulSet",
            "namespace": "a",
            "name": "b",
            "partial": True,
            "held": "spec.x stays 3Gi, 2Gi asked",
            "desired": "1",
            "observed": "2",
            "state": "Ready",
        }
    ],
    "conditions": [
        {
            "type": "Ready",
            "status": "True",
            "reason": "Ready",
            "message": "",
            "observedGeneration": 1,
            "lastTransitionTime": "2026-01-02T03:04:05Z",
        }
    ],
}

# Kinds whose bundle has externals have this too.
EXTERNALS = {"a": {"id": "7"}, "b": {"intent": "now", "sent": "{}", "held": "two"}}

THOR = {"name": "Thor", "type": "dog", "birthday": "2021-04-01T00:00:00Z"}
SMALLEST = {
    "bookstore": {},
    "demovolume": {"size": 1},
    "pet": THOR,
    "podset": {"replicas": 0},
}


def custom_resource(system, namespace, spec):
    _chart, _crd, version, kind = system
    obj = {"apiVersion": version, "kind": kind, "metadata": {"name": "x", "namespace": namespace}}
    return obj if spec is None else {**obj, "spec": spec}


@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_of_the_operator_s_status_is_pruned(cluster, namespace, system):
    obj = cluster.kube.create(custom_resource(system, namespace, SMALLEST[system[0]]))
    status = {**ENGINE_STATUS, "externals": EXTERNALS} if system == PET else ENGINE_STATUS
    obj["status"] = status
    assert cluster.kube.replace(obj, subresource="status")["status"] == status


REFUSED = [
    (PODSET, {"replicas": -1}, "spec.replicas"),
    (PODSET, {"replicas": 3_000_000_000}, "spec.replicas"),
    (PODSET, {"replicas": "3"}, "spec.replicas"),
    (PODSET, {}, "spec.replicas"),
    (PODSET, None, "spec"),
    (DEMOVOLUME, {"size": 0}, "spec.size"),
    (DEMOVOLUME, {"size": -5}, "spec.size"),
    (DEMOVOLUME, {"size": 1.5}, "spec.size"),
    (DEMOVOLUME, {"size": "10Gi"}, "spec.size"),
    (DEMOVOLUME, {"name": "x"}, "spec.size"),
    (DEMOVOLUME, {"size": 1, "accessMode": "Anything"}, "spec.accessMode"),
    (PET, {**THOR, "name": ""}, "spec.name"),
    (PET, {**THOR, "type": "dragon"}, "spec.type"),
    (PET, {**THOR, "birthday": "2021-04-01"}, "spec.birthday"),
    (BOOKSTORE, {"bookDB": {"dbSize": "0Gi"}}, "spec.bookDB.dbSize"),
    (BOOKSTORE, {"bookDB": {"dbSize": 0}}, "spec.bookDB.dbSize"),
    (BOOKSTORE, {"bookDB": {"dbSize": "-1Gi"}}, "spec.bookDB.dbSize"),
    (BOOKSTORE, {"bookDB": {"dbSize": "large"}}, "spec.bookDB.dbSize"),
    (BOOKSTORE, {"bookDB": {"replicas": -1}}, "spec.bookDB.replicas"),
    (BOOKSTORE, {"bookApp": {"serviceType": "ExternalName"}}, "spec.bookApp.serviceType"),
    (BOOKSTORE, {"bookApp": {"port": 0}}, "spec.bookApp.port"),
    (BOOKSTORE, {"bookApp": {"targetPort": 65536}}, "spec.bookApp.targetPort"),
    (BOOKSTORE, {"bookApp": {"imagePullPolicy": "Sometimes"}}, "spec.bookApp.imagePullPolicy"),
]


@pytest.mark.parametrize("system, spec, field", REFUSED)
def test_a_wrong_spec_is_refused_by_its_field(cluster, namespace, system, spec, field):
    with pytest.raises(ApiError) as refusal:
        cluster.kube.create(custom_resource(system, namespace, spec))
    assert refusal.value.code == 422
    assert field in refusal.value.message


ACCEPTED = [
    (BOOKSTORE, None),
    (BOOKSTORE, {}),
    (BOOKSTORE, {"bookDB": {"dbSize": 5368709120}}),
    (BOOKSTORE, {"bookDB": {"dbSize": "2048Mi"}}),
    (BOOKSTORE, {"bookDB": {"dbSize": "0.5Ti"}}),
    (BOOKSTORE, {"bookApp": {"resources": {"limits": {"cpu": 1, "memory": "64Mi"}}}}),
    (DEMOVOLUME, {"size": 10, "storageClassName": "civo-volume", "keep": True}),
    (PET, THOR),
    (PODSET, {"replicas": 0}),
]


@pytest.mark.parametrize("system, spec", ACCEPTED)
def test_a_right_spec_is_stored_as_written(cluster, namespace, system, spec):
    stored = cluster.kube.create(custom_resource(system, namespace, spec))
    assert stored.get("spec") == spec
