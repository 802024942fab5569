# SPDX-License-Identifier: Apache-2.0
"""The individual measurements: cost of the operator, and cost of the bare API."""

import dataclasses
import pathlib
import time

from bench import recording
from bench.sender import Report, Request, Sender
from harness import audit
from harness.cluster import Cluster
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions

AGENT = "chartwright/"
ACCOUNT = ("chartwright-system", "chartwright")
PLURAL = "bookstores.blog.velotio.com"
_API = "apis/blog.velotio.com/v1alpha1"
_SETTLE_TIMEOUT_SECONDS = 600.0
# The operator has finished once it has not written for this long.
_QUIET_SECONDS = 1.5
_POLL_SECONDS = 0.5
_RESYNCS = 3


@dataclasses.dataclass(frozen=True)
class Install:
    """The cost of installing all custom resources."""

    seconds: float
    requests_each: float
    writes_each: float
    # Those of the writes that are of statuses.
    status_writes_each: float
    cpu_ms_each: float
    resident_megabytes: float
    # The part that is private memory, not pages of shared libraries.
    private_megabytes: float
    # Until then: an operator at rest has released the pages of code that the burst needed.
    peak_megabytes: float


class Bench:
    """One cluster with the operator's CRDs and rights; `count` custom resources per round, named
    after `prefix`.
    """

    def __init__(self, cluster: Cluster, count: int, prefix: str = "store"):
        self.cluster = cluster
        self.count = count
        self.prefix = prefix
        self.sender = Sender(cluster)

    def operator(self, namespace: str, *arguments: str) -> Operator:
        """Returns an operator for one namespace, not yet started."""
        kubeconfig = self.cluster.service_account_kubeconfig(*ACCOUNT)
        return Operator(
            OperatorOptions(kubeconfig=kubeconfig, namespaces=(namespace,), arguments=arguments)
        )

    def record(self) -> tuple[list[Request], str]:
        """Lets the operator install one BookStore; returns its writes and the BookStore's uid."""
        self._create_namespace(recording.NAMESPACE)
        with self.operator(recording.NAMESPACE):
            mark = self.cluster.audit.mark()
            self.sender.send([[_creation(recording.NAMESPACE, recording.NAME)]])
            self._settle(mark, recording.NAMESPACE, 1)
            writes = recording.read(self.cluster.state.audit_log, AGENT)
        store = self.cluster.kube.get(PLURAL, recording.NAME, recording.NAMESPACE)
        return writes, store["metadata"]["uid"]

    def install(self, operator: Operator, namespace: str) -> Install:
        """Creates all custom resources at once while the operator is running."""
        cpu = operator.cpu_seconds()
        mark = self.cluster.audit.mark()
        self.sender.send([[_creation(namespace, name)] for name in self.names()])
        requests = self._settle(mark, namespace, self.count)
        creations = self.cluster.audit.requests(
            mark, verb="create", resource="bookstores", namespace=namespace
        )
        last = max(request.received for request in requests if request.is_write())
        return Install(
            seconds=(last - creations[0].received).total_seconds(),
            requests_each=len(requests) / self.count,
            writes_each=sum(request.is_write() for request in requests) / self.count,
            status_writes_each=sum(
                request.is_write() and request.resource.endswith("/status") for request in requests
            )
            / self.count,
            cpu_ms_each=(operator.cpu_seconds() - cpu) * 1000 / self.count,
            resident_megabytes=operator.resident_bytes() / 1e6,
            private_megabytes=anonymous_bytes(operator.pid) / 1e6,
            peak_megabytes=operator.peak_resident_bytes() / 1e6,
        )

    def floor(self, recorded: list[Request], old_uid: str, namespace: str) -> Report:
        """Replays the writes for `count` custom resources."""
        self._create_namespace(namespace)
        self.sender.send([[_creation(namespace, name)] for name in self.names()])
        stores = self.cluster.kube.list(PLURAL, namespace)
        chains = [recording.replay(recorded, namespace, store, old_uid) for store in stores]
        return self.sender.send(chains)

    def upgrade(self, namespace: str) -> float:
        """Changes one tag in each custom resource; returns the operator's requests per resource."""
        mark = self.cluster.audit.mark()
        body = {"spec": {"bookApp": {"tag": "2.0"}}}
        self.sender.send(
            [
                [Request("PATCH", _path(namespace, name), "application/merge-patch+json", body)]
                for name in self.names()
            ]
        )
        return len(self._settle(mark, namespace, self.count)) / self.count

    def repairs(self, namespace: str, times: int) -> list[float]:
        """Deletes Services one by one; returns seconds from each request to the new Service."""
        return [self._repair(namespace, name) for name in self.names()[:times]]

    def rest(self, namespace: str) -> float:
        """Resyncs the settled custom resources of a namespace; returns requests per custom resource
        and resync.
        """
        count = len(self.cluster.kube.list(PLURAL, namespace))
        with self.operator(namespace, "--reconcile-period=1s") as operator:
            # The first pass after a start does not count as idle. They take turns, so that each has
            # had its first when there were two for each.
            self._await_passes(operator, 2 * count)
            mark = self.cluster.audit.mark()
            self._await_passes(operator, _RESYNCS * count)
            requests = self._requests(mark)
        return len(requests) / (_RESYNCS * count)

    def count_requests(self, mark: audit.Mark) -> int:
        """Returns how many requests the operator has sent since `mark`."""
        return len(self._requests(mark))

    def prepare(self, namespace: str) -> None:
        """Creates the namespace of a round."""
        self._create_namespace(namespace)

    def names(self) -> list[str]:
        """Returns the names of the custom resources of a round."""
        return [f"{self.prefix}-{number:03}" for number in range(self.count)]

    def _create_namespace(self, name: str) -> None:
        self.cluster.kube.create(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        )

    def _requests(self, mark: audit.Mark) -> list[audit.Request]:
        """Returns the operator's requests except watches, which do not answer any event; the Events
        that it writes, which are news for people and wait for nobody; the questions about its
        rights, which it asks once, when it starts; and its searches for the cause for which
        children are not ready: here nothing makes pods, so that none ever is.
        """
        found = self.cluster.audit.requests(mark, user_agent=AGENT)
        return [r for r in found if r.verb != "watch" and not _is_uncounted(r)]

    def _settle(self, mark: audit.Mark, namespace: str, count: int) -> list:
        """Waits until `count` revisions are recorded and writes stop; returns the requests."""
        deadline = time.monotonic() + _SETTLE_TIMEOUT_SECONDS
        quiet_since, seen = time.monotonic(), -1
        while time.monotonic() < deadline:
            requests = self._requests(mark)
            if len(requests) != seen:
                quiet_since, seen = time.monotonic(), len(requests)
            revisions = sum(
                r.verb == "create" and r.resource == "secrets" and r.namespace == namespace
                for r in requests
            )
            if revisions >= count and time.monotonic() - quiet_since >= _QUIET_SECONDS:
                return requests
            time.sleep(_POLL_SECONDS)
        raise TimeoutError(f"{namespace}: {count} releases are not there after {deadline:.0f} s")

    def _await_passes(self, operator: Operator, count: int) -> None:
        wanted = _passes(operator) + count
        wait_until(
            lambda: _passes(operator) >= wanted,
            timeout_seconds=_SETTLE_TIMEOUT_SECONDS,
            what=f"{count} more reconciles",
        )

    def _repair(self, namespace: str, name: str) -> float:
        service = self.cluster.kube.get("v1/Service", name, namespace)
        started = time.monotonic()
        self.cluster.kube.delete("v1/Service", name, namespace)
        events = self.cluster.kube.watch(
            "v1/Service",
            namespace,
            fields=f"metadata.name={name}",
            resource_version=service["metadata"]["resourceVersion"],
        )
        for event, _ in events:
            if event == "ADDED":
                return time.monotonic() - started
        raise TimeoutError(f"Service {namespace}/{name} did not come back")


def _is_uncounted(request: audit.Request) -> bool:
    searched = request.verb == "get" and request.resource in ("deployments", "statefulsets")
    listed = request.verb == "list" and "limit=50" in request.uri
    uncounted = ("events", "selfsubjectaccessreviews")
    return searched or listed or request.resource in uncounted


def anonymous_bytes(pid: int) -> int:
    """Returns the memory of a process that is its own, not of files."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"/proc/{pid}/status has no RssAnon")


def _passes(operator: Operator) -> float:
    prefix = 'controller_runtime_reconcile_total{controller="bookstore-controller"'
    return sum(value for name, value in operator.metrics().items() if name.startswith(prefix))


def _path(namespace: str, name: str | None = None) -> str:
    path = f"/{_API}/namespaces/{namespace}/bookstores"
    return path if name is None else f"{path}/{name}"


def _creation(namespace: str, name: str) -> Request:
    body = {
        "apiVersion": "blog.velotio.com/v1alpha1",
        "kind": "BookStore",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"bookApp": {"tag": "1.0"}, "bookDB": {"dbSize": "2Gi"}},
    }
    return Request("POST", _path(namespace), "application/json", body)
