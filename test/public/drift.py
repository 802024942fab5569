# SPDX-License-Identifier: Apache-2.0
"""Fields of workloads that are changed behind the operator's back."""

import dataclasses
import json

from harness.cluster import Cluster
from harness.kube import WaitTimeout, wait_until

AUTOSCALER = "autoscaling/v2/HorizontalPodAutoscaler"
REPLICAS = ("spec", "replicas")
WORKLOADS = ("apps/v1/Deployment", "apps/v1/StatefulSet", "apps/v1/DaemonSet")
REPAIR_SECONDS = 20
FIELDS_OF_EACH = 3


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a workload, by its path, and how another value is made of its own."""

    path: tuple
    change: object


def _with_suffix(text: str) -> str:
    return f"{text}-drifted"


# The container is the first one. A workload has the first three of these that the chart sets.
FIELDS = (
    Field(("spec", "template", "spec", "containers", 0, "image"), _with_suffix),
    Field(("metadata", "labels", "helm.sh/chart"), _with_suffix),
    Field(REPLICAS, lambda number: number + 1),
    Field(
        ("spec", "template", "spec", "containers", 0, "imagePullPolicy"),
        lambda policy: "Never" if policy != "Never" else "Always",
    ),
    Field(("metadata", "labels", "chart"), _with_suffix),
    Field(("metadata", "labels", "app.kubernetes.io/version"), _with_suffix),
    Field(("metadata", "labels", "app.kubernetes.io/name"), _with_suffix),
    Field(("metadata", "labels", "app.kubernetes.io/instance"), _with_suffix),
    Field(("metadata", "labels", "app"), _with_suffix),
    Field(("metadata", "labels", "release"), _with_suffix),
    Field(("metadata", "labels", "heritage"), _with_suffix),
)


def value_at(obj: dict, path: tuple):
    """Returns the value at a path, None where the object has none."""
    for step in path:
        if isinstance(step, int):
            obj = obj[step] if isinstance(obj, list) and step < len(obj) else None
        else:
            obj = obj.get(step) if isinstance(obj, dict) else None
        if obj is None:
            return None
    return obj


def is_ours(obj: dict, path: tuple) -> bool:
    """Reports whether the operator has applied the field at a path."""
    for manager in obj["metadata"]["managedFields"]:
        if not manager["manager"].startswith("chartwright-") or manager["operation"] != "Apply":
            continue
        fields, at = manager["fieldsV1"], obj
        for step in path:
            at = value_at(at, (step,))
            name = {"name": at["name"]} if isinstance(step, int) else None
            key = f"k:{json.dumps(name, separators=(',', ':'))}" if name else f"f:{step}"
            fields = fields.get(key)
            if fields is None:
                break
        if fields is not None:
            return True
    return False


def _patch(obj: dict, field: Field) -> dict:
    """Returns a strategic merge patch that changes the field."""
    wrong = field.change(value_at(obj, field.path))
    for depth in range(len(field.path) - 1, -1, -1):
        step = field.path[depth]
        if isinstance(step, int):
            name = value_at(obj, field.path[: depth + 1])["name"]
            wrong = [{"name": name, **wrong}]
        else:
            wrong = {step: wrong}
    return wrong


def repaired_fields(cluster: Cluster, namespace: str) -> tuple[int, list[str]]:
    """Changes three fields of each workload; returns their number, and those not repaired.

    The replicas of a workload that has an autoscaler are left to that.
    """
    changed, left = 0, []
    scaled = {
        (autoscaler["spec"]["scaleTargetRef"]["kind"], autoscaler["spec"]["scaleTargetRef"]["name"])
        for autoscaler in cluster.kube.list(AUTOSCALER, namespace)
    }
    for kind in WORKLOADS:
        for workload in cluster.kube.list(kind, namespace):
            name = workload["metadata"]["name"]
            is_scaled = (kind.split("/")[-1], name) in scaled
            fields = [
                field
                for field in FIELDS
                if is_ours(workload, field.path) and not (is_scaled and field.path == REPLICAS)
            ][:FIELDS_OF_EACH]
            for field in fields:
                right = value_at(workload, field.path)
                cluster.kube.patch(kind, name, namespace, _patch(workload, field), type="strategic")

                def holds(
                    kind: str = kind, name: str = name, field: Field = field, right: object = right
                ) -> bool:
                    return value_at(cluster.kube.get(kind, name, namespace), field.path) == right

                changed += 1
                try:
                    wait_until(holds, timeout_seconds=REPAIR_SECONDS, what="the repair")
                except WaitTimeout:
                    left.append(f"{kind} {name}: {'.'.join(map(str, field.path))}")
    return changed, left
