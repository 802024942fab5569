# SPDX-License-Identifier: Apache-2.0
"""Counts the requests that reached the API server, from its audit log instead of a client."""

import dataclasses
import datetime
import json
import pathlib
import time
import uuid

from harness.connection import ApiError
from harness.kube import Kube

_FENCE_PREFIX = "audit-fence-"
# A log of hundreds of megabytes takes a while on a busy machine.
_FENCE_TIMEOUT_SECONDS = 60.0
_POLL_SECONDS = 0.005
# Long-lived requests; a fence does not wait for their end.
_LONG_RUNNING_VERBS = frozenset({"watch", "connect", "proxy"})
_LONG_RUNNING_SUBRESOURCES = frozenset({"log", "exec", "attach", "portforward", "proxy"})


@dataclasses.dataclass
class Request:
    """One request, as the API server logged it."""

    audit_id: str
    user: str
    user_agent: str
    verb: str
    uri: str
    group: str
    # The plural, with a subresource as in `pods/status`; empty for a path without a resource.
    resource: str
    namespace: str
    name: str
    received: datetime.datetime
    # None while it is being served (usually a watch).
    code: int | None = None
    # Whether the account lacked a right. Other refusals have the code 403, too: that of a new
    # object in a namespace that is being deleted, or by an admission policy.
    forbidden: bool = False
    # As sent; None unless the policy has it logged, and the request is complete.
    body: dict | None = None

    def is_write(self) -> bool:
        """Reports whether the request may change anything. A review is a question, and so is a dry
        run.
        """
        changes = self.verb in ("create", "update", "patch", "delete", "deletecollection")
        if "dryRun=All" in self.uri:
            return False
        return changes and self.group not in ("authentication.k8s.io", "authorization.k8s.io")


@dataclasses.dataclass(frozen=True)
class Mark:
    """A position in the log: requests answered before it was taken precede it."""

    index: int
    taken: datetime.datetime


class AuditLog:
    """Reads the audit log of a cluster as it grows. Not thread-safe.

    The log must have every request at stage RequestReceived, which is written before the request
    is served, so any request whose answer a client has seen is in the log. `test/cluster` does so.
    """

    def __init__(self, path: pathlib.Path | str, kube: Kube):
        self._path = pathlib.Path(path)
        self._kube = kube
        self._offset = 0
        self._requests: list[Request] = []
        self._open: dict[str, Request] = {}

    def mark(self) -> Mark:
        """Waits until all requests answered before this call are logged; returns that position.

        Those requests also have their codes; only watches and the like may still be open.
        """
        name = _FENCE_PREFIX + uuid.uuid4().hex
        taken = datetime.datetime.now(datetime.UTC)
        try:
            self._kube.get("v1/ConfigMap", name, "default")
        except ApiError as error:
            if error.code != 404:
                raise
        deadline = time.monotonic() + _FENCE_TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            self._read()
            index = self._index_of(name)
            if index is not None and not self._unfinished_before(index):
                return Mark(index + 1, taken)
            time.sleep(_POLL_SECONDS)
        raise TimeoutError(f"{self._path}: no fence after {_FENCE_TIMEOUT_SECONDS} s")

    def requests(self, since: Mark, until: Mark | None = None, **criteria) -> list[Request]:
        """Returns the requests between two marks (`until` defaults to now).

        All criteria must hold: `user`, `verb`, `resource`, `group`, `namespace`, `name` and `code`
        equal the given value or are in the given set; `user_agent` starts with the given string.
        """
        end = (until or self.mark()).index
        chosen = [r for r in self._requests[since.index : end] if not _is_fence(r)]
        return [request for request in chosen if _matches(request, criteria)]

    def count(self, since: Mark, until: Mark | None = None, **criteria) -> int:
        """Returns the number of `requests`."""
        return len(self.requests(since, until, **criteria))

    def _read(self) -> None:
        with self._path.open("rb") as log:
            log.seek(self._offset)
            for line in log:
                # The API server may not have finished the last line.
                if not line.endswith(b"\n"):
                    break
                self._offset += len(line)
                self._take(json.loads(line))

    def _take(self, event: dict) -> None:
        stage, audit_id = event["stage"], event["auditID"]
        if stage == "RequestReceived":
            request = _request(event)
            self._requests.append(request)
            self._open[audit_id] = request
        elif stage in ("ResponseComplete", "Panic"):
            request = self._open.pop(audit_id, None)
            if request is not None:
                request.code = event.get("responseStatus", {}).get("code")
                request.forbidden = (
                    event.get("annotations", {}).get("authorization.k8s.io/decision") == "forbid"
                )
                request.body = event.get("requestObject")
                # A create names its object in the body, which was not decoded before.
                request.name = request.name or event.get("objectRef", {}).get("name", "")

    def _index_of(self, fence: str) -> int | None:
        for index in range(len(self._requests) - 1, -1, -1):
            if self._requests[index].name == fence:
                return index
        return None

    def _unfinished_before(self, index: int) -> bool:
        # Includes the fence itself; waiting for it is not necessary, but harmless.
        earlier = {request.audit_id for request in self._requests[: index + 1]}
        return any(
            audit_id in earlier and not _is_long_running(request)
            for audit_id, request in self._open.items()
        )


def _request(event: dict) -> Request:
    reference = event.get("objectRef", {})
    resource = reference.get("resource", "")
    if reference.get("subresource"):
        resource += "/" + reference["subresource"]
    return Request(
        audit_id=event["auditID"],
        user=event["user"].get("username", ""),
        user_agent=event.get("userAgent", ""),
        verb=event["verb"],
        uri=event["requestURI"],
        group=reference.get("apiGroup", ""),
        resource=resource,
        namespace=reference.get("namespace", ""),
        name=reference.get("name", ""),
        received=datetime.datetime.fromisoformat(event["requestReceivedTimestamp"]),
    )


def _matches(request: Request, criteria: dict) -> bool:
    for field, wanted in criteria.items():
        value = getattr(request, field)
        if field == "user_agent":
            holds = value.startswith(wanted)
        elif isinstance(wanted, (set, frozenset, list, tuple)):
            holds = value in wanted
        else:
            holds = value == wanted
        if not holds:
            return False
    return True


def _is_fence(request: Request) -> bool:
    return request.name.startswith(_FENCE_PREFIX)


def _is_long_running(request: Request) -> bool:
    _, _, subresource = request.resource.partition("/")
    return request.verb in _LONG_RUNNING_VERBS or subresource in _LONG_RUNNING_SUBRESOURCES
