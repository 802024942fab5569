# SPDX-License-Identifier: Apache-2.0
"""`chartwright run --views-service`: one process that reconciles and serves views."""

import contextlib
import select
import threading

import pytest

from e2e import farm as farms
from e2e import session
from e2e.custom_resource import PODSET, CustomResource
from e2e.farm import API, FARM, ROOT, SERVICE
from e2e.test_farm import connect
from harness.cluster import Cluster
from harness.fault_proxy import Fault, FaultProxy, Sent
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions
from harness.views import ViewOptions, ViewServer

BINDINGS = (
    ("ClusterRoleBinding", "farm-operator", None),
    ("RoleBinding", "farm-operator-views", "default"),
    ("RoleBinding", "farm-operator-views", "kube-system"),
)


@pytest.fixture(name="plane", scope="module")
def fixture_plane():
    """A control plane of our own, where the operator's account has the farm's rights, too."""
    subject = {"kind": "ServiceAccount", "name": session.OPERATOR, "namespace": session.SYSTEM}
    with Cluster.start() as cluster:
        session.install(cluster)
        farms.install(cluster)
        for kind, name, namespace in BINDINGS:
            cluster.kube.patch(kind, name, namespace, {"subjects": [subject]})
        yield cluster


@pytest.fixture(name="namespace")
def fixture_namespace(plane):
    """A new namespace."""
    return plane.create_namespace("beside")


@pytest.fixture(name="launch")
def fixture_launch(plane, namespace, tmp_path):
    """`launch(ARGUMENTS)` returns an operator under its account, not started."""
    direct = plane.service_account_kubeconfig(session.SYSTEM, session.OPERATOR)
    made = []

    def launch(*arguments: str, kubeconfig=None) -> Operator:
        operator = Operator(
            OperatorOptions(
                kubeconfig or direct,
                namespaces=(namespace,),
                arguments=("--reconcile-period=0", *arguments),
                log_path=tmp_path / "operator.log",
            )
        )
        made.append(operator)
        return operator

    yield launch
    for operator in made:
        operator.close()


def serving(plane, folder) -> ViewServer:
    """Returns the address and the arguments for views; `chartwright serve` is not started."""
    return ViewServer(plane.kube, ViewOptions(plane.kubeconfig, folder, SERVICE))


def farmpods(plane, namespace: str) -> dict[str, str]:
    """Returns what `kubectl get farmpods` shows: name -> containers."""
    table = plane.kubectl("get", "farmpods", "-n", namespace)
    head, *rows = [line.split() for line in table.splitlines()] or [[]]
    assert not rows or head == ["NAME", "CONTAINERS", "AGE"], table
    return {row[0]: row[1] for row in rows}


def wait_pods(plane, namespace: str, count: int, name: str = "herd") -> list[str]:
    """Waits until a herd has that many pods; returns their names."""

    def names() -> list[str]:
        pods = plane.kube.list("v1/Pod", namespace, labels=f"app={name}")
        return [pod["metadata"]["name"] for pod in pods]

    wait_until(lambda: len(names()) == count, what=f"{count} pods")
    return names()


def test_views_are_served_while_custom_resources_are_reconciled(plane, launch, namespace):
    with serving(plane, FARM / "views") as views:
        views.create_service()
        operator = launch(*views.run_arguments()).start()
        views.wait_available(API)
        assert "dolly" in plane.kubectl("get", "llamas", "-n", "default")
        assert farmpods(plane, namespace) == {}

        herd = CustomResource(plane, PODSET, namespace, "herd").create({"replicas": 2})
        herd.wait_ready()
        names = wait_pods(plane, namespace, 2)
        assert farmpods(plane, namespace) == {f"farm-{name}": "1" for name in names}
        herd.patch({"replicas": 1})
        (name,) = wait_pods(plane, namespace, 1)
        assert farmpods(plane, namespace) == {f"farm-{name}": "1"}

        # Without the Service nothing leads to the views; the operator goes on.
        plane.kube.delete("v1/Service", "farm-operator", "default")
        plane.kube.wait_gone("APIService", API)
        herd.patch({"replicas": 3})
        wait_pods(plane, namespace, 3)
        assert operator.stop().code == 0


ADMIN = {"X-Remote-User": "admin", "X-Remote-Group": "system:masters"}
# Of a server of views: the requests that it answers at a time, and those that wait (docs/views.md).
ANSWERED_MAX = 4
WAITING_MAX = 64


class Held(Fault):
    """Keeps lists of pods in one namespace from ever arriving."""

    def __init__(self, namespace: str):
        self._path = f"/api/v1/namespaces/{namespace}/pods"
        self._arrived = threading.Semaphore(0)
        self.ended = threading.Event()

    def before(self, request: Sent) -> None:
        if request.path == self._path and "watch=" not in request.query:
            self._arrived.release()
            self.ended.wait()

    def wait_arrived(self, count: int) -> None:
        """Blocks until so many are held."""
        for _ in range(count):
            assert self._arrived.acquire(timeout=30), "a request did not arrive"


class Crowd:
    """Clients of a view who all ask for the same list, and wait."""

    def __init__(self, plane, port: int, namespace: str, stack: contextlib.ExitStack):
        self._ask = (plane, port, f"{ROOT}/namespaces/{namespace}/farmpods")
        self._stack = stack
        self._waiting = []

    def send(self, count: int) -> None:
        """Sends requests, each on a connection of its own."""
        plane, port, path = self._ask
        for _ in range(count):
            connection = connect(plane, port, "front-proxy-client")
            self._stack.callback(connection.close)
            connection.request("GET", path, headers=ADMIN)
            self._waiting.append(connection)

    def replies(self) -> list[int]:
        """Returns the statuses of the answers that are there, and forgets these clients."""
        sockets = [connection.sock for connection in self._waiting]
        readable, _, _ = select.select(sockets, [], [], 0)
        answered = [one for one in self._waiting if one.sock in readable]
        self._waiting = [one for one in self._waiting if one not in answered]
        return [one.getresponse().status for one in answered]

    def wait_refused(self) -> None:
        """Sends one request more than there is room for, and waits until one is refused."""
        self.send(1)
        wait_until(lambda: 429 in self.replies(), what="a refusal")


def test_a_reconcile_ends_while_views_answer_nobody(plane, launch, namespace, tmp_path):
    """Not a matter of time: everything that answers for views is blocked all the while."""
    account = plane.service_account_kubeconfig(session.SYSTEM, session.OPERATOR)
    held = Held("crowded")
    with contextlib.ExitStack() as stack:
        views = stack.enter_context(serving(plane, FARM / "views"))
        proxy = stack.enter_context(FaultProxy(plane.kube.connection.access))
        stack.callback(held.ended.set)
        path = proxy.kubeconfig(account, plane.kubectl.binary, tmp_path / "proxy.kubeconfig")
        views.create_service()
        launch(*views.run_arguments(), kubeconfig=path).start()
        views.wait_available(API)
        proxy.fault = held
        crowd = Crowd(plane, views.port, "crowded", stack)
        crowd.send(ANSWERED_MAX)
        held.wait_arrived(ANSWERED_MAX)
        crowd.send(WAITING_MAX)
        for _ in range(10):
            crowd.wait_refused()

        herd = CustomResource(plane, PODSET, namespace, "hurried").create({"replicas": 2})
        herd.wait_ready()
        herd.patch({"replicas": 3})
        wait_pods(plane, namespace, 3, name="hurried")
        herd.delete()
        herd.wait_gone()

        # Of the crowd, nobody has got an answer that is not a refusal, and there is still no room.
        assert set(crowd.replies()) <= {429}
        crowd.wait_refused()
        held.ended.set()
        wait_until(lambda: 200 in crowd.replies(), what="an answer to the crowd")
        plane.kube.delete("v1/Service", "farm-operator", "default")
        plane.kube.wait_gone("APIService", API)


def test_a_view_that_cannot_be_read_ends_the_process(plane, launch, tmp_path):
    folder = tmp_path / "views"
    folder.mkdir()
    view = folder / "farmpods.yaml"
    text = (FARM / "views" / "farmpods.yaml").read_text(encoding="utf-8")
    view.write_text(text.replace("verbs:", "verb:"), encoding="utf-8")
    with serving(plane, folder) as views:
        operator = launch(*views.run_arguments())
        operator.launch()
        assert operator.wait_exit().code == 1
    told = operator.log_path.read_text(encoding="utf-8")
    assert f"{view}:6:1: " in told, told[-3000:]
    assert 'unknown key "verb", did you mean "verbs"?' in told.replace('\\"', '"')
    assert plane.kube.find("APIService", API) is None


def test_without_a_service_a_warning_says_that_views_are_not_served(plane, launch, namespace):
    operator = launch(f"--views={FARM / 'views'}").start()
    warning = operator.wait_log(
        lambda line: "Views are not served" in line["msg"], what="the warning"
    )
    assert "--views-service is not set" in warning["msg"]
    assert warning["folder"] == str(FARM / "views")
    lone = CustomResource(plane, PODSET, namespace, "lone").create({"replicas": 1})
    lone.wait_ready()
    assert plane.kube.find("APIService", API) is None
