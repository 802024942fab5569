# SPDX-License-Identifier: Apache-2.0
"""`update: recreateIfImmutable` over every field of the built-in kinds. The judge is the API
server: a field is immutable if it refuses a change, but takes a new object with the changed field.
"""

import itertools
import json

import pytest

from e2e import immutables, raw_chart
from e2e.custom_resource import condition
from e2e.raw_chart import NAME, create, manifest
from e2e.session import ensure_running
from harness.connection import ApiError
from harness.kube import PATCH_TYPES

_names = itertools.count(1)


@pytest.fixture(scope="module", name="raw_process")
def start_process(cluster, shared_operators, tmp_path_factory):
    """An operator of the chart that renders any manifest, and replaces immutable objects."""
    rules = {"operator/operator.yaml": "children:\n- {match: {}, update: recreateIfImmutable}\n"}
    folder = tmp_path_factory.mktemp("immutables")
    with raw_chart.started(cluster, folder, files=rules) as process:
        shared_operators["immutables_process"] = process
        yield process


@pytest.fixture(name="raw", autouse=True)
def running(raw_process):
    """The same, running and ready."""
    return ensure_running(raw_process)


def named(obj: dict, name: str, namespace: str) -> dict:
    """Returns an object with the name of a release in place of the word for it."""
    made = json.loads(json.dumps(obj).replace(NAME, name))
    made["metadata"]["namespace"] = namespace
    return made


def refusal_of(kube, verb: str, obj: dict, **query) -> str | None:
    """Returns the answer to a dry run of a write, if that is a refusal."""
    kind, namespace = f"{obj['apiVersion']}/{obj['kind']}", obj["metadata"]["namespace"]
    query["dryRun"] = "All"
    try:
        if verb == "create":
            kube.request("POST", kube.path(kind, None, namespace), obj, query=query)
        else:
            path = kube.path(kind, obj["metadata"]["name"], namespace)
            kube.request("PATCH", path, obj, query=query, content_type=PATCH_TYPES["apply"])
    except ApiError as error:
        return str(error)
    return None


def immutable_changes(resource, obj: dict):
    """Yields the changes of single fields that the server refuses, but takes in a new object: path,
    changed object and refusal.
    """
    place = (resource.name, resource.namespace)
    ours = {"fieldManager": resource.manager(), "force": "true"}
    head = {key: obj[key] for key in ("apiVersion", "kind", "metadata")}
    fields = {key: value for key, value in obj.items() if key not in head}
    labels = (".labels", immutables.with_other_tier(fields))
    for path, changed in (*immutables.changes_of(fields), labels):
        after = {**head, **changed}
        refused = refusal_of(resource.kube, "apply", named(after, *place), **ours)
        other = named(after, f"{resource.name}-b", resource.namespace)
        if refused and refusal_of(resource.kube, "create", other) is None:
            yield path, after, refused


def is_stalled(obj: dict) -> bool:
    """Reports whether the resource needs a person."""
    return condition(obj, "Stalled").get("status") == "True"


def is_answered(obj: dict) -> bool:
    """Reports whether the spec is carried out, or cannot be."""
    generation = obj["metadata"]["generation"]
    is_deployed = condition(obj, "Deployed").get("observedGeneration") == generation
    is_seen = obj.get("status", {}).get("observedGeneration") == generation
    return is_seen and (is_deployed or is_stalled(obj))


IDS = [f"{place}-{obj['kind']}" for place, obj in enumerate(immutables.OBJECTS)]


@pytest.mark.parametrize("obj", immutables.OBJECTS, ids=IDS)
def test_an_object_with_a_changed_immutable_field_is_replaced(cluster, namespace, obj):
    resource = create(cluster, namespace, f"i{next(_names)}", obj)
    resource.wait_revision(1)
    changes = list(immutable_changes(resource, obj))
    assert changes or obj["kind"] not in immutables.KINDS
    held = []
    for path, after, refused in changes:
        resource.patch(manifest(after))
        answer = resource.wait(is_answered, what=f"an answer to {path}")
        if is_stalled(answer):
            held.append(f"{path}: {refused}: {condition(answer, 'Ready')['message']}")
        resource.patch(manifest(obj))
        resource.wait(is_answered, what=f"the way back from {path}")
    assert not held, "\n".join(held)
