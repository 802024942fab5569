# SPDX-License-Identifier: Apache-2.0
"""PodSet: bare pods are scaled, listed in the status, garbage-collected."""

import re

import pytest

from e2e import meters
from e2e import traffic as expect
from e2e.custom_resource import POD, PODSET, condition, is_controlled_by, is_current
from e2e.session import ensure_running
from harness.connection import ApiError
from harness.kube import wait_until

CONTROLLER = "podset-controller"
LABELS = {"app": "set", "version": "v0.1"}
SELECTOR = "app=set,version=v0.1"
SLOT = "chartwright.io/slot"
NAME = re.compile(r"set-pod[a-z0-9]{5}")
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


def by_slot(podset) -> dict[int, dict]:
    """Returns the set's own pods that are not terminating by their place in the set."""
    found = {}
    for pod in pods(podset).values():
        slot = pod["metadata"].get("annotations", {}).get(SLOT)
        if slot and "deletionTimestamp" not in pod["metadata"]:
            assert slot not in found, f"two pods in {slot}"
            found[int(slot.removeprefix("set-pod-"))] = pod
    return found


def name_in(podset, slot: int) -> str:
    """Returns the name of the pod in that place."""
    return by_slot(podset)[slot]["metadata"]["name"]


def settle(podset, operator, replicas: int) -> dict[str, str]:
    """Waits until `replicas` pods run and are in the status; returns their uids by name."""
    podset.wait(
        lambda obj: (
            is_current(obj)
            and obj["status"].get("replicas") == replicas
            and condition(obj, "Ready").get("status") == "True"
        ),
        what=f"{replicas} replicas",
    )
    meters.wait_at_rest(operator)
    return uids(podset)


def begin_to_end(podset, slot: int) -> str:
    """Deletes the pod in that place, which terminates until it is released; returns its name."""
    name = name_in(podset, slot)
    hold(podset, name)
    podset.kube.delete(POD, name, podset.namespace)
    return name


def test_ps1_three_pods_with_owner_reference(podset, operator):
    uid = podset.create({"replicas": 3}).uid()
    settle(podset, operator, 3)
    found = pods(podset)
    assert len(found) == 3
    for pod in found.values():
        assert is_controlled_by(pod, uid)
        assert LABELS.items() <= pod["metadata"]["labels"].items()
        assert pod["spec"]["containers"][0]["command"] == ["sleep", "3600"]
        assert NAME.fullmatch(pod["metadata"]["name"])


def test_ps2_a_deleted_pod_is_replaced_while_it_terminates(podset, operator):
    podset.create({"replicas": 3})
    before = settle(podset, operator, 3)
    victim = begin_to_end(podset, 1)
    wait_until(lambda: len(by_slot(podset)) == 3, what="a replacement")
    podset.wait(lambda obj: victim not in obj["status"]["podNames"])
    after = settle(podset, operator, 3)
    assert before.items() < after.items()
    (added,) = after.keys() - before.keys()
    assert name_in(podset, 1) == added
    assert "deletionTimestamp" in pods(podset)[victim]["metadata"]
    assert told(podset) == (sorted(after.keys() - {victim}), 3)

    release(podset, victim)
    podset.kube.wait_gone(POD, victim, podset.namespace)
    meters.wait_at_rest(operator)
    assert sorted(pods(podset)) == sorted(after.keys() - {victim})


def test_ps2_a_crash_during_the_replacement_leaves_one_replacement(podset, operator):
    podset.create({"replicas": 2})
    settle(podset, operator, 2)
    victim = begin_to_end(podset, 0)
    wait_until(lambda: len(pods(podset)) == 3, what="a replacement")
    operator.kill()
    ensure_running(operator)
    assert len(settle(podset, operator, 2)) == 3
    release(podset, victim)
    podset.kube.wait_gone(POD, victim, podset.namespace)
    assert len(settle(podset, operator, 2)) == 2


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
    assert told(podset) == ([name_in(podset, 0)], 1)
    podset.patch({"replicas": 2})
    names = sorted(settle(podset, operator, 2))
    assert told(podset) == (names, 2)

    # A pod that is being deleted does not count, no matter how long the deletion takes.
    ending, staying = name_in(podset, 1), name_in(podset, 0)
    hold(podset, ending)
    podset.patch({"replicas": 1})
    podset.wait(lambda obj: obj["status"]["podNames"] == [staying])
    meters.wait_at_rest(operator)
    assert told(podset) == ([staying], 1)
    release(podset, ending)
    podset.kube.wait_gone(POD, ending, podset.namespace)
    podset.patch({"replicas": 2})
    names = sorted(settle(podset, operator, 2))
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


def expect_one_at_a_time(requests) -> None:
    """Asserts that no two creations and no two deletions follow without a look at the cluster.

    Between two of them there is a status write, which a reconcile of its own made: that of an
    event.
    """
    since_status = {"create": set(), "delete": set()}
    for request in sorted(requests, key=lambda r: r.received):
        if not request.is_write():
            continue
        if request.resource != "pods":
            since_status = {"create": set(), "delete": set()}
            continue
        verb = "delete" if request.verb == "delete" else "create"
        since_status[verb].add(request.name)
        assert len(since_status[verb]) == 1, "\n".join(expect.describe(r) for r in requests)


def test_ps7_pods_come_and_go_one_at_a_time(podset, operator, traffic):
    mark = traffic.mark()
    podset.create({"replicas": 4})
    before = settle(podset, operator, 4)
    podset.patch({"replicas": 1})
    settle(podset, operator, 1)
    podset.patch({"replicas": 3})
    settle(podset, operator, 3)
    for name in list(pods(podset)):
        podset.kube.delete(POD, name, podset.namespace)
    wait_until(lambda: not before.keys() & pods(podset).keys(), what="other pods")
    settle(podset, operator, 3)
    traffic.check(mark, expect_one_at_a_time)


@pytest.mark.parametrize("phase", ["Failed", "Succeeded"])
def test_ps8_a_pod_that_ended_is_replaced_and_removed(podset, operator, phase):
    podset.create({"replicas": 2})
    before = settle(podset, operator, 2)
    ended = name_in(podset, 0)
    podset.kube.patch(
        POD, ended, podset.namespace, {"status": {"phase": phase}}, subresource="status"
    )
    podset.kube.wait_gone(POD, ended, podset.namespace)
    after = settle(podset, operator, 2)
    assert ended not in after
    assert len(after) == 2 and len(after.keys() & before.keys()) == 1
    assert told(podset) == (sorted(after), 2)


def test_ps9_scaling_down_takes_a_live_pod_while_another_terminates(podset, operator, traffic):
    podset.create({"replicas": 3})
    settle(podset, operator, 3)
    ending = begin_to_end(podset, 0)
    wait_until(lambda: len(by_slot(podset)) == 3, what="a replacement")
    before = settle(podset, operator, 3)
    last = name_in(podset, 2)
    mark = traffic.mark()
    podset.patch({"replicas": 2})
    podset.kube.wait_gone(POD, last, podset.namespace)
    after = settle(podset, operator, 2)
    assert after.keys() == before.keys() - {last}
    assert ending in after
    traffic.check(mark, expect.only_child_writes(f"pods/{last}"))
    release(podset, ending)


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
    assert told(podset) == (sorted(pods(podset).keys() - {"stranger"}), 2)
    podset.patch({"replicas": 1})
    settle(podset, operator, 1)
    last = name_in(podset, 0)
    assert told(podset) == ([last], 1)
    podset.delete()
    podset.wait_gone()
    podset.kube.wait_gone(POD, last, podset.namespace)
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
    assert len(found) == 5
    assert sorted(by_slot(podset)) == [0, 1, 2, 3, 4]
    traffic.check(mark, expect_created_once)


@pytest.mark.parametrize("seen_pods", range(4))
def test_ps12_a_crash_right_after_creating_leaves_no_surplus_pod(
    podset, operator, traffic, seen_pods
):
    """The operator is killed once that many pods exist, and restarts with empty caches."""
    mark = traffic.mark()
    podset.create({"replicas": 3})
    if seen_pods:
        wait_until(lambda: len(pods(podset)) >= seen_pods, what=f"{seen_pods} pods")
    operator.kill()
    made = uids(podset)
    ensure_running(operator)
    found = settle(podset, operator, 3)
    assert len(found) == 3
    assert sorted(by_slot(podset)) == [0, 1, 2]
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
    assert len({r.name for r in writes}) == 3, told
    assert "delete" not in {r.verb for r in writes}


def test_ps13_nothing_is_created_during_a_foreground_deletion(podset, operator, traffic):
    podset.create({"replicas": 3})
    settle(podset, operator, 3)
    held, *others = [name_in(podset, slot) for slot in range(3)]
    hold(podset, held)
    meters.wait_at_rest(operator)
    mark = traffic.mark()
    podset.delete(propagation="Foreground")
    for name in others:
        podset.kube.wait_gone(POD, name, podset.namespace)
    podset.wait_child(POD, held, lambda pod: "deletionTimestamp" in pod["metadata"])
    deleting = podset.get()
    assert deleting["metadata"]["finalizers"] == ["foregroundDeletion"]
    podset.touch()
    podset.patch({"replicas": 5})
    meters.wait_at_rest(operator)
    assert list(pods(podset)) == [held]

    release(podset, held)
    podset.wait_gone()
    meters.wait_at_rest(operator)
    assert not pods(podset)
    traffic.check(mark, expect.no_child_write)


def test_ps15_a_new_image_replaces_the_pods_one_at_a_time(podset, operator, traffic):
    podset.create({"replicas": 3})
    before = settle(podset, operator, 3)
    mark = traffic.mark()
    podset.patch({"image": "busybox:2"})
    wait_until(lambda: not before.keys() & pods(podset).keys(), what="other pods")
    after = settle(podset, operator, 3)
    assert len(after) == 3
    images = {pod["spec"]["containers"][0]["image"] for pod in pods(podset).values()}
    assert images == {"busybox:2"}
    assert podset.status()["revision"] == 2
    traffic.check(mark, expect_replaced_in_turn(before.keys(), after.keys()))


def expect_replaced_in_turn(before, after):
    """Asserts that a pod was created and one deleted in turn, beginning with a creation."""

    def assertion(requests) -> None:
        writes = [r for r in requests if r.is_write() and r.resource == "pods"]
        writes.sort(key=lambda r: r.received)
        told = [expect.describe(r) for r in writes]
        firsts = list(dict.fromkeys((r.verb == "delete", r.name) for r in writes))
        assert [deleted for deleted, _ in firsts] == [False, True] * 3, told
        assert {name for deleted, name in firsts if not deleted} == set(after), told
        assert {name for deleted, name in firsts if deleted} == set(before), told

    return assertion


def test_ps15_a_rollout_goes_on_after_a_crash(podset, operator):
    podset.create({"replicas": 4})
    before = settle(podset, operator, 4)
    podset.patch({"image": "busybox:2"})
    wait_until(lambda: pods(podset).keys() - before.keys(), what="the first new pod")
    operator.kill()
    ensure_running(operator)
    wait_until(lambda: not before.keys() & pods(podset).keys(), what="other pods")
    assert len(settle(podset, operator, 4)) == 4


def test_a_rollback_replaces_the_pods_under_names_of_their_own(podset, operator, traffic):
    podset.create({"replicas": 3})
    first = settle(podset, operator, 3)
    podset.patch({"image": "busybox:2"})
    wait_until(lambda: not first.keys() & pods(podset).keys(), what="other pods")
    second = settle(podset, operator, 3)
    mark = traffic.mark()
    podset.annotate(rollback_to="1")
    wait_until(lambda: not second.keys() & pods(podset).keys(), what="the pods of the rollback")
    podset.wait_revision(3)
    podset.wait_condition("RolledBack", "True")
    third = settle(podset, operator, 3)
    assert not third.keys() & first.keys()
    images = {pod["spec"]["containers"][0]["image"] for pod in pods(podset).values()}
    assert images == {"busybox"}
    traffic.check(mark, expect_replaced_in_turn(second.keys(), third.keys()))


def versions(podset) -> dict[str, str]:
    """Returns the resourceVersions of the set and its pods."""
    objects = {"": podset.get(), **pods(podset)}
    return {name: obj["metadata"]["resourceVersion"] for name, obj in objects.items()}


def test_ps14_a_podset_in_sync_costs_nothing(podset, operator, traffic):
    podset.create({"replicas": 3})
    settle(podset, operator, 3)
    traffic.check_idle(operator, lambda: versions(podset), controller=CONTROLLER)
