# SPDX-License-Identifier: Apache-2.0
"""A tenant: somebody with rights in one namespace, who writes the operator's own objects."""

import base64
import copy
import dataclasses
import gzip
import hashlib
import hmac
import json
import os
from collections.abc import Callable, Sequence

from e2e.custom_resource import CONFIGMAP, SECRET, WIDGET
from harness.cluster import Cluster
from harness.connection import ApiError
from harness.kube import Kube

# Where the tenant has no rights, but the operator has.
ELSEWHERE = "kube-system"
# The name of what he tries to get there.
LOOT = "pwned"
RECORD_TYPE = "helm.sh/release.v1"

# The rights of a tenant in his namespace, by the name of the attacker.
RIGHTS = {
    "secrets": [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["*"]},
        {"apiGroups": ["e2e.chartwright.io"], "resources": ["widgets"], "verbs": ["*"]},
    ],
    "admin": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}],
}


def loot(namespace: str = ELSEWHERE) -> dict:
    """Returns the object that nobody but the operator could make there."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": LOOT, "namespace": namespace},
        "data": {"by": "tenant"},
    }


def hook(event: str, obj: dict | None = None) -> dict:
    """Returns a hook of a release record that makes an object, by default the loot."""
    made = copy.deepcopy(obj or loot())
    made["metadata"]["annotations"] = {"helm.sh/hook": event}
    return {
        "name": made["metadata"]["name"],
        "kind": made["kind"],
        "path": "widget/templates/hook.yaml",
        "manifest": json.dumps(made),
        "events": [event],
        "weight": 0,
        "last_run": {"started_at": "", "completed_at": "", "phase": ""},
    }


@dataclasses.dataclass
class Tenant:
    """Acts with the rights of an account that has a role in one namespace, and no other."""

    cluster: Cluster
    namespace: str
    kube: Kube

    @classmethod
    def with_rights(cls, cluster: Cluster, namespace: str, attacker: str) -> "Tenant":
        """Returns a tenant of a namespace, whose account and role are made."""
        rbac = "rbac.authorization.k8s.io"
        cluster.kubectl("-n", namespace, "create", "serviceaccount", attacker)
        for made in (
            {
                "apiVersion": f"{rbac}/v1",
                "kind": "Role",
                "metadata": {"name": attacker, "namespace": namespace},
                "rules": RIGHTS[attacker],
            },
            {
                "apiVersion": f"{rbac}/v1",
                "kind": "RoleBinding",
                "metadata": {"name": attacker, "namespace": namespace},
                "roleRef": {"apiGroup": rbac, "kind": "Role", "name": attacker},
                "subjects": [{"kind": "ServiceAccount", "name": attacker, "namespace": namespace}],
            },
        ):
            cluster.kube.create(made)
        path = cluster.service_account_kubeconfig(namespace, attacker)
        tenant = cls(cluster, namespace, Kube.from_kubeconfig(path, cluster.kubectl.binary))
        tenant.check_powerless()
        return tenant

    def check_powerless(self) -> None:
        """Asserts that he cannot make the loot himself."""
        try:
            self.kube.create(loot())
        except ApiError as error:
            assert error.code == 403, error
        else:
            raise AssertionError("the tenant has rights elsewhere: nothing can be shown")

    def record(self, name: str, *, number: int = 1, owner: dict | None = None, **content) -> dict:
        """Writes a release record, as Helm would; returns the Secret.

        `content` replaces members of the record: `manifest`, `hooks`, `config`, `status`. `key` is
        stored beside it, as the operator does with its own.
        """
        status = content.pop("status", "deployed")
        key = content.pop("key", None)
        release = {
            "name": name,
            "info": {
                "first_deployed": "2026-01-01T00:00:00Z",
                "last_deployed": "2026-01-01T00:00:00Z",
                "deleted": "",
                "description": "Install complete",
                "status": status,
            },
            "chart": {"metadata": {"name": "widget", "version": "0.1.0", "apiVersion": "v2"}},
            "config": {},
            "manifest": "",
            "hooks": [],
            "version": number,
            "namespace": self.namespace,
            **content,
        }
        packed = base64.b64encode(gzip.compress(json.dumps(release).encode()))
        data = {"release": base64.b64encode(packed).decode()}
        if key is not None:
            data["key"] = base64.b64encode(key).decode()
            data["signature"] = base64.b64encode(os.urandom(32).hex().encode()).decode()
        metadata = {
            "name": f"sh.helm.release.v1.{name}.v{number}",
            "namespace": self.namespace,
            "labels": {"owner": "helm", "name": name, "status": status, "version": str(number)},
        }
        if owner:
            metadata["ownerReferences"] = [reference(owner)]
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": metadata,
            "type": RECORD_TYPE,
            "data": data,
        }
        if self.kube.find(SECRET, metadata["name"], self.namespace) is None:
            return self.kube.create(secret)
        return self.kube.patch(SECRET, metadata["name"], self.namespace, secret)

    def edit_record(self, name: str, number: int, edit: Callable[[dict], object]) -> None:
        """Changes the content of a record of the operator, and leaves all else as it is."""
        secret = self.kube.get(SECRET, f"sh.helm.release.v1.{name}.v{number}", self.namespace)
        packed = base64.b64decode(base64.b64decode(secret["data"]["release"]))
        release = json.loads(gzip.decompress(packed))
        edit(release)
        packed = base64.b64encode(gzip.compress(json.dumps(release).encode()))
        body = {"data": {"release": base64.b64encode(packed).decode()}}
        self.kube.patch(SECRET, secret["metadata"]["name"], self.namespace, body)

    def create(
        self,
        name: str,
        *,
        annotations: dict | None = None,
        finalizers: Sequence[str] = (),
        spec: dict | None = None,
    ) -> dict:
        """Creates a Widget."""
        return self.kube.create(
            {
                "apiVersion": "e2e.chartwright.io/v1",
                "kind": "Widget",
                "metadata": {
                    "name": name,
                    "namespace": self.namespace,
                    "annotations": annotations or {},
                    "finalizers": list(finalizers),
                },
                "spec": {} if spec is None else spec,
            }
        )

    def annotate(self, name: str, **annotations: str | None) -> None:
        """Sets `chartwright.io/` annotations of a Widget (`_` in a name means `-`)."""
        prefixed = {
            f"chartwright.io/{key.replace('_', '-')}": text for key, text in annotations.items()
        }
        self.kube.annotate(WIDGET, name, self.namespace, prefixed)

    def write_status(self, name: str, status: dict) -> None:
        """Merges into the status of a Widget."""
        self.kube.patch(WIDGET, name, self.namespace, {"status": status}, subresource="status")


def reference(owner: dict) -> dict:
    """Returns the controller reference to a custom resource."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def own_config_map(owner: dict, name: str = "mine") -> dict:
    """Returns a ConfigMap in the namespace of its owner, with his mark."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name,
            "namespace": owner["metadata"]["namespace"],
            "ownerReferences": [reference(owner)],
        },
        "data": {"by": "tenant"},
    }


def digest(key: bytes, manifest: str) -> str:
    """Returns the digest that a status has of a manifest without hooks."""
    return "hmac-sha256:" + hmac.new(key, manifest.encode(), hashlib.sha256).hexdigest()


def loot_of(cluster: Cluster) -> dict | None:
    """Returns what a tenant has got elsewhere; None: nothing."""
    return cluster.kube.find(CONFIGMAP, LOOT, ELSEWHERE)
