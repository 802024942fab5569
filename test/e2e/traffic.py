# SPDX-License-Identifier: Apache-2.0
"""What the operator asked of the API server, proven by the API server's own audit log."""

from collections import Counter

import pytest

# What the operator writes beside children: its records of them.
_RECORDS = frozenset({"secrets", "events", "leases"})


class Traffic:
    """The requests of one user in one namespace, and those that belong to no namespace.

    The user, not the user agent, tells whose they are: a wrong user agent must not hide a request.
    On a cluster of somebody else there is no audit log. `check` then proves nothing and says so:
    the test, if all else in it holds, is reported as passed and as skipped with the reason.
    """

    def __init__(self, audit, user: str, namespace: str):
        self._audit = audit
        self._user = user
        self._namespace = namespace
        self._unproven = 0

    def mark(self):
        """Returns the present point in the log."""
        return self._audit.mark() if self._audit else None

    def check(self, since, assertion) -> None:
        """Calls `assertion` with the requests since then; it asserts what it likes of them."""
        if self._audit is None:
            self._unproven += 1
            return
        assertion(self.requests(since))

    def requests(self, since) -> list:
        """Returns the requests since then. Watches are left out: they end and begin with time."""
        found = self._audit.requests(since, user=self._user, namespace={"", self._namespace})
        return [request for request in found if request.verb != "watch"]

    def report(self) -> None:
        """Skips, with the reason, if something could not be proven."""
        if self._unproven:
            pytest.skip(
                f"all held but {self._unproven} claims about the operator's requests, which only "
                "the audit log of a cluster of our own can prove"
            )


def nothing(requests) -> None:
    """Asserts that no request was made, reads included."""
    assert not requests, "\n".join(describe(request) for request in requests)


def no_write(requests) -> None:
    """Asserts that nothing was written."""
    nothing([request for request in requests if request.is_write()])


def no_child_write(requests) -> None:
    """Asserts that no child was written; status and revisions may have been."""
    nothing(child_writes(requests))


def only_child_writes(*expected: str):
    """Returns an assertion that children were written once each: `deployments/shop`, ..."""

    def assertion(requests):
        written = Counter(f"{r.resource}/{r.name}" for r in child_writes(requests))
        assert written == Counter(expected)

    return assertion


def child_writes(requests) -> list:
    """Returns the writes of children: no status, no revision, no event."""
    return [
        request
        for request in requests
        if request.is_write() and request.resource not in _RECORDS and "/" not in request.resource
    ]


def no_refusal(requests) -> None:
    """Asserts that the API server refused nothing."""
    nothing([request for request in requests if request.code is not None and request.code >= 400])


def describe(request) -> str:
    """Returns one line about a request."""
    return f"{request.received:%H:%M:%S.%f} {request.verb} {request.uri} -> {request.code}"
