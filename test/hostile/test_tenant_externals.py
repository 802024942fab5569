# SPDX-License-Identifier: Apache-2.0
"""No tenant gets at an object outside the cluster that belongs to another custom resource.

Each Widget has two objects in a store: `found`, which `adopt` recognises, and `told`, which only a
recorded id, or a person, tells. The attacker writes what the operator remembers of them: statuses,
the copies beside them, annotations. The calls of the store show that he got nothing, and that
nothing was made twice; his own objects still follow their spec, and are deleted with it.
"""

import pytest

from e2e import meters, session
from e2e.conftest import *  # noqa: F403  # pylint: disable=wildcard-import,unused-wildcard-import
from e2e.custom_resource import SECRET, WIDGET, CustomResource, condition, is_ready
from harness.kube import wait_until
from harness.petstore import PetStore
from hostile.outside import (
    BOTH,
    Scene,
    copy_of,
    ids_of,
    project,
    secret_of,
    spoil,
    told_apart_by,
    wipe,
)
from hostile.tenants import Tenant

UNWRITABLE = "write the copy of the records of externals"


@pytest.fixture(scope="module", name="store")
def _store(tmp_path_factory):
    with PetStore(tmp_path_factory.mktemp("store")) as server:
        yield server


@pytest.fixture(scope="module", name="keeper")
def _keeper(cluster, store, tmp_path_factory):
    """The operator of all namespaces, with the rights of the shipped role of the test chart."""
    options = project(tmp_path_factory.mktemp("tenants"), store)
    with session.widget_operator(cluster, **options) as operator:
        yield operator


@pytest.fixture(name="scene", params=["admin"])
def _scene(request, cluster, namespace, keeper, store):
    session.ensure_running(keeper)
    victim = CustomResource(cluster, WIDGET, cluster.create_namespace("victim"), "victim")
    victim.create({"count": 0, "text": "kept"}).wait_ready()
    theirs = ids_of(victim)
    assert sorted(theirs) == sorted(BOTH) and all(theirs.values())
    entries = [pet for pet in store.pets() if pet["id"] in theirs.values()]
    tenant = Tenant.with_rights(cluster, namespace, request.param)
    yield Scene(store, keeper, tenant, victim, theirs, entries, len(store.calls()))
    session.ensure_running(keeper)
    for widget in (CustomResource(cluster, WIDGET, namespace, "evil"), victim):
        if widget.kube.find(WIDGET, widget.name, widget.namespace):
            widget.annotate(deletion_policy="Orphan")
            widget.delete()
            widget.wait_gone()
    store.clear()
    cluster.abandon_namespace(victim.namespace)


def changed(evil: CustomResource, text: str) -> None:
    """Changes the spec, and waits until that is in force."""
    evil.patch({"text": text})
    evil.wait_ready()


def go_on(scene: Scene) -> None:
    """Waits for some reconciles: one that is refused is tried again, the others have a resync."""
    count = meters.total(scene.keeper, meters.RECONCILES) + 5
    wait_until(lambda: meters.total(scene.keeper, meters.RECONCILES) >= count, what="reconciles")


@pytest.mark.parametrize("moment", ["at work", "away", "away until the deletion"])
@pytest.mark.parametrize("signature", ["none", "its own", "of the other", "all of the other"])
def test_a_status_with_the_ids_of_another_gives_no_right_to_its_objects(scene, signature, moment):
    evil = scene.begin()
    evil.wait_ready()
    own = ids_of(evil)
    if moment != "at work":
        scene.keeper.stop()
    scene.tenant.write_status("evil", scene.forged(evil, signature))
    if moment == "away until the deletion":
        evil.delete()
    if moment != "at work":
        scene.keeper.start()
    if moment != "away until the deletion":
        changed(evil, "two")
        wait_until(lambda: ids_of(evil) == own, what="its own ids")
        assert scene.own() == ["found two", "told two"]
    scene.end(evil)
    scene.check(creates=2)


@pytest.mark.parametrize("manager", ["chartwright", "tenant"])
def test_ids_that_a_status_alone_claims_are_unknown(scene, manager):
    """The Widget has never had objects: nothing tells whose these are but its author."""
    scene.keeper.stop()
    evil = scene.begin()
    scene.apply_status(scene.forged(scene.victim, "of the other"), manager)
    scene.keeper.start()
    held = evil.wait_condition("AmbiguousCreate", "True", "SeveralCandidates")
    assert "external-id.told" in held["message"]
    wait_until(lambda: scene.own() == ["found one"], what="the object that can be searched for")
    evil.delete()
    evil.wait(lambda obj: told_apart_by(obj, "told"), what="the question of the deletion")
    scene.check(creates=1)
    scene.tenant.annotate("evil", **{"external_id.told": "none"})
    scene.end(evil)
    scene.check(creates=1)


@pytest.mark.parametrize("manager", ["chartwright", "tenant"])
def test_ids_that_appear_in_a_status_at_work_are_ignored(scene, manager):
    """The operator knows that there was nothing before: the Widget gets objects of its own."""
    evil = scene.begin(annotations={"chartwright.io/paused": "true"})
    evil.wait(lambda obj: condition(obj, "Paused").get("status") == "True", what="the pause")
    scene.apply_status(scene.forged(scene.victim, "of the other"), manager)
    scene.tenant.annotate("evil", paused=None)
    evil.wait_ready()
    assert scene.own() == ["found one", "told one"]
    assert not set(ids_of(evil).values()) & set(scene.theirs.values())
    scene.end(evil)
    scene.check(creates=2)


@pytest.mark.parametrize("scene", ["secrets"], indirect=True)
@pytest.mark.parametrize("moment", ["at work", "away"])
@pytest.mark.parametrize("act", ["deleted", "edited", "copied", "immutable", "of another type"])
def test_a_copy_that_was_written_by_others_gives_no_right_to_objects(scene, act, moment):
    evil = scene.begin()
    evil.wait_ready()
    own = ids_of(evil)
    if moment == "away":
        scene.keeper.stop()
    spoil(scene, evil, act)
    if moment == "away":
        scene.keeper.start()
    evil.patch({"text": "two"})
    if (act, moment) == ("immutable", "away"):
        stuck = evil.wait_condition("Ready", "False", "ExternalError")
        assert UNWRITABLE in stuck["message"] and copy_of(evil) in stuck["message"]
    else:
        evil.wait_ready()
    wait_until(lambda: scene.own() == ["found two", "told two"], what="its own objects to follow")
    assert ids_of(evil) == own
    scene.end(evil)
    scene.check(creates=2)


@pytest.mark.parametrize("scene", ["secrets"], indirect=True)
@pytest.mark.parametrize("content", ["of another", "none", "noise"])
@pytest.mark.parametrize("immutable", [True, False], ids=["immutable", "mutable"])
def test_a_secret_in_the_place_of_the_copy_creates_nothing_twice(scene, content, immutable):
    """It was there first. A person may decide; one that cannot be written lets nothing begin."""
    evil = CustomResource(scene.tenant.cluster, WIDGET, scene.tenant.namespace, "evil")
    secret = secret_of(scene, evil, immutable=immutable)
    if content != "of another":
        secret["data"] = {"records": "bm9pc2U="} if content == "noise" else {}
    scene.tenant.kube.create(secret)
    scene.begin()
    held = evil.wait_condition("AmbiguousCreate", "True", "SeveralCandidates")
    assert "external-id.told" in held["message"]
    scene.tenant.annotate("evil", **{"external_id.told": "none"})
    if immutable:
        evil.wait(
            lambda obj: UNWRITABLE in condition(obj, "Ready")["message"],
            what="a condition that says what cannot be written",
        )
        go_on(scene)
        scene.check(creates=0)
        scene.tenant.kube.delete(SECRET, copy_of(evil), evil.namespace)
        evil.touch()
    evil.wait_ready()
    scene.check(creates=2)
    scene.end(evil)
    scene.check(creates=2)


@pytest.mark.parametrize("moment", ["at work", "away"])
def test_a_tenant_who_wipes_all_memory_gets_no_second_object(scene, moment):
    """With `adopt` the object is found; else a person is asked, through all restarts."""
    evil = scene.begin()
    evil.wait_ready()
    own = ids_of(evil)
    if moment == "away":
        scene.keeper.stop()
    wipe(scene, evil)
    if moment == "at work":
        scene.keeper.kill()
    scene.keeper.revive()
    for _ in range(2):
        evil.wait(lambda obj: is_ready(obj) or told_apart_by(obj, "told"), what="an answer")
        scene.keeper.kill()
        scene.keeper.revive()
    settled = evil.wait(lambda obj: is_ready(obj) or told_apart_by(obj, "told"), what="an answer")
    assert moment == "at work" or not is_ready(settled)
    assert ids_of(evil)["found"] == own["found"]
    scene.tenant.annotate("evil", **{"external_id.told": own["told"]})
    changed(evil, "two")
    assert ids_of(evil) == own and scene.own() == ["found two", "told two"]
    scene.end(evil)
    scene.check(creates=2)


@pytest.mark.parametrize("scene", ["secrets"], indirect=True)
@pytest.mark.parametrize("goes", ["on", "changed"])
def test_the_id_of_another_is_not_taken_by_annotation(scene, goes):
    """A Secret of the tenant's makes the operator ask for an id; he answers with another's."""
    evil = CustomResource(scene.tenant.cluster, WIDGET, scene.tenant.namespace, "evil")
    scene.tenant.kube.create(secret_of(scene, evil))
    scene.begin()
    evil.wait(lambda obj: told_apart_by(obj, "told"), what="the question")
    wait_until(lambda: scene.own() == ["found one"], what="the object that can be searched for")
    scene.tenant.annotate("evil", **{"external_id.told": scene.theirs["told"]})
    if goes == "changed":
        evil.patch({"text": "two"})
    go_on(scene)
    scene.check(creates=1)
    evil.delete()
    go_on(scene)
    scene.check(creates=1)
    scene.tenant.annotate("evil", **{"external_id.told": "none"})
    scene.end(evil)
    scene.check(creates=1)


def test_a_claim_in_a_status_hides_no_object_from_its_owner(scene):
    """The owner has lost his status and the copy; his object is found, and not made again."""
    evil = scene.begin(annotations={"chartwright.io/paused": "true"})
    scene.keeper.stop()
    scene.tenant.write_status("evil", scene.forged(scene.victim, "of the other"))
    victim = scene.victim
    victim.kube.patch(WIDGET, victim.name, victim.namespace, {"status": None}, subresource="status")
    victim.kube.delete(SECRET, copy_of(victim), victim.namespace)
    scene.keeper.start()
    victim.wait(lambda obj: told_apart_by(obj, "told"), what="the question")
    wait_until(lambda: ids_of(victim).get("found"), what="an id")
    assert ids_of(victim)["found"] == scene.theirs["found"]
    scene.check(creates=0)
    scene.end(evil)
