# SPDX-License-Identifier: Apache-2.0
"""Records the writes that install one custom resource, to replay them for others.

An audit policy logs request bodies in one namespace; in all others it logs only metadata, as
usual. So the floor consists of the operator's own writes.
"""

import copy
import json
import pathlib
from collections.abc import Iterable

from bench.sender import Request

NAMESPACE = "recorded-room"
NAME = "recorded-store"
# 4 children, 1 revision and 2 of the status: the inventory before any effect, and the outcome.
WRITES = 7

POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "rules": [
        {"level": "Request", "namespaces": [NAMESPACE], "verbs": ["create", "patch", "update"]},
        {"level": "Metadata"},
    ],
}
_METHODS = {"create": "POST", "patch": "PATCH", "update": "PUT"}


class RecordingError(Exception):
    """The operator's writes differ from those that define the benchmark."""


def read(audit_log: pathlib.Path, user_agent: str) -> list[Request]:
    """Returns the WRITES requests that installed NAME, in order; else raises RecordingError."""
    events = []
    with audit_log.open(encoding="utf-8") as log:
        for line in log:
            event = json.loads(line)
            if (
                event["stage"] == "ResponseComplete"
                and event["verb"] in _METHODS
                and event.get("userAgent", "").startswith(user_agent)
                and event.get("objectRef", {}).get("namespace") == NAMESPACE
            ):
                events.append(event)
    events.sort(key=lambda event: event["requestReceivedTimestamp"])
    chosen = _needed(events)
    if len(chosen) != WRITES:
        raise RecordingError(f"{len(chosen)} writes install a BookStore, not {WRITES}")
    return [_request(event) for event in chosen]


def replay(recorded: list[Request], namespace: str, created: dict, old_uid: str) -> list[Request]:
    """Returns the same writes for another custom resource, `created`, in another namespace."""
    metadata = created["metadata"]
    replacements = (
        (NAMESPACE, namespace),
        (NAME, metadata["name"]),
        (old_uid, metadata["uid"]),
    )
    return [_rewritten(request, replacements) for request in recorded]


def _needed(events: list[dict]) -> list[dict]:
    """Returns the first write of each object, and the first and the last write of the status.

    Events only tell of the install: the floor is without them, the operator is measured with them.
    """
    events = [event for event in events if event["objectRef"]["resource"] != "events"]
    statuses = [e for e in events if e["objectRef"].get("subresource") == "status"]
    seen, others = set(), []
    for event in events:
        reference = event["objectRef"]
        key = (reference["resource"], reference.get("name"))
        if reference.get("subresource") is None and key not in seen:
            seen.add(key)
            others.append(event)
    if len(statuses) < 2:
        return [*statuses, *others]
    return [statuses[0], *others, statuses[-1]]


def _request(event: dict) -> Request:
    body = copy.deepcopy(event["requestObject"])
    if event["objectRef"].get("subresource") == "status":
        # The recorded version belongs to another object; without one the write is unconditional.
        body["metadata"].pop("resourceVersion", None)
    return Request(_METHODS[event["verb"]], event["requestURI"], _content_type(event), body)


def _content_type(event: dict) -> str:
    if event["verb"] != "patch":
        return "application/json"
    # Only a server-side apply body has apiVersion and kind.
    if "apiVersion" in event["requestObject"]:
        return "application/apply-patch+yaml"
    return "application/merge-patch+json"


def _rewritten(request: Request, replacements: Iterable[tuple[str, str]]) -> Request:
    path, body = request.path, json.dumps(request.body)
    for old, new in replacements:
        path, body = path.replace(old, new), body.replace(old, new)
    return Request(request.method, path, request.content_type, json.loads(body))
