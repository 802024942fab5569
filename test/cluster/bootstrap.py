# SPDX-License-Identifier: Apache-2.0
"""The objects that a new control plane needs before it behaves like a cluster."""

from harness.kube import Kube

NODE = "node-1"
NODE_READY_SECONDS = 15.0
PROVISIONER = "chartwright.io/test-volume"


def apply(kube: Kube, *, pods: bool) -> None:
    """Applies the storage classes and, if pods shall run, the node and kwok's permissions."""
    needed_by_pods = (_kwok_role(), _kwok_binding(), _node())
    for obj in (*_storage_classes(), *(needed_by_pods if pods else ())):
        kube.apply(obj)


def wait_ready(kube: Kube, *, pods: bool) -> None:
    """Blocks until pods can be created and run; raises WaitTimeout if that takes too long."""
    if pods:
        kube.wait(
            "v1/Node",
            NODE,
            None,
            _node_ready,
            what="a Ready node without taints",
            timeout_seconds=NODE_READY_SECONDS,
        )
    # Pods are refused until their namespace has a default service account.
    kube.wait("v1/ServiceAccount", "default", "default", lambda account: account is not None)


def _node_ready(node: dict | None) -> bool:
    if node is None or node["spec"].get("taints"):
        return False
    conditions = node.get("status", {}).get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def _node() -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": NODE,
            "annotations": {"kwok.x-k8s.io/node": "fake"},
            "labels": {
                "kubernetes.io/hostname": NODE,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
            },
        },
    }


def _storage_classes() -> list[dict]:
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    return [
        _storage_class("standard", default, expandable=True),
        _storage_class("no-expand", {}, expandable=False),
    ]


def _storage_class(name: str, annotations: dict, *, expandable: bool) -> dict:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, "annotations": annotations},
        "provisioner": PROVISIONER,
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate",
        "allowVolumeExpansion": expandable,
    }


def _kwok_role() -> dict:
    read = ["get", "list", "watch"]
    write = [*read, "create", "update", "patch", "delete"]
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "system:kwok"},
        "rules": [
            _rule("", ["nodes", "nodes/status", "pods", "pods/status"], write),
            _rule("", ["persistentvolumes", "persistentvolumes/status"], write),
            _rule("", ["persistentvolumeclaims", "persistentvolumeclaims/status"], write),
            _rule("", ["events"], ["create", "patch", "update"]),
            _rule("coordination.k8s.io", ["leases"], write),
        ],
    }


def _rule(group: str, resources: list[str], verbs: list[str]) -> dict:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


def _kwok_binding() -> dict:
    group = "rbac.authorization.k8s.io"
    return {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "system:kwok"},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "system:kwok"},
        "subjects": [{"apiGroup": group, "kind": "User", "name": "system:kwok"}],
    }
