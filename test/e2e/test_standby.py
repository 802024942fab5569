# SPDX-License-Identifier: Apache-2.0
"""A standby whose watches lag behind does not go back when it takes over."""

import contextlib
import threading

from e2e import releases, session
from e2e.custom_resource import WIDGET, CustomResource
from e2e.test_operator import leading
from harness.fault_proxy import Fault, FaultProxy, Sent
from harness.kube import wait_until

TIMEOUT_SECONDS = 90.0
QUIET_SECONDS = 1.0


class Dam(Fault):
    """The watches of custom resources that exist say nothing more; later ones are not affected."""

    def __init__(self):
        self.later: list[Sent] = []
        self.ended = threading.Event()

    def before(self, request: Sent) -> None:
        self.later.append(request)

    def event(self, watch: Sent) -> None:
        if "/widgets" in watch.path and not any(watch is one for one in self.later):
            self.ended.wait()


def test_a_standby_that_lags_behind_does_not_go_back(own_cluster, namespace, tmp_path):
    session.widget_project(tmp_path, {})
    lease = f"e2e-{namespace}"
    election = (
        "--leader-elect",
        f"--leader-election-id={lease}",
        f"--leader-election-namespace={session.SYSTEM}",
    )
    options = {
        "cwd": tmp_path,
        "watches_file": tmp_path / "watches.yaml",
        "namespaces": (namespace,),
    }
    widget = CustomResource(own_cluster, WIDGET, namespace, "a")
    dam = Dam()
    with contextlib.ExitStack() as stack:
        stack.callback(dam.ended.set)
        accounts = [f"chartwright-e2e-standby-{who}" for who in ("first", "second")]
        direct, source = (
            stack.enter_context(session.admin_account(own_cluster, one)) for one in accounts
        )
        first = session.widget_operator(own_cluster, *election, kubeconfig=direct, **options)
        stack.enter_context(first)
        wait_until(lambda: leading(first), what="a leader")
        widget.create({"text": "1"})
        widget.wait_ready()
        proxy = stack.enter_context(FaultProxy(own_cluster.kube.connection.access))
        path = proxy.kubeconfig(source, own_cluster.kubectl.binary, tmp_path / "proxy.kubeconfig")
        second = session.widget_operator(own_cluster, *election, kubeconfig=path, **options)
        stack.enter_context(second)
        proxy.fault = dam
        widget.patch({"text": "2"})
        widget.wait(lambda obj: obj.get("status", {}).get("revision") == 2)
        widget.wait_ready()
        mark = own_cluster.audit.mark()
        first.kill()
        wait_until(lambda: leading(second), timeout_seconds=TIMEOUT_SECONDS, what="a new leader")
        proxy.wait_quiet(QUIET_SECONDS)
        sent = own_cluster.audit.requests(mark, user=session.user_of(accounts[1]))
        writes = [
            one for one in sent if one.is_write() and one.resource not in ("leases", "events")
        ]
        assert not writes, writes
        widget.patch({"text": "3"})
        widget.wait(lambda obj: obj.get("status", {}).get("revision") == 3)
        widget.wait_ready()
        check(widget)
        assert second.stop().code == 0
    own_cluster.kube.delete("coordination.k8s.io/v1/Lease", lease, session.SYSTEM)


def check(widget: CustomResource) -> None:
    """Asserts that the third revision is deployed, and that there was none twice."""
    assert sorted(releases.records(widget)) == [1, 2, 3]
    assert releases.deployed(widget) == [3]
    assert widget.child("v1/ConfigMap", f"{widget.name}-0")["data"]["text"] == "3"
