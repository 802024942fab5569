# SPDX-License-Identifier: Apache-2.0
"""Plays the controllers of the children of BookStores, of which the cluster of a bench has none."""

import time

from bench.measure import PLURAL, Bench
from bench.sender import Request

MERGE = "application/merge-patch+json"
_READY_TIMEOUT_SECONDS = 300.0
_QUIET_SECONDS = 3.0


def make_ready(bench: Bench, room: str) -> None:
    """Has all children ready, waits until the operator has said so, and then until it is quiet."""
    names = [store["metadata"]["name"] for store in bench.cluster.kube.list(PLURAL, room)]
    bench.sender.send([[deployment_status(room, name, ready=1)] for name in names])
    sets = bench.cluster.kube.list("apps/v1/StatefulSet", room)
    bench.sender.send([[_stateful_set_status(room, one)] for one in sets])
    deadline = time.monotonic() + _READY_TIMEOUT_SECONDS
    while count_ready_reasons(bench, room, "Ready") < len(names):
        if time.monotonic() > deadline:
            raise TimeoutError("not all custom resources are ready")
        time.sleep(1)
    while True:
        mark = bench.cluster.audit.mark()
        time.sleep(_QUIET_SECONDS)
        if not bench.count_requests(mark):
            return


def count_ready_reasons(bench: Bench, room: str, reason: str) -> int:
    """Returns how many custom resources have that reason in Ready."""
    return sum(
        condition["type"] == "Ready" and condition["reason"] == reason
        for store in bench.cluster.kube.list(PLURAL, room)
        for condition in store.get("status", {}).get("conditions", [])
    )


def deployment_status(room: str, name: str, ready: int) -> Request:
    """Returns the write of a status in which so many of one replica are ready."""
    conditions = [
        {"type": "Available", "status": "True" if ready else "False", "reason": "Bench"},
        {
            "type": "Progressing",
            "status": "True",
            "reason": "NewReplicaSetAvailable" if ready else "ReplicaSetUpdated",
        },
    ]
    status = {
        "observedGeneration": 1,
        "replicas": 1,
        "updatedReplicas": 1,
        "readyReplicas": ready,
        "availableReplicas": ready,
        "unavailableReplicas": 1 - ready,
        "conditions": conditions,
    }
    path = f"/apis/apps/v1/namespaces/{room}/deployments/{name}/status"
    return Request("PATCH", path, MERGE, {"status": status})


def _stateful_set_status(room: str, one: dict) -> Request:
    replicas = one["spec"]["replicas"]
    status = {
        "observedGeneration": 1,
        "replicas": replicas,
        "readyReplicas": replicas,
        "availableReplicas": replicas,
        "currentReplicas": replicas,
        "updatedReplicas": replicas,
        "currentRevision": "one",
        "updateRevision": "one",
    }
    path = f"/apis/apps/v1/namespaces/{room}/statefulsets/{one['metadata']['name']}/status"
    return Request("PATCH", path, MERGE, {"status": status})
