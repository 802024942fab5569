# SPDX-License-Identifier: Apache-2.0
"""DemoVolume: one claim, a size in another unit, a copied status field."""

import itertools
import time

import pytest

from e2e import meters
from e2e import traffic as expect
from e2e.custom_resource import (
    CLAIM,
    DEMOVOLUME,
    capacity,
    condition,
    is_current,
    is_marked,
    requested,
)
from e2e.session import DEPLOY, OPERATOR, ensure_running, user_of
from harness.connection import ApiError
from harness.kube import wait_until

REPAIR_SECONDS_MAX = 5.0


@pytest.fixture
def volume(declare, operator):
    """A DemoVolume that has not been created yet."""
    return declare(DEMOVOLUME, "volume")


def settle(volume, operator) -> None:
    """Waits until the claim has its volume and the operator is idle."""
    volume.wait_child(CLAIM, "volume", lambda c: capacity(c) == requested(c))
    volume.wait_ready()
    meters.wait_at_rest(operator)


def test_dv1_the_claim_has_the_cr_s_name_and_size(volume):
    volume.create({"name": "demo", "size": 10})
    claim = volume.wait_child(CLAIM, "volume")
    assert requested(claim) == "10Gi"
    assert is_marked(claim, volume)
    assert [c["metadata"]["name"] for c in volume.kube.list(CLAIM, volume.namespace)] == ["volume"]


def test_dv2_status_name_follows_spec_name(volume):
    volume.create({"name": "demo", "size": 1})
    volume.wait(lambda obj: obj.get("status", {}).get("name") == "demo")
    volume.patch({"name": "other"})
    volume.wait(lambda obj: is_current(obj) and obj["status"]["name"] == "other")
    volume.wait_ready()


def test_dv3_a_status_write_leads_to_no_further_write(volume, operator, traffic):
    mark = traffic.mark()
    volume.create({"name": "demo", "size": 1})
    settle(volume, operator)
    # However many steps it takes to bind the claim, each causes at most one status write.
    traffic.check(mark, expect_few_status_writes)

    mark = traffic.mark()
    seen = condition(volume.get(), "Seen")
    assert not seen
    stranger = {"type": "Seen", "status": "True", "reason": "Test", "message": "by somebody else"}
    volume.kube.patch(
        DEMOVOLUME,
        "volume",
        volume.namespace,
        [{"op": "add", "path": "/status/conditions/-", "value": stranger}],
        type="json",
        subresource="status",
    )
    meters.wait_at_rest(operator)
    assert condition(volume.get(), "Seen")["reason"] == "Test"
    traffic.check(mark, expect.nothing)


def expect_few_status_writes(requests) -> None:
    """Asserts at most four: inventory, installed, claim bound, and an intermediate claim state."""
    writes = [r for r in requests if r.resource == "demovolumes/status"]
    assert 1 <= len(writes) <= 4, [expect.describe(request) for request in writes]


def test_dv4_older_custom_resources_are_reconciled_at_start(volume, operator, declare):
    assert operator.stop().code == 0
    other = declare(DEMOVOLUME, "other").create({"name": "b", "size": 2})
    volume.create({"name": "a", "size": 1})
    ensure_running(operator)
    assert volume.wait_ready()["status"]["name"] == "a"
    assert other.wait_ready()["status"]["name"] == "b"
    assert requested(volume.child(CLAIM, "other")) == "2Gi"
    assert requested(volume.child(CLAIM, "volume")) == "1Gi"


@pytest.fixture
def claims_forbidden(cluster, operator):
    """Lets the operator only read claims until the returned function is called."""
    role = cluster.kube.get("ClusterRole", OPERATOR)
    rights = role["rules"]
    without = [dict(rule) for rule in rights]
    for rule in without:
        if "persistentvolumeclaims" in rule["resources"]:
            rule["resources"] = [r for r in rule["resources"] if r != "persistentvolumeclaims"]
    readable = {
        "apiGroups": [""],
        "resources": ["persistentvolumeclaims"],
        "verbs": ["get", "list", "watch"],
    }

    def give(rules: list) -> None:
        cluster.kube.patch("ClusterRole", OPERATOR, None, {"rules": rules})
        wanted = rules is rights
        wait_until(lambda: may_create_claims(cluster) == wanted, what="the rights in force")

    give([*without, readable])
    yield lambda: give(rights)
    give(rights)


def may_create_claims(cluster) -> bool:
    """Reports whether the API server allows it now; the server learns of Roles by a watch."""
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "metadata": {"name": ""},
        "spec": {
            "user": user_of(OPERATOR),
            "resourceAttributes": {
                "verb": "create",
                "group": "",
                "resource": "persistentvolumeclaims",
                "namespace": "default",
            },
        },
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return cluster.kube.request("POST", path, review)["status"]["allowed"]


def test_dv5_an_api_error_is_retried_with_backoff(volume, operator, traffic, claims_forbidden):
    mark = traffic.mark()
    before = meters.total(operator, meters.ERRORS, controller="demovolume-controller")
    volume.create({"name": "demo", "size": 1})
    refused = volume.wait_condition("Ready", "False")
    for part in ("persistentvolumeclaims", "patch"):
        assert part in refused["message"]
    wait_until(
        lambda: (
            meters.total(operator, meters.ERRORS, controller="demovolume-controller") >= before + 8
        ),
        what="the eighth try",
    )
    traffic.check(mark, expect_growing_pauses)

    claims_forbidden()
    volume.wait_ready()
    assert requested(volume.child(CLAIM, "volume")) == "1Gi"


def expect_growing_pauses(requests) -> None:
    """Asserts that refused writes are retried after 5 ms and then after doubled delays.

    Up to a quarter of each is taken off, by chance. The event of the finalizer, which is written
    first, leads to one try that waits for nothing, whenever it comes.
    """
    tries = [r for r in requests if r.resource == "persistentvolumeclaims" and r.is_write()]
    assert len(tries) >= 8 and {request.code for request in tries} == {403}
    times = [request.received.timestamp() for request in tries]
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
    # On a busy machine pauses get longer, never shorter.
    early = [pause < 0.75 * 0.005 * 2**number for number, pause in enumerate(pauses)]
    assert sum(early) <= 1, pauses


def test_dv6_deletion_collects_the_claim(volume, operator):
    volume.create({"size": 1})
    settle(volume, operator)
    volume.delete()
    volume.wait_gone()
    volume.kube.wait_gone(CLAIM, "volume", volume.namespace)


def test_dv6_a_claim_with_keep_stays(volume, operator):
    volume.create({"size": 1, "keep": True})
    settle(volume, operator)
    volume.delete()
    volume.wait_gone()
    meters.wait_at_rest(operator, quiet_seconds=1.5)
    claim = volume.child(CLAIM, "volume")
    assert "deletionTimestamp" not in claim["metadata"]
    assert claim["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"


def test_dv7_a_deleted_claim_is_recreated_at_once(volume, operator):
    volume.create({"size": 1})
    settle(volume, operator)
    uid = volume.child(CLAIM, "volume")["metadata"]["uid"]
    started = time.monotonic()
    volume.kube.delete(CLAIM, "volume", volume.namespace)
    volume.wait_child(CLAIM, "volume", lambda claim: claim["metadata"]["uid"] != uid)
    seconds = time.monotonic() - started
    print(f"claim: back after {seconds * 1000:.0f} ms")
    assert seconds < REPAIR_SECONDS_MAX
    volume.wait_ready()


def test_dv8_size_grows_and_never_shrinks(volume, operator, traffic):
    volume.create({"name": "demo", "size": 10})
    settle(volume, operator)
    volume.patch({"size": 20})
    volume.wait_child(CLAIM, "volume", lambda c: requested(c) == "20Gi" == capacity(c))
    volume.wait_ready()
    meters.wait_at_rest(operator)

    mark = traffic.mark()
    volume.patch({"size": 10, "name": "smaller"})
    held = volume.wait_condition("FieldsHeld", "True", "ShrinkRefused")
    for part in ("PersistentVolumeClaim", "spec.resources.requests.storage", "20Gi", "10Gi"):
        assert part in held["message"]
    assert volume.wait_ready()["status"]["name"] == "smaller"
    assert requested(volume.child(CLAIM, "volume")) == "20Gi"
    traffic.check(mark, expect.no_refusal)

    volume.patch({"size": 30})
    volume.wait_child(CLAIM, "volume", lambda c: requested(c) == "30Gi")
    volume.wait_condition("FieldsHeld", None)


@pytest.mark.parametrize("spec", [{"size": 0}, {"size": -1}, {"name": "x"}], ids=str)
def test_dv9_a_wrong_size_is_refused_by_the_api_server(volume, spec):
    with pytest.raises(ApiError) as refusal:
        volume.create(spec)
    assert refusal.value.code == 422
    assert "spec.size" in refusal.value.message


def test_dv10_the_shipped_role_has_claims_and_suffices(cluster, volume, operator, traffic):
    role = next(
        obj
        for obj in cluster.kubectl.objects(DEPLOY / "rbac" / "role.yaml")
        if obj["kind"] == "ClusterRole"
    )
    verbs = {
        verb
        for rule in role["rules"]
        if "persistentvolumeclaims" in rule["resources"] and "" in rule["apiGroups"]
        for verb in rule["verbs"]
    }
    assert verbs >= {"get", "list", "watch", "create", "patch", "delete"}
    assert cluster.kube.get("ClusterRole", OPERATOR)["rules"] == role["rules"]

    mark = traffic.mark()
    volume.create({"size": 1})
    settle(volume, operator)
    volume.patch({"size": 2})
    settle(volume, operator)
    volume.kube.delete(CLAIM, "volume", volume.namespace)
    settle(volume, operator)
    # The requests come from the operator's own account.
    traffic.check(mark, lambda requests: expect_claim_writes(requests, 3))
    traffic.check(mark, expect.no_refusal)


def expect_claim_writes(requests, number: int) -> None:
    """Asserts the number of writes of claims by the shipped account."""
    writes = [r for r in requests if r.resource == "persistentvolumeclaims" and r.is_write()]
    assert len(writes) == number, [expect.describe(request) for request in writes]


def test_dv11_class_and_access_mode_come_from_values(volume):
    volume.create({"size": 1, "storageClassName": "no-expand", "accessMode": "ReadWriteMany"})
    claim = volume.wait_child(CLAIM, "volume")
    assert claim["spec"]["storageClassName"] == "no-expand"
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
