# SPDX-License-Identifier: Apache-2.0
"""The operator as a process: idling, restart, shutdown, probes, metrics, logs, rights."""

import re

import pytest

from e2e import meters, session
from e2e import traffic as expect
from e2e.custom_resource import (
    BOOKSTORE,
    CLAIM,
    CONFIGMAP,
    DEMOVOLUME,
    DEPLOYMENT,
    GADGET,
    POD,
    PODSET,
    SERVICE,
    STATEFULSET,
    WIDGET,
    capacity,
)
from e2e.session import OPERATOR, SYSTEM, WIDGET_FILES, ensure_running, user_of
from harness.kube import wait_until

STOP_SECONDS_MAX = 10.0


@pytest.fixture
def three(declare, operator):
    """One settled custom resource of each shipped kind."""
    made = {
        BOOKSTORE: declare(BOOKSTORE, "shop").create(),
        DEMOVOLUME: declare(DEMOVOLUME, "volume").create({"name": "demo", "size": 1}),
        PODSET: declare(PODSET, "set").create({"replicas": 2}),
    }
    for one in made.values():
        one.wait_ready()
    for claim in ("volume", "mongodb-pvc-shop-mongodb-0"):
        made[BOOKSTORE].wait_child(CLAIM, claim, capacity)
    meters.wait_at_rest(operator)
    return made


def versions(cluster, namespace: str) -> dict[str, str]:
    """Returns the resourceVersions of everything that three() may be made of."""
    kinds = (BOOKSTORE, DEMOVOLUME, PODSET, CLAIM, CONFIGMAP, DEPLOYMENT, POD, SERVICE, STATEFULSET)
    objects = (
        (kind, obj["metadata"]) for kind in kinds for obj in cluster.kube.list(kind, namespace)
    )
    return {f"{kind} {one['name']}": one["resourceVersion"] for kind, one in objects}


def test_an_idle_operator_sends_no_request_and_reconciles_nothing(
    three, operator, traffic, cluster, namespace
):
    assert len(three) == 3
    traffic.check_idle(operator, lambda: versions(cluster, namespace))


def test_a_resync_in_sync_sends_no_request(widgets, declare, widget_traffic):
    widget = declare(WIDGET, "one")
    widget.create(annotations={"helm.sdk.operatorframework.io/reconcile-period": "200ms"})
    widget.wait_ready()
    # The Event of the install is written on a thread of its own.
    wait_until(
        lambda: meters.total(widgets, meters.EVENTS_WAITING) == 0, what="the Event of the install"
    )
    mark = widget_traffic.mark()
    before = meters.total(widgets, meters.RECONCILES)
    wait_until(lambda: meters.total(widgets, meters.RECONCILES) >= before + 5, what="five resyncs")
    widget_traffic.check(mark, expect.nothing)


def test_a_restart_with_everything_in_sync_writes_nothing(three, operator, traffic):
    mark = traffic.mark()
    ended = operator.restart()
    assert ended.code == 0
    meters.wait_at_rest(operator)
    assert meters.total(operator, meters.RECONCILES) >= len(three)
    traffic.check(mark, expect.no_write)


def test_a_restart_sends_no_request_for_a_child_secret(widgets, declare, widget_traffic):
    widget = declare(WIDGET, "secretive")
    widget.create({"password": "tops3cret"})
    widget.wait_ready()
    meters.wait_at_rest(widgets)
    resources = widget.get()["status"]["resources"]
    (secret,) = (one for one in resources if one["kind"] == "Secret")
    assert secret["desired"].startswith("hmac-sha256:")
    assert secret["observed"].startswith("hmac-sha256:")

    mark = widget_traffic.mark()
    assert widgets.restart().code == 0
    meters.wait_at_rest(widgets)
    assert meters.total(widgets, meters.RECONCILES) >= 1
    # The lists of all namespaces at the start have none.
    widget_traffic.check(
        mark, lambda requests: expect.nothing([one for one in requests if one.namespace])
    )


def test_changes_while_stopped_are_seen_at_start(three, operator):
    assert operator.stop().code == 0
    shop, podset = three[BOOKSTORE], three[PODSET]
    shop.kube.delete(DEPLOYMENT, "shop", shop.namespace)
    shop.kube.wait_gone(DEPLOYMENT, "shop", shop.namespace)
    podset.patch({"replicas": 1})
    gone = three[DEMOVOLUME]
    gone.delete()
    ensure_running(operator)
    gone.wait_gone()
    gone.kube.wait_gone(CLAIM, gone.name, gone.namespace)
    shop.wait_child(DEPLOYMENT, "shop")
    shop.wait_ready()
    podset.wait_ready()
    assert len(podset.kube.list("v1/Pod", podset.namespace, labels="app=set")) == 1


def test_sigterm_drains_and_exits_in_time(widgets, declare, widget_traffic):
    mark = widget_traffic.mark()
    made = [declare(WIDGET, f"w{number}").create({"count": 5}) for number in range(20)]
    made[0].wait_child(CONFIGMAP, "w0-0")
    ended = widgets.stop(timeout_seconds=STOP_SECONDS_MAX)
    print(f"ended after {ended.seconds:.2f} s")
    assert ended.code == 0
    ensure_running(widgets)
    for one in made:
        one.wait_ready()
        assert one.status()["revision"] == 1
    # Work under way was finished, and nothing was done twice.
    expected = [f"configmaps/w{i}-{j}" for i in range(20) for j in range(5)]
    widget_traffic.check(mark, expect.only_child_writes(*expected))


def test_probes_answer(operator):
    assert operator.http_status("/healthz") == 200
    assert operator.http_status("/readyz") == 200
    assert operator.http_status("/nonsense") == 404


METRICS = (
    "helm_operator_build_info",
    "resource_created_at_seconds",
    "controller_runtime_reconcile_total",
    "controller_runtime_reconcile_errors_total",
    "controller_runtime_terminal_reconcile_errors_total",
    "controller_runtime_reconcile_panics_total",
    "controller_runtime_reconcile_time_seconds_bucket",
    "controller_runtime_max_concurrent_reconciles",
    "controller_runtime_active_workers",
    "workqueue_depth",
    "workqueue_adds_total",
    "workqueue_queue_duration_seconds_bucket",
    "workqueue_work_duration_seconds_bucket",
    "workqueue_unfinished_work_seconds",
    "workqueue_longest_running_processor_seconds",
    "workqueue_retries_total",
    "rest_client_requests_total",
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
)


def test_metrics_have_helm_operator_s_names(three, operator):
    samples = operator.metrics()
    names = {sample.partition("{")[0] for sample in samples}
    assert names.issuperset(METRICS), set(METRICS) - names
    for kind in ("bookstore", "demovolume", "podset"):
        controller = f"{kind}-controller"
        assert meters.total_of(samples, meters.RECONCILES, controller=controller) >= 1
        assert meters.total_of(samples, "workqueue_adds_total", name=controller) >= 1
    shop = three[BOOKSTORE]
    created = meters.total_of(
        samples,
        "resource_created_at_seconds",
        name="shop",
        namespace=shop.namespace,
        group="blog.velotio.com",
        version="v1alpha1",
        kind="BookStore",
    )
    assert created > 1.6e9
    assert meters.total_of(samples, "helm_operator_build_info") == 1


def test_log_lines_are_json_with_helm_operator_s_messages(three, operator):
    shop = three[BOOKSTORE]
    shop.patch({"bookApp": {"tag": "v2"}})
    shop.wait_revision(2)
    shop.touch()
    meters.wait_at_rest(operator)
    lines = [line for line in operator.logs() if line.get("namespace") == shop.namespace]
    for message in ("Installed release", "Upgraded release"):
        line = next(line for line in lines if line["msg"] == message and line["name"] == "shop")
        assert line["level"] in ("info", "debug")
        assert line["kind"] == "BookStore"
        assert line["apiVersion"] == "blog.velotio.com/v1alpha1"
        assert line["release"] == "shop"
        assert "ts" in line and "logger" in line


def test_all_requests_carry_the_user_agent(three, operator, cluster, own_cluster):
    first = own_cluster.audit.mark()
    three[PODSET].patch({"replicas": 3})
    three[PODSET].wait_ready()
    sent = own_cluster.audit.requests(first, user=user_of(OPERATOR))
    assert sent
    for request in sent:
        assert re.match(r"chartwright/\d+\.\d+\.\d+", request.user_agent), request.user_agent


def test_the_shipped_role_suffices_for_all(three, operator, traffic):
    """For each kind, the API server refuses no request, from the first to the last."""
    mark = traffic.mark()
    shop, volume, podset = three[BOOKSTORE], three[DEMOVOLUME], three[PODSET]
    shop.patch({"bookApp": {"serviceType": "NodePort"}, "bookDB": {"dbSize": "3Gi"}})
    volume.patch({"size": 2, "name": "other"})
    podset.patch({"replicas": 1})
    for one in three.values():
        one.wait_ready()
    shop.annotate(rollback_to="previous")
    shop.wait_revision(3)
    for one in three.values():
        one.delete()
        one.wait_gone()
    shop.kube.wait_gone(DEPLOYMENT, "shop", shop.namespace)
    meters.wait_at_rest(operator)
    traffic.check(mark, lambda requests: expect.nothing([r for r in requests if r.code == 403]))


def test_only_watched_namespaces_are_reconciled(cluster, declare, namespace):
    other = cluster.create_namespace("e2e-other")
    limited = session.widget_operator(cluster, namespaces=(namespace,))
    inside = declare(WIDGET, "one").create()
    outside = type(inside)(cluster, WIDGET, other, "one").create()
    with limited:
        inside.wait_ready()
        meters.wait_at_rest(limited)
        assert "status" not in outside.get()
        assert not cluster.kube.find(CONFIGMAP, "one-0", other)
    outside.delete()
    cluster.abandon_namespace(other)


def test_a_kind_whose_crd_comes_later_is_picked_up(cluster, declare):
    gadgets = WIDGET_FILES / "gadgets.yaml"
    widget = declare(WIDGET, "one").create()
    later = session.widget_operator(cluster, watches_file=WIDGET_FILES / "with_gadgets.yaml")
    try:
        with later:
            # The other kind does not wait for this one.
            widget.wait_ready()
            widget.patch({"text": "again"})
            widget.wait_revision(2)
            assert any("Gadget" in str(line) for line in later.logs())
            cluster.kubectl("apply", "-f", str(gadgets))
            cluster.kubectl("wait", "--for=condition=Established", "-f", str(gadgets))
            gadget = declare(GADGET, "two").create({"text": "late"})
            gadget.wait_ready(timeout_seconds=60)
            assert gadget.child(CONFIGMAP, "two-0")["data"]["text"] == "late"
    finally:
        cluster.kubectl("delete", "--ignore-not-found", "-f", str(gadgets))


def test_one_of_two_leads_and_hands_over(cluster, declare):
    election = (
        "--leader-elect",
        "--leader-election-id=e2e-widgets",
        f"--leader-election-namespace={SYSTEM}",
    )
    first = session.widget_operator(cluster, *election)
    second = session.widget_operator(cluster, *election)
    with first, second:
        leader = wait_until(lambda: leading(first, second), what="a leader")
        waiting = second if leader is first else first
        declare(WIDGET, "one").create().wait_ready()
        assert not leading(waiting)
        assert meters.total(waiting, meters.RECONCILES) == 0
        assert leader.stop().code == 0
        # A leader that stops releases its lease, so the other does not wait for it to expire.
        declare(WIDGET, "two").create().wait_ready(timeout_seconds=10)
        assert leading(waiting) is waiting


def leading(*operators):
    """Returns the operator that reports to be the leader; None if there is none."""
    for operator in operators:
        if meters.total(operator, "leader_election_master_status") == 1:
            return operator
    return None
