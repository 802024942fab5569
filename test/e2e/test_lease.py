# SPDX-License-Identifier: Apache-2.0
"""An operator that loses its lease writes nothing after that; the next leader finishes.

The scenarios take as long as a lease does, and therefore run at the same time.
"""

import concurrent.futures
import contextlib
import dataclasses
import datetime
import os
import signal
import threading

import pytest

from e2e import releases, session
from e2e.custom_resource import WIDGET, CustomResource
from e2e.test_operator import leading
from harness.fault_proxy import Cut, Fault, FaultProxy, Sent
from harness.kube import wait_until
from harness.operator import Operator

LEASE = "coordination.k8s.io/v1/Lease"
NAMES = ("a", "b", "c")
RENEW_DEADLINE = datetime.timedelta(seconds=10)
# From the operator's decision to the API server's clock, on a busy machine.
TRANSFER = datetime.timedelta(seconds=0.5)
TIMEOUT_SECONDS = 90.0
CHANGE_SECONDS = 0.2


class Refused(Fault):
    """No request for the lease arrives."""

    def before(self, request: Sent) -> None:
        if request.is_of_lease():
            raise Cut


class Silent(Fault):
    """Requests for the lease get no answer."""

    def __init__(self):
        self.ended = threading.Event()

    def before(self, request: Sent) -> None:
        if request.is_of_lease():
            self.ended.wait(TIMEOUT_SECONDS)
            raise Cut


@dataclasses.dataclass
class Scene:
    """Two operators of one namespace, of which `first` leads."""

    cluster: object
    namespace: str
    lease: str
    proxy: FaultProxy
    first: Operator
    second: Operator

    def refuse(self) -> None:
        """Lets no renewal through."""
        self.proxy.fault = Refused()
        self.first.wait_exit(timeout_seconds=TIMEOUT_SECONDS)

    def say_nothing(self) -> None:
        """Leaves renewals without an answer."""
        fault = self.proxy.fault = Silent()
        self.first.wait_exit(timeout_seconds=TIMEOUT_SECONDS)
        fault.ended.set()

    def suspend(self) -> None:
        """Stops the leader in the middle of its work until the other one has taken over."""
        os.kill(self.first.pid, signal.SIGSTOP)
        wait_until(
            lambda: leading(self.second), timeout_seconds=TIMEOUT_SECONDS, what="a new leader"
        )
        os.kill(self.first.pid, signal.SIGCONT)
        self.first.wait_exit(timeout_seconds=TIMEOUT_SECONDS)

    def steal(self) -> None:
        """Writes another holder into the lease."""
        taken = {"spec": {"holderIdentity": "thief", "leaseDurationSeconds": 1}}
        self.cluster.kube.patch(LEASE, self.lease, session.SYSTEM, taken)
        self.first.wait_exit(timeout_seconds=TIMEOUT_SECONDS)


LOSSES = {
    "no renewal arrives": Scene.refuse,
    "no renewal is answered": Scene.say_nothing,
    "suspended for longer than the lease": Scene.suspend,
    "stolen": Scene.steal,
}


@dataclasses.dataclass(frozen=True)
class Played:
    """The outcome of a scene: its namespace, custom resources and their last texts."""

    namespace: str
    widgets: list[CustomResource]
    texts: dict[str, str]


def account(index: int, who: str) -> str:
    """Returns the name of the account of an operator, which identifies it in the audit log."""
    return f"chartwright-e2e-lease-{index}-{who}"


def play(cluster, folder, kubeconfigs: dict, index: int) -> Played:
    """Plays a scenario: a leader that always has work to do loses its lease."""
    namespace = cluster.create_namespace("e2e")
    lease = f"e2e-{namespace}"
    election = (
        "--leader-elect",
        f"--leader-election-id={lease}",
        f"--leader-election-namespace={session.SYSTEM}",
    )
    options = {"cwd": folder, "watches_file": folder / "watches.yaml", "namespaces": (namespace,)}
    widgets = [CustomResource(cluster, WIDGET, namespace, name) for name in NAMES]
    with contextlib.ExitStack() as stack:
        proxy = stack.enter_context(FaultProxy(cluster.kube.connection.access))
        source = kubeconfigs[account(index, "first")]
        path = proxy.kubeconfig(source, cluster.kubectl.binary, folder / f"{namespace}.kubeconfig")
        first = session.widget_operator(cluster, *election, kubeconfig=path, **options)
        stack.enter_context(first)
        wait_until(lambda: leading(first), what="a leader")
        direct = kubeconfigs[account(index, "second")]
        second = session.widget_operator(cluster, *election, kubeconfig=direct, **options)
        stack.enter_context(second)
        for widget in widgets:
            widget.create({"text": "0"})
        ended = threading.Event()
        texts: dict[str, str] = {}
        changing = threading.Thread(target=keep_changing, args=(widgets, texts, ended))
        changing.start()
        try:
            for widget in widgets:
                widget.wait(lambda obj: obj.get("status", {}).get("revision", 0) > 1)
            list(LOSSES.values())[index](Scene(cluster, namespace, lease, proxy, first, second))
            wait_until(
                lambda: leading(second), timeout_seconds=TIMEOUT_SECONDS, what="a new leader"
            )
        finally:
            ended.set()
            changing.join()
        for widget in widgets:
            widget.wait_ready(timeout_seconds=TIMEOUT_SECONDS)
        assert second.stop().code == 0
    return Played(namespace, widgets, texts)


def keep_changing(widgets: list[CustomResource], texts: dict, ended: threading.Event) -> None:
    """Gives the leader work until `ended`; `texts` are the last ones."""
    number = 0
    while not ended.wait(CHANGE_SECONDS):
        number += 1
        for widget in widgets:
            texts[widget.name] = f"{number}"
            widget.patch({"text": texts[widget.name]})


@pytest.fixture(name="scenes", scope="module")
def all_scenes(cluster, tmp_path_factory):
    """The scenarios by name, as futures; and the position in the audit log before them."""
    if cluster.external:
        pytest.skip("reads the audit log of a cluster of our own")
    folder = tmp_path_factory.mktemp("lease")
    session.widget_project(folder, {"templates/login.yaml": releases.LOGIN})
    with contextlib.ExitStack() as stack:
        kubeconfigs = {}
        for index in range(len(LOSSES)):
            for who in ("first", "second"):
                name = account(index, who)
                kubeconfigs[name] = stack.enter_context(session.admin_account(cluster, name))
        mark = cluster.audit.mark()
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(len(LOSSES)))
        futures = {
            name: pool.submit(play, cluster, folder, kubeconfigs, index)
            for index, name in enumerate(LOSSES)
        }
        yield mark, futures
        for future in futures.values():
            if not future.exception():
                clear(cluster, future.result())


def clear(cluster, played: Played) -> None:
    """Removes what a scenario has left."""
    for widget in played.widgets:
        widget.delete()
    cluster.kube.delete("v1/Namespace", played.namespace)
    cluster.kube.delete(LEASE, f"e2e-{played.namespace}", session.SYSTEM)


@pytest.mark.parametrize("loss", LOSSES)
def test_nothing_is_written_after_the_lease_is_lost(own_cluster, scenes, loss):
    mark, futures = scenes
    played = futures[loss].result(timeout=2 * TIMEOUT_SECONDS)
    index = list(LOSSES).index(loss)
    old, new = (session.user_of(account(index, who)) for who in ("first", "second"))
    sent = own_cluster.audit.requests(mark, user=old)
    renewed = [
        one.received
        for one in sent
        if one.resource == "leases" and one.is_write() and one.code in (200, 201)
    ]
    writes = [one for one in sent if one.is_write() and one.resource != "leases"]
    theirs = own_cluster.audit.requests(mark, user=new)
    first_of_new = next(one for one in theirs if one.is_write() and one.resource != "leases")
    print(
        f"renewed {renewed[-1]:%X.%f}, last write {writes[-1].received:%X.%f}, new"
        f" {first_of_new.received:%X.%f}"
    )
    known = renewed[-1] + RENEW_DEADLINE
    if loss == "stolen":
        # It learns so when it tries to renew, and reads the lease.
        known = max(one.received for one in sent if one.resource == "leases")
    late = [one for one in writes if one.received > known + TRANSFER]
    assert not late, late
    assert writes[-1].received < first_of_new.received
    for widget in played.widgets:
        check(widget, played.texts[widget.name])


def check(widget: CustomResource, text: str) -> None:
    """Asserts that the last spec is deployed, once and whole."""
    status = widget.status()
    numbers = sorted(releases.records(widget))
    assert releases.deployed(widget) == [status["revision"]] == numbers[-1:]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert widget.child("v1/ConfigMap", f"{widget.name}-0")["data"]["text"] == text
    assert len(releases.passwords(widget, status["revision"])) == 1


def test_the_scenarios_have_work_when_the_lease_is_lost(own_cluster, scenes):
    mark, futures = scenes
    for index, loss in enumerate(LOSSES):
        futures[loss].result(timeout=2 * TIMEOUT_SECONDS)
        old = session.user_of(account(index, "first"))
        sent = [one for one in own_cluster.audit.requests(mark, user=old) if one.is_write()]
        assert len(sent) > 20, loss
