# SPDX-License-Identifier: Apache-2.0
"""A backup and its restore, by the steps of docs/backup.md."""

import pytest

from e2e.custom_resource import CLAIM, DEMOVOLUME, SECRET, capacity, is_controlled_by, requested
from e2e.session import ensure_running

# A backup has them as they were; the server assigns them anew.
ASSIGNED = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields")
RECORD_TYPE = "helm.sh/release.v1"


@pytest.fixture(name="process")
def fixture_process(operator):
    """The operator, which runs again for the next test."""
    yield operator
    ensure_running(operator)


def backup_of(cluster, kind: str, namespace: str) -> list[dict]:
    """Returns the objects of a kind without owner references, and their status."""
    api_version, _, name = kind.rpartition("/")
    objects = cluster.kube.list(kind, namespace)
    for obj in objects:
        obj |= {"apiVersion": api_version, "kind": name}
        obj.pop("status", None)
        for key in (*ASSIGNED, "ownerReferences", "finalizers"):
            obj["metadata"].pop(key, None)
    return objects


def test_claims_and_history_come_back(cluster, process, namespace, declare):
    volume = declare(DEMOVOLUME, "volume").create({"name": "one", "size": 1})
    volume.wait_child(CLAIM, "volume", lambda claim: capacity(claim) == requested(claim))
    volume.wait_ready()
    volume.patch({"name": "two", "size": 2})
    volume.wait_revision(2)

    claims = backup_of(cluster, CLAIM, namespace)
    for claim in claims:  # The volume is restored as a new one.
        del claim["spec"]["volumeName"]
        annotations = claim["metadata"].get("annotations", {})
        for key in [key for key in annotations if "kubernetes.io/" in key]:
            del annotations[key]
    records = [s for s in backup_of(cluster, SECRET, namespace) if s["type"] == RECORD_TYPE]
    resources = backup_of(cluster, DEMOVOLUME, namespace)
    assert (len(claims), len(records), len(resources)) == (1, 2, 1)
    volume.delete()
    volume.wait_gone()
    cluster.kube.wait_gone(CLAIM, "volume", namespace)
    for record in records:
        cluster.kube.wait_gone(SECRET, record["metadata"]["name"], namespace)

    process.stop()
    for obj in (*claims, *records):
        cluster.kube.create(obj)
    restored = volume.child(CLAIM, "volume")["metadata"]["uid"]
    cluster.kube.create(resources[0])
    process.start()
    volume.wait_ready()
    claim = volume.child(CLAIM, "volume")
    assert claim["metadata"]["uid"] == restored
    assert is_controlled_by(claim, volume.uid())
    assert [item["revision"] for item in volume.status()["history"]] == [2, 1]
    volume.patch({"size": 3})
    volume.wait_revision(3)
    history = volume.status()["history"]
    assert [item["status"] for item in history] == ["deployed", "superseded", "superseded"]
