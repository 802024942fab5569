# SPDX-License-Identifier: Apache-2.0
"""One cluster and one operator for the whole session; a namespace of its own for each test.

The operator runs under the service account and the Role that the project ships, watches all
namespaces, and has no resync: everything that it does is the reaction to an event.
"""

import dataclasses

import pytest

from e2e import custom_resource, session
from e2e.custom_resource import CustomResource
from e2e.session import WIDGET_FILES, ensure_running, user_of
from e2e.traffic import Traffic
from harness.cluster import Cluster


@pytest.fixture(scope="session")
def cluster():
    """A cluster with the shipped CRDs and rights, and the kinds of the tests, but no operator."""
    with Cluster.acquire() as running:
        refuse_second_operator(running)
        session.install(running)
        yield running
        if running.external:
            running.kubectl("delete", "--wait=false", "-f", str(WIDGET_FILES / "cluster.yaml"))


def refuse_second_operator(cluster: Cluster) -> None:
    """Ends the session if a deployed operator would interfere with the one under test."""
    deployed = cluster.kubectl.run(
        "-n", session.SYSTEM, "get", "deployment", "chartwright", "-o", "jsonpath={.spec.replicas}"
    )
    if deployed.stdout not in ("", "0"):
        pytest.exit(f"an operator runs here: scale {session.SYSTEM}/chartwright to 0 first", 4)


@pytest.fixture(scope="session")
def shared_operators():
    """The operators that several tests share, by the fixture that makes them."""
    return {}


@pytest.fixture(autouse=True)
def only_named_operators(shared_operators, request):
    """Stops the shared operators that the test does not ask for: it may run one of its own."""
    for fixture, operator in shared_operators.items():
        if fixture not in request.fixturenames and operator.running():
            operator.stop()


@pytest.fixture(scope="session")
def operator_process(cluster, shared_operators):
    """The operator, which may be stopped; tests use `operator`."""
    process = shared_operators["operator_process"] = session.shipped_operator(cluster)
    yield process
    process.close()


@pytest.fixture
def operator(operator_process):
    """The operator, running and ready."""
    return ensure_running(operator_process)


@pytest.fixture
def namespace(cluster):
    """A new namespace; its custom resources are removed before the next test begins."""
    name = cluster.create_namespace("e2e")
    yield name
    kinds = (*custom_resource.SHIPPED, custom_resource.WIDGET)
    left = [
        (kind, obj["metadata"]["name"]) for kind in kinds for obj in cluster.kube.list(kind, name)
    ]
    for kind, obj in left:
        cluster.kube.delete(kind, obj, name)
    for kind, obj in left:
        cluster.kube.wait_gone(kind, obj, name)
    cluster.abandon_namespace(name)


@pytest.fixture
def traffic(cluster, operator, namespace):
    """The operator's requests in the test's namespace."""
    watched = Traffic(cluster.audit, user_of(session.OPERATOR), namespace)
    yield watched
    watched.report()


@dataclasses.dataclass
class Declared:
    """Makes custom resources in the test's namespace."""

    cluster: Cluster
    namespace: str

    def __call__(self, kind: str, name: str) -> CustomResource:
        return CustomResource(self.cluster, kind, self.namespace, name)


@pytest.fixture
def declare(cluster, namespace):
    """`declare(KIND, NAME)` returns that custom resource in the test's namespace."""
    return Declared(cluster, namespace)


@pytest.fixture
def own_cluster(cluster):
    """The cluster, if it is one of ours; for tests that are not possible on an external one."""
    if cluster.external:
        pytest.skip("plays a storage driver or reads the audit log of a cluster of our own")
    return cluster


@pytest.fixture
def helm(cluster, namespace):
    """`helm(ARGUMENTS…)` runs the real Helm in the test's namespace; returns its output."""
    return session.helm_in(cluster, namespace)


@pytest.fixture(scope="session")
def widget_process(cluster, shared_operators):
    """A second operator with a test chart and its own account; tests use `widgets`."""
    process = shared_operators["widget_process"] = session.widget_operator(cluster)
    yield process
    process.close()


@pytest.fixture
def widgets(widget_process):
    """The operator of the test chart, running and ready."""
    return ensure_running(widget_process)


@pytest.fixture
def widget_traffic(cluster, widgets, namespace):
    """The requests of the test chart's operator in the test's namespace."""
    watched = Traffic(cluster.audit, user_of(session.WIDGETS), namespace)
    yield watched
    watched.report()
