# SPDX-License-Identifier: Apache-2.0
"""A small direct Kubernetes client for tests: objects are dicts, waits are watches."""

import pathlib
import time
from collections.abc import Callable

from harness import kubeconfig
from harness.connection import ApiError, Connection
from harness.discovery import Discovery

PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
POLL_SECONDS = 0.02
POLL_SECONDS_MAX = 0.5
DEFAULT_TIMEOUT_SECONDS = 60.0


class WaitTimeout(AssertionError):
    """A condition did not become true in time; the message shows the last state."""


class Kube:
    """Reads and writes objects of any kind.

    A kind is named `Deployment`, `deployments`, `deployments.apps` or `apps/v1/Deployment`.
    A namespace of None means all namespaces (list, watch) or a cluster-scoped object.
    Thread-safe.
    """

    def __init__(self, access: kubeconfig.Access, user_agent: str = "chartwright-test"):
        self.connection = Connection(access, user_agent)
        self.discovery = Discovery(self.connection)
        self.request = self.connection.request

    @classmethod
    def from_kubeconfig(
        cls,
        path: pathlib.Path | str,
        kubectl: pathlib.Path | str,
        user_agent: str = "chartwright-test",
    ) -> "Kube":
        """Uses the current context of a kubeconfig file."""
        return cls(kubeconfig.read(path, kubectl), user_agent)

    def path(self, kind: str, name: str | None = None, namespace: str | None = None) -> str:
        """Returns the URL path of an object, or of the collection if `name` is None."""
        return self.discovery.resolve(kind).path(name, namespace)

    def get(self, kind: str, name: str, namespace: str | None = None) -> dict:
        """Returns an object; raises ApiError with code 404 if it does not exist."""
        return self.request("GET", self.path(kind, name, namespace))

    def find(self, kind: str, name: str, namespace: str | None = None) -> dict | None:
        """Returns an object, or None if it does not exist."""
        try:
            return self.get(kind, name, namespace)
        except ApiError as error:
            if error.code != 404:
                raise
            return None

    def list(
        self,
        kind: str,
        namespace: str | None = None,
        *,
        labels: str | None = None,
        fields: str | None = None,
    ) -> list:
        """Returns the objects that match the label and field selectors (strings)."""
        query = {"labelSelector": labels, "fieldSelector": fields}
        return self.request("GET", self.path(kind, None, namespace), query=query)["items"]

    def create(self, obj: dict) -> dict:
        """Creates an object in the namespace of its metadata."""
        return self.request("POST", self._path_of(obj, named=False), obj)

    def apply(self, obj: dict, *, manager: str = "chartwright-test", force: bool = True) -> dict:
        """Applies an object with server-side apply."""
        query = {"fieldManager": manager, "force": str(force).lower()}
        content_type = PATCH_TYPES["apply"]
        path = self._path_of(obj, named=True)
        return self.request("PATCH", path, obj, query=query, content_type=content_type)

    def replace(self, obj: dict, *, subresource: str | None = None) -> dict:
        """Replaces an object; its resourceVersion, if set, must be the current one."""
        return self.request("PUT", _below(self._path_of(obj, named=True), subresource), obj)

    def patch(self, kind: str, name: str, namespace: str | None, body: object, **options) -> dict:
        """Patches an object.

        Options: `type` (a key of PATCH_TYPES, default merge), `subresource`.
        """
        path = _below(self.path(kind, name, namespace), options.get("subresource"))
        content_type = PATCH_TYPES[options.get("type", "merge")]
        return self.request("PATCH", path, body, content_type=content_type)

    def annotate(self, kind: str, name: str, namespace: str | None, annotations: dict) -> dict:
        """Sets annotations; a value of None removes one."""
        return self.patch(kind, name, namespace, {"metadata": {"annotations": annotations}})

    def delete(self, kind: str, name: str, namespace: str | None = None, **options) -> None:
        """Deletes an object, which need not exist. Option: `propagation` (default Background)."""
        body = {"propagationPolicy": options.get("propagation", "Background")}
        try:
            self.request("DELETE", self.path(kind, name, namespace), body)
        except ApiError as error:
            if error.code != 404:
                raise

    def watch(self, kind: str, namespace: str | None = None, **options):
        """Yields `(type, object)` from `resource_version` on until the server ends the watch.

        Options: `fields`, `labels` (selectors), `resource_version`, `timeout_seconds`.
        Raises TimeoutError if nothing arrives in `timeout_seconds`, ApiError for an ERROR event.
        """
        timeout = options.get("timeout_seconds", DEFAULT_TIMEOUT_SECONDS)
        query = {
            "watch": "true",
            "resourceVersion": options.get("resource_version"),
            "fieldSelector": options.get("fields"),
            "labelSelector": options.get("labels"),
            "timeoutSeconds": max(1, int(timeout) + 1),
        }
        path = self.path(kind, None, namespace)
        for event in self.connection.stream(path, query, timeout):
            if event["type"] == "ERROR":
                raise ApiError(event["object"].get("code", 0), event["object"], f"watch {path}")
            yield event["type"], event["object"]

    def wait(
        self,
        kind: str,
        name: str,
        namespace: str | None,
        predicate: Callable[[dict], object],
        **options,
    ):
        """Blocks until `predicate(object)` is true (`object` is None while it does not exist).

        Returns the object (None if the predicate accepted its absence); else raises WaitTimeout.
        Options: `timeout_seconds` (default 60), `what` (description of the wait, for the message).
        """
        deadline = time.monotonic() + options.get("timeout_seconds", DEFAULT_TIMEOUT_SECONDS)
        last = None
        while time.monotonic() < deadline:
            try:
                for last in self._versions(kind, name, namespace, deadline):
                    if predicate(last):
                        return last
                    if time.monotonic() > deadline:
                        break
            except TimeoutError:
                break
            except ApiError as error:
                # The watch expired (410): list again. A server that fills its own cache of a kind
                # asks for a second (429). The caller handles all other errors.
                if error.code == 429:
                    time.sleep(POLL_SECONDS_MAX)
                elif error.code != 410:
                    raise
        what = options.get("what", "the condition")
        raise WaitTimeout(f"{kind} {namespace or ''}/{name}: {what} did not come; last: {last}")

    def wait_gone(self, kind: str, name: str, namespace: str | None = None, **options) -> None:
        """Blocks until the object does not exist; options as for `wait`."""
        self.wait(kind, name, namespace, lambda obj: obj is None, **{"what": "its end", **options})

    def _versions(self, kind: str, name: str, namespace: str | None, deadline: float):
        """Yields each new version of one object, or None while it does not exist."""
        fields = f"metadata.name={name}"
        path = self.path(kind, None, namespace)
        listed = self.request("GET", path, query={"fieldSelector": fields})
        yield listed["items"][0] if listed["items"] else None
        events = self.watch(
            kind,
            namespace,
            fields=fields,
            resource_version=listed["metadata"]["resourceVersion"],
            timeout_seconds=max(0.01, deadline - time.monotonic()),
        )
        for event, obj in events:
            yield None if event == "DELETED" else obj

    def _path_of(self, obj: dict, *, named: bool) -> str:
        metadata = obj["metadata"]
        kind = f"{obj['apiVersion']}/{obj['kind']}"
        return self.path(kind, metadata["name"] if named else None, metadata.get("namespace"))


def wait_until(
    condition: Callable[[], object],
    *,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    what: str = "",
):
    """Polls `condition()` until its result is true, and returns that; else raises WaitTimeout.

    For conditions on several objects or outside the API; prefer `Kube.wait`, which watches.
    The processors are shared: what takes long is asked less often.
    """
    deadline = time.monotonic() + timeout_seconds
    while True:
        asked = time.monotonic()
        value = condition()
        took = time.monotonic() - asked
        if value:
            return value
        if time.monotonic() >= deadline:
            raise WaitTimeout(f"{what or 'the condition'} did not come; last: {value!r}")
        time.sleep(min(max(POLL_SECONDS, took), POLL_SECONDS_MAX))


def _below(path: str, subresource: str | None) -> str:
    return f"{path}/{subresource}" if subresource else path
