# SPDX-License-Identifier: Apache-2.0
"""A real control plane with the interface of the fake one.

Input that passes its validation reaches the operator as it would in a cluster.
"""

import pathlib

from harness.cluster import Cluster
from harness.connection import ApiError
from harness.kube import wait_until
from hostile.apiserver import CORE, GROUP, NAMESPACE

WAIT_SECONDS = 60
TOO_EARLY = 429
DEFINITION = "apiextensions.k8s.io/v1/CustomResourceDefinition"


def definition(kind: str) -> dict:
    """Returns the CRD of a kind, with a schema that accepts anything."""
    plural, anything = (
        kind.lower() + "s",
        {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
        },
    )
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": anything},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "versions": [version],
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
        },
    }


class RealServer:
    """A cluster that serves some kinds of GROUP/v1; `close` removes them."""

    def __init__(self, cluster: Cluster, kinds: list[str]):
        self.kube = cluster.kube
        self.kubeconfig = pathlib.Path(cluster.kubeconfig)
        self.kinds = {("", plural): f"v1/{kind}" for plural, kind in CORE.items()}
        self.kinds |= {(GROUP, kind.lower() + "s"): f"{GROUP}/v1/{kind}" for kind in kinds}
        self.definitions = [definition(kind) for kind in kinds]
        for one in self.definitions:
            self.kube.create(one)
        for kind in kinds:
            wait_until(
                lambda kind=kind: self.serves(f"{GROUP}/v1/{kind}"),
                timeout_seconds=WAIT_SECONDS,
                what=f"{kind} being served",
            )

    def serves(self, kind: str) -> bool:
        """Reports whether objects of a new CRD can be listed, which takes a moment."""
        try:
            self.kube.list(kind, NAMESPACE)
            return True
        except ApiError as error:
            if error.code not in (404, TOO_EARLY):
                raise
        except LookupError:
            pass
        return False

    def close(self) -> None:
        """Removes the kinds, with their objects."""
        for one in self.definitions:
            self.kube.delete(DEFINITION, one["metadata"]["name"])
        for one in self.definitions:
            self.kube.wait_gone(DEFINITION, one["metadata"]["name"], timeout_seconds=WAIT_SECONDS)

    def get(self, group: str, plural: str, name: str) -> dict | None:
        """Returns an object; None if it does not exist."""
        return self.kube.find(self.kinds[group, plural], name, NAMESPACE)

    def put(self, group: str, plural: str, body: dict) -> None:
        """Creates or merges an object with its status; raises ApiError if it is refused."""
        kind, name = self.kinds[group, plural], body["metadata"]["name"]
        whole = {**body, "metadata": {"namespace": NAMESPACE, **body["metadata"]}}
        if self.get(group, plural, name) is None:
            self.kube.create(whole)
        else:
            self.kube.patch(kind, name, NAMESPACE, whole)
        if "status" in body:
            self.kube.patch(kind, name, NAMESPACE, {"status": body["status"]}, subresource="status")

    def remove(self, group: str, plural: str, name: str) -> None:
        """Deletes an object despite finalizers."""
        kind = self.kinds[group, plural]
        self.kube.delete(kind, name, NAMESPACE)

        def gone() -> bool:
            try:
                self.kube.patch(kind, name, NAMESPACE, {"metadata": {"finalizers": None}})
            except ApiError as error:
                return error.code == 404
            return False

        wait_until(gone, timeout_seconds=WAIT_SECONDS, what=f"the end of {name}")
