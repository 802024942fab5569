# SPDX-License-Identifier: Apache-2.0
"""A custom resource under test: written as by a user, awaited through its status."""

import base64
import gzip
import itertools
import json
from collections.abc import Callable

from harness.cluster import Cluster

BOOKSTORE = "blog.velotio.com/v1alpha1/BookStore"
DEMOVOLUME = "demo.demo.civo.io/v1/DemoVolume"
PODSET = "app.example.com/v1alpha1/PodSet"
PET = "petstore.example.com/v1alpha1/Pet"
SHIPPED = (BOOKSTORE, DEMOVOLUME, PODSET, PET)
WIDGET = "e2e.chartwright.io/v1/Widget"
GADGET = "e2e.chartwright.io/v1/Gadget"
CLUSTER_WIDGET = "e2e.chartwright.io/v1/ClusterWidget"

DEPLOYMENT = "apps/v1/Deployment"
STATEFULSET = "apps/v1/StatefulSet"
SERVICE = "v1/Service"
CLAIM = "v1/PersistentVolumeClaim"
POD = "v1/Pod"
SECRET = "v1/Secret"
CONFIGMAP = "v1/ConfigMap"

# With it the operator holds a custom resource until it has deleted what belongs to that.
FINALIZER = "helm.sdk.operatorframework.io/uninstall-release"

_requests = itertools.count(1)


class CustomResource:
    """A custom resource in a namespace (None: cluster-scoped), which need not exist."""

    def __init__(self, cluster: Cluster, kind: str, namespace: str | None, name: str):
        self.kube = cluster.kube
        self.kind = kind
        self.namespace = namespace
        self.name = name

    def create(
        self, spec: object = None, annotations: dict | None = None, finalizers: tuple[str, ...] = ()
    ) -> "CustomResource":
        """Creates it; the default `spec` is empty."""
        api_version, _, kind = self.kind.rpartition("/")
        metadata = {"name": self.name}
        if self.namespace:
            metadata["namespace"] = self.namespace
        if annotations:
            metadata["annotations"] = annotations
        if finalizers:
            metadata["finalizers"] = list(finalizers)
        self.kube.create(
            {
                "apiVersion": api_version,
                "kind": kind,
                "metadata": metadata,
                "spec": {} if spec is None else spec,
            }
        )
        return self

    def get(self) -> dict:
        """Returns it; raises ApiError with code 404 if it does not exist."""
        return self.kube.get(self.kind, self.name, self.namespace)

    def uid(self) -> str:
        """Returns its uid."""
        return self.get()["metadata"]["uid"]

    def manager(self) -> str:
        """Returns the field manager of its children and patches."""
        return f"chartwright-{self.uid().replace('-', '')[:12]}"

    def status(self) -> dict:
        """Returns its current status."""
        return self.get().get("status", {})

    def patch(self, spec: object) -> dict:
        """Merges `spec` into its spec."""
        return self.kube.patch(self.kind, self.name, self.namespace, {"spec": spec})

    def annotate(self, **annotations: str | None) -> dict:
        """Sets `chartwright.io/` annotations (`_` in a name means `-`); None removes one."""
        prefixed = {
            f"chartwright.io/{key.replace('_', '-')}": text for key, text in annotations.items()
        }
        return self.kube.annotate(self.kind, self.name, self.namespace, prefixed)

    def touch(self) -> None:
        """Requests a reconcile with the annotation for that; changes nothing else."""
        self.annotate(reconcile_requested_at=f"request {next(_requests)}")

    def delete(self, **options) -> None:
        """Deletes it; takes the options of `Kube.delete`."""
        self.kube.delete(self.kind, self.name, self.namespace, **options)

    def wait(self, predicate: Callable[[dict], object], **options) -> dict:
        """Blocks until `predicate(object)` holds; takes the options of `Kube.wait`."""
        return self.kube.wait(
            self.kind,
            self.name,
            self.namespace,
            lambda obj: obj is not None and predicate(obj),
            **options,
        )

    def wait_gone(self) -> None:
        """Blocks until it does not exist."""
        self.kube.wait_gone(self.kind, self.name, self.namespace)

    def wait_ready(self, **options) -> dict:
        """Blocks until its current spec is deployed and its children are ready."""
        return self.wait(is_ready, **{"what": "Ready", **options})

    def wait_condition(self, type_: str, status: str | None, reason: str | None = None) -> dict:
        """Blocks until the condition has that status (None: is absent) for the current spec.

        Returns the condition, or an empty dict if it is absent.
        """

        def holds(obj: dict) -> bool:
            found = condition(obj, type_)
            if not is_current(obj):
                return False
            if status is None:
                return not found
            return found.get("status") == status and reason in (None, found.get("reason"))

        what = f"{type_}={status} {reason or ''}"
        return condition(self.wait(holds, what=what), type_)

    def wait_error(self, reason: str | None = None) -> str:
        """Blocks until the current spec is stalled, for that reason if it is given.

        Returns the whole text of the error, from the condition that Stalled names.
        """

        def is_stalled(obj: dict) -> bool:
            found = condition(obj, "Stalled")
            return (
                is_current(obj)
                and found.get("status") == "True"
                and reason in (None, found.get("reason"))
            )

        obj = self.wait(is_stalled, what=f"Stalled {reason or ''}")
        named = condition(obj, "Stalled")["message"].removeprefix("see the condition ")
        return condition(obj, named)["message"]

    def wait_revision(self, number: int) -> dict:
        """Blocks until that revision is deployed for the current spec."""
        return self.wait(
            lambda obj: is_current(obj) and obj["status"].get("revision") == number,
            what=f"revision {number}",
        )

    def child(self, kind: str, name: str) -> dict:
        """Returns an object in its namespace."""
        return self.kube.get(kind, name, self.namespace)

    def record(self, number: int) -> dict:
        """Returns the release record of a revision, decoded."""
        secret = self.child(SECRET, f"sh.helm.release.v1.{self.name}.v{number}")
        packed = base64.b64decode(base64.b64decode(secret["data"]["release"]))
        return json.loads(gzip.decompress(packed))

    def wait_child(
        self, kind: str, name: str, predicate: Callable[[dict], object] = bool, **options
    ) -> dict:
        """Blocks until an object in its namespace exists and `predicate` holds."""
        return self.kube.wait(
            kind, name, self.namespace, lambda obj: obj is not None and predicate(obj), **options
        )


def remove_all(cluster: Cluster, kind: str, namespace: str) -> None:
    """Deletes all custom resources of a kind in a namespace, whose operator runs: they wait until
    it has given up their patches.
    """
    names = [obj["metadata"]["name"] for obj in cluster.kube.list(kind, namespace)]
    left = [CustomResource(cluster, kind, namespace, name) for name in names]
    for each in left:
        each.delete()
    for each in left:
        each.wait_gone()


def condition(obj: dict, type_: str) -> dict:
    """Returns the condition of that type, or an empty dict if it is absent."""
    conditions = obj.get("status", {}).get("conditions", [])
    return next((found for found in conditions if found["type"] == type_), {})


def is_current(obj: dict) -> bool:
    """Reports whether the status is about the current spec."""
    return obj.get("status", {}).get("observedGeneration") == obj["metadata"]["generation"]


def is_ready(obj: dict) -> bool:
    """Reports whether the current spec is deployed and everything is ready."""
    return is_current(obj) and condition(obj, "Ready").get("status") == "True"


def is_controlled_by(obj: dict, uid: str) -> bool:
    """Reports whether the controller reference of `obj` has that uid."""
    references = obj["metadata"].get("ownerReferences", [])
    return [r["uid"] for r in references if r.get("controller")] == [uid]


def is_marked(obj: dict, owner: CustomResource) -> bool:
    """Reports whether annotations, and no owner reference, name the owner of `obj`."""
    api_version, _, kind = owner.kind.rpartition("/")
    group = api_version.partition("/")[0]
    annotations = obj["metadata"].get("annotations", {})
    return (
        "ownerReferences" not in obj["metadata"]
        and annotations.get("operator-sdk/primary-resource") == f"{owner.namespace}/{owner.name}"
        and annotations.get("operator-sdk/primary-resource-type") == f"{kind}.{group}"
    )


def requested(claim: dict) -> str:
    """Returns the requested size of a claim."""
    return claim["spec"]["resources"]["requests"]["storage"]


def capacity(claim: dict) -> str | None:
    """Returns the size of the volume of a claim, or None if it has no volume yet."""
    return claim.get("status", {}).get("capacity", {}).get("storage")
