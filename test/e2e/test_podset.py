# SPDX-License-Identifier: Apache-2.0
"""PodSet: bare pods are scaled, listed in the status, garbage-collected."""

import pytest

from e2e import meters, traffic as expect
from e2e.custom_resource import POD, PODSET, condition, is_controlled_by, is_current
from e2e.session import ensure_running
from harness.connection import ApiError

CONTROLLER = "podset-controller"
LABELS = {"app": "set", "version": "v0.1"}
SELECTOR = "app=set,version=v0.1"
HOLD = "e2e.chartwright.io/hold"


@pytest.fixture
def podset(declare, operator):
    """A PodSet that has not been created yet."""
    return declare(PODSET, "set")


def pods(podset) -> dict[str, dict]:
    """Returns all pods with the set's labels by name, including those of others."""
    found = podset.kube.list(POD, podset.namespace, labels=SELECTOR)
    return {pod["metadata"]["name"]: pod for pod in found}


def uids(podset) -> dict[str, str]:
    """Returns the uid of each of those pods by name."""
    return {name: pod["metadata"]["uid"] for name, pod in pods(podset).items()}


def settle(podset, operator, replicas: int) -> dict[str, str]:
    """Waits until `replicas` pods run and are in the status; returns their uids by name."""
    podset.wait(
        lambda obj: is_current(obj)
        and obj["status"].get("replicas") == replicas
        and condition(obj, "Ready").get("status") == "True",
        what=f"{replicas} replicas",
    )
    meters.wait_at_rest(operator)
    return uids(podset)


def test_ps1_three_pods_with_owner_reference(podset, operator):
    uid = podset.create({"replicas": 3}).uid()
    settle(podset, operator, 3)
    found = pods(podset)
    assert len(found) == 3
    for pod in found.values():
        assert is_controlled_by(pod, uid)
        assert LABELS.items() <= pod["metadata"]["labels"].items()
        assert pod["spec"]["containers"][0]["command"] == ["sleep", "3600"]


def test_ps3_scaling_down_deletes_exactly_one(podset, operator, traffic):
    podset.create({"replicas": 3})
    before = settle(podset, operator, 3)
    mark = traffic.mark()
    podset.patch({"replicas": 2})
    after = settle(podset, operator, 2)
    assert len(after) == 2
    assert after.items() <= before.items()
    gone = before.keys() - after.keys()
    traffic.check(mark, expect.only_child_writes(*(f"pods/{name}" for name in gone)))


def test_ps4_scaling_up_creates_two_and_leaves_the_others(podset, operator, traffic):
    podset.create({"replicas": 2})
    before = settle(podset, operator, 2)
    mark = traffic.mark()
    podset.patch({"replicas": 4})
    after = settle(podset, operator, 4)
    assert len(after) == 4
    assert before.items() <= after.items()
    added = after.keys() - before.keys()
    traffic.check(mark, expect.only_child_writes(*(f"pods/{name}" for name in added)))


def told(podset) -> tuple[list, int]:
    """Returns names and number of the pods in the status."""
    status = podset.status()
    return status["podNames"], status["replicas"]


def test_ps5_the_status_lists_the_live_pods(podset, operator):
    podset.create({"replicas": 3})
    settle(podset, operator, 3)
    assert told(podset) == (sorted(pods(podset)), 3)
    podset.patch({"replicas": 1})
    settle(podset, operator, 1)
    assert told(podset) == (["set-pod-0"], 1)
    podset.patch({"replicas": 2})
    names = sorted(settle(podset, operator, 2))
    assert told(podset) == (names, 2)

    # A pod that is being deleted does not count, no matter how long the deletion takes.
    hold(podset, "set-pod-1")
    podset.kube.delete(POD, "set-pod-1", podset.namespace)
    podset.wait(lambda obj: obj["status"]["podNames"] == ["set-pod-0"])
    meters.wait_at_rest(operator)
    assert told(podset) == (["set-pod-0"], 1)
    release(podset, "set-pod-1")
    settle(podset, operator, 2)
    assert told(podset) == (names, 2)

    podset.patch({"replicas": 0})
    podset.annotate(allow_empty_render="true")
    settle(podset, operator, 0)
    assert told(podset) == ([], 0)


def hold(podset, name: str) -> None:
    """Adds a finalizer, so that a deleted pod stays."""
    podset.kube.patch(POD, name, podset.namespace, {"metadata": {"finalizers": [HOLD]}})


def release(podset, name: str) -> None:
    """Removes the finalizer."""
    podset.kube.patch(POD, name, podset.namespace, {"metadata": {"finalizers": None}})


def test_ps6_deletion_collects_the_pods(podset, operator):
    podset.create({"replicas": 3})
    names = settle(podset, operator, 3)
    podset.delete()
    podset.wait_gone()
    for name in names:
        podset.kube.wait_gone(POD, name, podset.namespace)


def test_ps10_a_foreign_pod_with_the_same_labels_is_left_alone(podset, operator, traffic):
    stranger = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "stranger", "namespace": podset.namespace, "labels": LABELS},
        "spec": {"containers": [{"name": "busybox", "image": "busybox"}]},
    }
    uid = podset.kube.create(stranger)["metadata"]["uid"]
    mark = traffic.mark()
    podset.create({"replicas": 2})
    assert len(settle(podset, operator, 2)) == 3
    assert told(podset) == (["set-pod-0", "set-pod-1"], 2)
    podset.patch({"replicas": 1})
    settle(podset, operator, 1)
    assert told(podset) == (["set-pod-0"], 1)
    podset.delete()
    podset.wait_gone()
    podset.kube.wait_gone(POD, "set-pod-0", podset.namespace)
    assert uids(podset) == {"stranger": uid}
    traffic.check(
        mark, lambda requests: expect.nothing([r for r in requests if r.name == "stranger"])
    )


def test_ps11_a_negative_number_is_refused_by_the_api_server(podset):
    with pytest.raises(ApiError) as refusal:
        podset.create({"replicas": -1})
    assert refusal.value.code == 422
    assert "spec.replicas" in refusal.value.message


def expect_created_once(requests) -> None:
    """Asserts that no pod was sent twice."""
    writes = [r for r in requests if r.is_write() and r.resource == "pods"]
    created = [r.name for r in writes if r.verb in ("create", "patch")]
    assert len(created) == len(set(created)), [expect.describe(r) for r in writes]


def test_ps12_bursts_leave_no_surplus_pod(podset, operator, traffic):
    mark = traffic.mark()
    podset.create({"replicas": 1})
    for replicas in (2, 3, 4, 5):
        podset.patch({"replicas": replicas})
        podset.touch()
    found = settle(podset, operator, 5)
    assert sorted(found) == [f"set-pod-{i}" for i in range(5)]
    traffic.check(mark, expect_created_once)


@pytest.mark.parametrize("seen_pods", range(4))
def test_ps12_a_crash_right_after_creating_leaves_no_surplus_pod(
    podset, operator, traffic, seen_pods
):
    """The operator is killed once that many pods exist, and restarts with empty caches."""
    mark = traffic.mark()
    podset.create({"replicas": 3})
    if seen_pods:
        podset.wait_child(POD, f"set-pod-{seen_pods - 1}")
    operator.kill()
    made = uids(podset)
    ensure_running(operator)
    found = settle(podset, operator, 3)
    assert sorted(found) == ["set-pod-0", "set-pod-1", "set-pod-2"]
    # The pods created before still run: none was created again.
    assert made.items() <= found.items()
    traffic.check(mark, expect_each_made_once)


def expect_each_made_once(requests) -> None:
    """Asserts that the two processes created no pod twice and deleted none.

    The creation of one pod may have another status code: the process was killed while it waited
    for the answer, and the API server then logs that the client disconnected.
    """
    writes = [r for r in requests if r.is_write() and r.resource == "pods"]
    made = [r.name for r in writes if r.code == 201]
    told = [expect.describe(r) for r in writes]
    assert len(made) == len(set(made)) and len(made) >= 2, told
    assert {r.name for r in writes} == {"set-pod-0", "set-pod-1", "set-pod-2"}, told
    assert "delete" not in {r.verb for r in writes}


def test_ps13_nothing_is_created_during_a_foreground_deletion(podset, operator, traffic):
    podset.create({"replicas": 3})
    settle(podset, operator, 3)
    hold(podset, "set-pod-0")
    meters.wait_at_rest(operator)
    mark = traffic.mark()
    podset.delete(propagation="Foreground")
    for name in ("set-pod-1", "set-pod-2"):
        podset.kube.wait_gone(POD, name, podset.namespace)
    podset.wait_child(POD, "set-pod-0", lambda pod: "deletionTimestamp" in pod["metadata"])
    deleting = podset.get()
    assert deleting["metadata"]["finalizers"] == ["foregroundDeletion"]
    podset.touch()
    podset.patch({"replicas": 5})
    meters.wait_at_rest(operator)
    assert list(pods(podset)) == ["set-pod-0"]

    release(podset, "set-pod-0")
    podset.wait_gone()
    meters.wait_at_rest(operator)
    assert not pods(podset)
    traffic.check(mark, expect.no_child_write)


REST_SECONDS = 3.0


def test_ps14_a_podset_in_sync_costs_nothing(podset, operator, traffic):
    podset.create({"replicas": 3})
    settle(podset, operator, 3)
    # On a busy machine the cluster may still be working on the pods.
    meters.wait_at_rest(operator, quiet_seconds=REST_SECONDS)
    reconciles = meters.total(operator, meters.RECONCILES, controller=CONTROLLER)
    mark = traffic.mark()
    # Without resync only events cause work, and there are none: waits to see that nothing happens.
    meters.wait_at_rest(operator, quiet_seconds=REST_SECONDS)
    assert meters.total(operator, meters.RECONCILES, controller=CONTROLLER) == reconciles
    traffic.check(mark, expect.nothing)
