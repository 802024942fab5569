# SPDX-License-Identifier: Apache-2.0
"""The kinds that an API server serves, and their paths (aggregated discovery)."""

import dataclasses

from harness.connection import Connection

_ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@dataclasses.dataclass(frozen=True)
class Resource:
    """A kind in one API version."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool

    @property
    def api_version(self) -> str:
        """Returns the `apiVersion` of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, name: str | None = None, namespace: str | None = None) -> str:
        """Returns the URL path of an object or, without a name, of the collection."""
        parts = ["/apis" if self.group else "/api", self.api_version]
        if self.namespaced and namespace is not None:
            parts += ["namespaces", namespace]
        parts.append(self.plural)
        if name is not None:
            if self.namespaced and namespace is None:
                raise ValueError(f"{self.kind} {name}: a namespace is needed")
            parts.append(name)
        return "/".join(parts)


class Discovery:
    """Finds the resource of a kind; asks the server again for an unknown kind."""

    def __init__(self, connection: Connection):
        self._connection = connection
        self._resources: list[Resource] = []

    def resolve(self, kind: str) -> Resource:
        """Resolves `Kind`, `plural`, `plural.group`, `apiVersion/Kind`; else raises LookupError."""
        found = self._find(kind)
        if found is None:
            self._resources = list(self._fetch())
            found = self._find(kind)
        if found is None:
            raise LookupError(f"the API server serves no {kind!r}")
        return found

    def _find(self, kind: str) -> Resource | None:
        wanted = kind.lower()
        for resource in self._resources:
            names = (
                resource.kind,
                resource.plural,
                f"{resource.plural}.{resource.group}",
                f"{resource.api_version}/{resource.kind}",
            )
            if wanted in (name.lower() for name in names):
                return resource
        return None

    def _fetch(self):
        # The core group comes first, then the server's order, so plain names resolve to those.
        for root in ("/api", "/apis"):
            for group in self._connection.request("GET", root, accept=_ACCEPT)["items"]:
                yield from _resources(group)


def _resources(group: dict):
    name = group["metadata"].get("name", "")
    for version in group["versions"]:
        for resource in version.get("resources", []):
            kind = resource.get("responseKind", {}).get("kind") or resource["resource"]
            yield Resource(
                group=name,
                version=version["version"],
                kind=kind,
                plural=resource["resource"],
                namespaced=resource["scope"] == "Namespaced",
            )
