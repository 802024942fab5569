# SPDX-License-Identifier: Apache-2.0
"""The answers to a server-side apply of values of wrong types. They are in a table, which the tests
of the room kube read: each is a refusal of the object, and not an outage.
"""

import json
import os

from e2e import immutables, wrong_values
from harness.connection import ApiError
from harness.kube import PATCH_TYPES
from harness.paths import REPOSITORY

TABLE = REPOSITORY / "test" / "kube" / "wrong_values.txt"
TRIALS_MIN = 2000
NAME = "wrong-values"


def refusal_of(kube, obj: dict) -> dict | None:
    """Returns the Status of a dry run that is refused."""
    namespace = obj["metadata"]["namespace"]
    path = kube.path(f"{obj['apiVersion']}/{obj['kind']}", NAME, namespace)
    query = {"fieldManager": "wrong-values", "force": "true", "dryRun": "All"}
    try:
        kube.request("PATCH", path, obj, query=query, content_type=PATCH_TYPES["apply"])
    except ApiError as error:
        return error.body
    return None


def schemas(kube) -> tuple[dict, dict]:
    """Returns the definitions, and the schema of each kind by API version and kind."""
    definitions = kube.request("GET", "/openapi/v2")["definitions"]
    kinds = {}
    for schema in definitions.values():
        for gvk in schema.get("x-kubernetes-group-version-kind", ()):
            group = f"{gvk['group']}/" if gvk["group"] else ""
            kinds[f"{group}{gvk['version']}", gvk["kind"]] = schema
    return definitions, kinds


def answers(cluster, namespace: str) -> tuple[int, dict]:
    """Returns the number of trials, and one refusal of each shape."""
    definitions, kinds = schemas(cluster.kube)
    trials, found = 0, {}
    for kind in sorted({(obj["apiVersion"], obj["kind"]) for obj in immutables.OBJECTS}):
        head = {"apiVersion": kind[0], "kind": kind[1]}
        head["metadata"] = {"name": NAME, "namespace": namespace}
        paths = wrong_values.first_of_each_type(definitions, kinds[kind])
        for type_, path in paths.items():
            for value in wrong_values.WRONG:
                status = refusal_of(cluster.kube, {**head, **wrong_values.body_with(path, value)})
                trials += 1
                if status is not None:
                    key = (type_, status["code"], wrong_values.shape(status["message"]))
                    found.setdefault(key, status)
    return trials, found


def test_each_refusal_of_a_wrong_value_is_in_the_table(cluster, namespace):
    trials, found = answers(cluster, namespace)
    assert trials >= TRIALS_MIN
    if "CW_WRITE_TABLES" in os.environ:
        lines = [
            json.dumps({"type": type_, **{k: status.get(k) for k in ("code", "reason", "message")}})
            for (type_, _, _), status in sorted(found.items(), key=lambda item: item[0])
        ]
        TABLE.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    table = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
    known = {(line["type"], line["code"], wrong_values.shape(line["message"])) for line in table}
    assert sorted(set(found) - known) == []
