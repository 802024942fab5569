# SPDX-License-Identifier: Apache-2.0
"""The operator's requests, as proven by the audit log of the API server."""

import json
from collections import Counter
from collections.abc import Callable

import pytest

from e2e import meters
from harness.audit import AuditLog, Mark, Request
from harness.operator import Operator

REST_SECONDS = 3.0
# Windows in which others may have changed something before a test gives up.
WINDOWS_MAX = 10

# Resources that the operator writes besides children: its own records.
_RECORDS = frozenset({"secrets", "events", "leases"})


class Traffic:
    """The requests of one user in one namespace, and those without a namespace.

    Requests are matched by user, not by user agent: a wrong user agent must not hide a request.
    An external cluster has no audit log. Then `check` proves nothing, and a test that passes
    otherwise is reported as passed and also as skipped, with the reason.
    """

    def __init__(self, audit: AuditLog | None, user: str, namespace: str):
        self._audit = audit
        self._user = user
        self._namespace = namespace
        self._unproven = 0

    def mark(self):
        """Returns the current position in the log."""
        return self._audit.mark() if self._audit else None

    def check(self, since: Mark | None, assertion: Callable[[list[Request]], None]) -> None:
        """Calls `assertion` with the requests since then."""
        if self._audit is None:
            self._unproven += 1
            return
        assertion(self.requests(since))

    def requests(self, since: Mark | None) -> list:
        """Returns the requests since then, except watches, which end and restart over time.

        Questions about rights do not count either: the operator asks them once, when it starts.
        """
        found = self._audit.requests(since, user=self._user, namespace={"", self._namespace})
        return [r for r in found if r.verb != "watch" and r.group != "authorization.k8s.io"]

    def check_idle(self, operator: Operator, versions: Callable[[], object], **labels: str) -> None:
        """Asserts that for a while the operator sends nothing, and its reconcilers with these
        labels do not run.

        `versions` returns what others may change. On a busy machine the cluster's controllers may
        still be at work after any pause; a time in which they were shows nothing, and another
        begins.
        """
        meters.wait_at_rest(operator, quiet_seconds=REST_SECONDS)
        for _ in range(WINDOWS_MAX):
            before = versions()
            reconciles = meters.total(operator, meters.RECONCILES, **labels)
            mark = self.mark()
            # Without resync only events cause work, and there are none: waits to see nothing
            # happen.
            meters.wait_at_rest(operator, quiet_seconds=REST_SECONDS)
            if versions() == before:
                break
        else:
            pytest.fail(f"others still change something: {before} became {versions()}")
        assert meters.total(operator, meters.RECONCILES, **labels) == reconciles
        self.check(mark, nothing)

    def report(self) -> None:
        """Skips, with the reason, if something could not be proven."""
        if self._unproven:
            pytest.skip(
                f"all held but {self._unproven} claims about the operator's requests, which only "
                "the audit log of a cluster of our own can prove"
            )


def nothing(requests: list[Request]) -> None:
    """Asserts that there was no request, not even a read."""
    assert not requests, "\n".join(describe(request) for request in requests)


def no_write(requests: list[Request]) -> None:
    """Asserts that nothing was written."""
    nothing([request for request in requests if request.is_write()])


def no_child_write(requests: list[Request]) -> None:
    """Asserts that no child was written; status and revisions may be."""
    nothing(child_writes(requests))


def only_child_writes(*expected: str):
    """Returns an assertion that just these children (`deployments/shop`) were written once each."""

    def assertion(requests: list[Request]):
        written = Counter(f"{r.resource}/{r.name}" for r in child_writes(requests))
        assert written == Counter(expected)

    return assertion


def child_writes(requests: list[Request]) -> list:
    """Returns the writes of children, without status, revisions, events and leases."""
    return [
        request
        for request in requests
        if request.is_write() and request.resource not in _RECORDS and "/" not in request.resource
    ]


def no_refusal(requests: list[Request]) -> None:
    """Asserts that the API server refused nothing."""
    nothing([request for request in requests if request.code is not None and request.code >= 400])


def describe(request: Request) -> str:
    """Returns a line about a request, and one with what it sent if that was logged."""
    line = f"{request.received:%H:%M:%S.%f} {request.verb} {request.uri} -> {request.code}"
    return line if request.body is None else f"{line}\n{json.dumps(request.body)}"
