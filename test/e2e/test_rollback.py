# SPDX-License-Identifier: Apache-2.0
"""Revisions: recorded in Helm's format, restored on request, kept until the inputs change."""

import base64
import gzip
import hashlib
import hmac
import json

import pytest

from e2e import meters
from e2e import traffic as expect
from e2e.custom_resource import (
    BOOKSTORE,
    DEPLOYMENT,
    POD,
    SECRET,
    condition,
    is_controlled_by,
    is_current,
)
from e2e.session import ensure_running
from harness.kube import wait_until

HISTORY_MAX = 10


@pytest.fixture
def shop(declare, operator):
    """A BookStore with revision 1 of tag v1 and deployed revision 2 of tag v2."""
    store = declare(BOOKSTORE, "shop")
    store.create({"bookApp": {"tag": "v1"}})
    store.wait_ready()
    store.patch({"bookApp": {"tag": "v2"}})
    store.wait_revision(2)
    store.wait_ready()
    store.wait(has_bound_claims, what="bound claims in the status")
    return store


def has_bound_claims(store: dict) -> bool:
    """Reports whether the status shows a bound claim for each pod, so that it is final."""
    claims = store["status"].get("claims", [])
    pods = store["status"].get("bookDB", {}).get("replicas")
    return len(claims) == pods and all(claim["phase"] == "Bound" for claim in claims)


def tag(shop) -> str:
    """Returns the deployed tag."""
    container = shop.child(DEPLOYMENT, "shop")["spec"]["template"]["spec"]["containers"][0]
    return container["image"].partition(":")[2]


def is_rolled_out(shop) -> bool:
    """Reports whether all pods of the application have the deployed image, and are ready.

    Shortly after a rollback, the Deployment's own status may still count pods of a ReplicaSet that
    is about to scale down.
    """
    everything = shop.kube.list(POD, shop.namespace)
    pods = [pod for pod in everything if "pod-template-hash" in pod["metadata"].get("labels", {})]
    images = {pod["spec"]["containers"][0]["image"].partition(":")[2] for pod in pods}
    ready = [condition(pod, "Ready") for pod in pods]
    return (
        len(pods) == shop.child(DEPLOYMENT, "shop")["spec"]["replicas"]
        and images == {tag(shop)}
        and all(one.get("status") == "True" for one in ready)
    )


def roll_back(shop, target: str, revision: int) -> dict:
    """Requests a rollback and waits until it is rolled out; returns the status."""
    shop.annotate(rollback_to=target)
    shop.wait_revision(revision)
    shop.wait_condition("RolledBack", "True")
    wait_until(lambda: is_rolled_out(shop), what="the pods of the rollback")
    return shop.wait_ready()["status"]


@pytest.mark.parametrize("target", ["1", "previous"])
def test_a_rollback_is_a_new_revision(shop, operator, traffic, target):
    meters.wait_at_rest(operator)
    mark = traffic.mark()
    status = roll_back(shop, target, 3)
    assert tag(shop) == "v1"
    assert status["pin"]["revision"] == 3
    assert [item["revision"] for item in status["history"]] == [3, 2, 1]
    assert [item["status"] for item in status["history"]] == [
        "deployed",
        "superseded",
        "superseded",
    ]
    assert status["history"][0]["description"] == "Rollback to 1"
    assert status["history"][0]["digest"] == status["history"][2]["digest"]
    # The spec belongs to the user and is unchanged.
    assert shop.get()["spec"]["bookApp"]["tag"] == "v2"
    meters.wait_at_rest(operator)
    traffic.check(mark, expect.only_child_writes("deployments/shop"))


def test_a_rollback_survives_reconciles_and_restarts(shop, operator, traffic):
    roll_back(shop, "1", 3)
    meters.wait_at_rest(operator)
    mark = traffic.mark()
    shop.touch()
    meters.wait_at_rest(operator)
    traffic.check(mark, expect.nothing)

    operator.restart()
    meters.wait_at_rest(operator)
    shop.touch()
    meters.wait_at_rest(operator)
    traffic.check(mark, expect.no_write)

    operator.kill()
    ensure_running(operator)
    meters.wait_at_rest(operator)
    assert (tag(shop), shop.status()["revision"]) == ("v1", 3)
    assert condition(shop.get(), "RolledBack")["status"] == "True"


def test_drift_is_repaired_to_the_rolled_back_revision(shop):
    roll_back(shop, "1", 3)
    shop.kube.delete(DEPLOYMENT, "shop", shop.namespace)
    shop.wait_child(DEPLOYMENT, "shop", lambda obj: "deletionTimestamp" not in obj["metadata"])
    shop.wait_ready()
    assert (tag(shop), shop.status()["revision"]) == ("v1", 3)


def test_a_rollback_ends_when_the_spec_changes(shop):
    roll_back(shop, "1", 3)
    shop.patch({"bookApp": {"tag": "v4"}})
    status = shop.wait_revision(4)["status"]
    assert tag(shop) == "v4"
    assert "pin" not in status
    shop.wait_condition("RolledBack", None)
    # The annotation is still there, and does not count as a new request.
    assert shop.get()["metadata"]["annotations"]["chartwright.io/rollback-to"] == "1"
    shop.touch()
    assert shop.wait_ready()["status"]["revision"] == 4


def test_a_rollback_ends_when_the_annotation_is_removed(shop):
    roll_back(shop, "previous", 3)
    shop.annotate(rollback_to=None)
    assert "pin" not in shop.wait_revision(4)["status"]
    assert tag(shop) == "v2"
    shop.wait_condition("RolledBack", None)
    shop.wait_ready()


def test_another_target_is_another_rollback(shop):
    roll_back(shop, "1", 3)
    status = roll_back(shop, "2", 4)
    assert status["history"][0]["description"] == "Rollback to 2"
    assert tag(shop) == "v2"
    # Still pinned: these are the inputs that it rejected, although they render the same.
    assert status["pin"]["revision"] == 4


REFUSED = ("7", "0", "-1", "1.5", "yesterday", "99999999999999999999")


@pytest.mark.parametrize("target", REFUSED)
def test_a_bad_target_is_refused_and_reconciles_go_on(shop, operator, traffic, target):
    meters.wait_at_rest(operator)
    mark = traffic.mark()
    shop.annotate(rollback_to=target)
    refused = shop.wait_condition("RolledBack", "False", "RollbackRefused")
    assert target in refused["message"]
    status = shop.wait_ready()["status"]
    assert (tag(shop), status["revision"]) == ("v2", 2)
    traffic.check(mark, expect.no_child_write)

    shop.patch({"bookApp": {"tag": "v3"}})
    shop.wait_revision(3)
    assert tag(shop) == "v3"
    shop.annotate(rollback_to=None)
    shop.wait_condition("RolledBack", None)


def test_previous_of_the_first_revision_is_refused(declare, operator):
    store = declare(BOOKSTORE, "shop").create({"bookApp": {"tag": "v1"}})
    store.wait_ready()
    store.annotate(rollback_to="previous")
    refused = store.wait_condition("RolledBack", "False", "RollbackRefused")
    assert "no revision before 1" in refused["message"]


def records(shop) -> dict[str, dict]:
    """Returns the Secrets of the revisions by name."""
    found = shop.kube.list(SECRET, shop.namespace, labels="owner=helm,name=shop")
    return {secret["metadata"]["name"]: secret for secret in found}


def test_revisions_are_secrets_owned_by_the_custom_resource(shop):
    found = records(shop)
    assert found.keys() == {"sh.helm.release.v1.shop.v1", "sh.helm.release.v1.shop.v2"}
    uid = shop.uid()
    for secret in found.values():
        assert secret["type"] == "helm.sh/release.v1"
        assert is_controlled_by(secret, uid)
    states = {secret["metadata"]["labels"]["version"]: secret for secret in found.values()}
    assert states["1"]["metadata"]["labels"]["status"] == "superseded"
    assert states["2"]["metadata"]["labels"]["status"] == "deployed"
    shop.delete()
    for name in found:
        shop.kube.wait_gone(SECRET, name, shop.namespace)


def manifest(secret: dict) -> bytes:
    """Returns the manifest in a revision's Secret."""
    packed = base64.b64decode(base64.b64decode(secret["data"]["release"]))
    return json.loads(gzip.decompress(packed))["manifest"].encode()


def record_name(revision: int) -> str:
    """Returns the name of a revision's Secret."""
    return f"sh.helm.release.v1.shop.v{revision}"


def has_keyed_digests(shop) -> bool:
    """Reports whether each digest in the history is that of its record, with the record's key."""
    found = records(shop)
    for item in shop.status()["history"]:
        secret = found[record_name(item["revision"])]
        key = base64.b64decode(secret["data"].get("key", ""))
        wanted = hmac.new(key, manifest(secret), hashlib.sha256).hexdigest()
        if len(key) != 32 or item["digest"] != f"hmac-sha256:{wanted}":
            return False
    return True


def make_unsigned(shop) -> None:
    """Changes records and status to the form of a version without signatures."""
    for name in records(shop):
        shop.kube.patch(SECRET, name, shop.namespace, {"data": {"signature": None}})
    patch = {"status": {"signature": None}}
    shop.kube.patch(shop.kind, shop.name, shop.namespace, patch, subresource="status")


def is_signed(shop, revision: int) -> bool:
    """Reports whether a record has a signature."""
    return "signature" in records(shop)[record_name(revision)]["data"]


def test_a_release_without_signatures_is_confirmed_and_goes_on(shop, operator, traffic):
    roll_back(shop, "1", 3)
    assert has_keyed_digests(shop)
    operator.stop()
    make_unsigned(shop)
    mark = traffic.mark()
    ensure_running(operator)
    shop.wait(lambda obj: "signature" in obj["status"], what="a signed status")
    meters.wait_at_rest(operator)
    assert is_signed(shop, 3)
    assert not is_signed(shop, 2)
    assert shop.status()["revision"] == 3
    traffic.check(mark, expect.no_child_write)
    traffic.check(mark, expect.no_refusal)


def test_history_keeps_the_last_ten(shop):
    last = HISTORY_MAX + 2
    for revision in range(3, last + 1):
        shop.patch({"bookApp": {"tag": f"v{revision}"}})
        shop.wait_revision(revision)
    kept = list(range(last, last - HISTORY_MAX, -1))
    assert [item["revision"] for item in shop.status()["history"]] == kept
    assert records(shop).keys() == {f"sh.helm.release.v1.shop.v{number}" for number in kept}
    shop.annotate(rollback_to="1")
    refused = shop.wait_condition("RolledBack", "False", "RollbackRefused")
    assert "1" in refused["message"]


def test_helm_reads_our_records(shop, helm):
    roll_back(shop, "1", 3)
    listed = json.loads(helm("list", "-o", "json"))
    assert [(r["name"], r["revision"], r["status"], r["chart"]) for r in listed] == [
        ("shop", "3", "deployed", "bookstore-0.1.0")
    ]
    history = json.loads(helm("history", "shop", "-o", "json"))
    assert [(r["revision"], r["status"], r["description"]) for r in history] == [
        (1, "superseded", "Install complete"),
        (2, "superseded", "Upgrade complete"),
        (3, "deployed", "Rollback to 1"),
    ]
    assert json.loads(helm("get", "values", "shop", "-o", "json")) == {"bookApp": {"tag": "v1"}}
    assert json.loads(helm("status", "shop", "-o", "json"))["info"]["status"] == "deployed"


def test_recorded_manifests_equal_helm_s_renders(shop, helm):
    for revision, chosen in ((1, "v1"), (2, "v2")):
        rendered = helm("template", "shop", "charts/bookstore", "--set", f"bookApp.tag={chosen}")
        recorded = helm("get", "manifest", "shop", "--revision", str(revision))
        assert recorded.strip() == rendered.strip()
    notes = helm("get", "notes", "shop").removeprefix("NOTES:\n").strip()
    deployed = condition(shop.wait(is_current), "Deployed")
    assert deployed["reason"] == "UpgradeSuccessful"
    assert notes == deployed["message"].strip() != ""
