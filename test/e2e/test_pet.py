# SPDX-License-Identifier: Apache-2.0
"""Pet: an entry of a store outside the cluster, kept over JSON and HTTP."""

import base64
import pathlib
import re
import time

import pytest

from cluster import pki
from e2e import meters
from e2e.custom_resource import FINALIZER, PET, condition, is_current
from e2e.session import pet_operator
from harness.connection import ApiError
from harness.kube import wait_until
from harness.petstore import PetStore

THOR = {"name": "Thor", "type": "dog", "birthday": "2021-04-01T00:00:00Z"}
IN_STORE = {
    "name": "Thor",
    "type": "PTCanine",
    "birthday": {"year": 2021, "month": 4, "day": 1},
}
RESYNC_SECONDS = 2
TIMEOUT_SECONDS = 1


@pytest.fixture
def store(tmp_path):
    """A petstore without pets."""
    server = PetStore(tmp_path).start()
    yield server
    server.close()


@pytest.fixture
def values(store):
    """The values that the operator's watches.yaml sets."""
    return {
        "store.url": store.url,
        "store.resync": f"{RESYNC_SECONDS}s",
        "store.timeout": f"{TIMEOUT_SECONDS}s",
    }


@pytest.fixture
def keeper(cluster, tmp_path, values, namespace):
    """The operator of Pets in the test's namespace; no other one runs."""
    with pet_operator(cluster, tmp_path, values, namespaces=(namespace,)) as process:
        yield process


@pytest.fixture
def pet(declare, keeper, store):
    """A Pet that has not been created yet."""
    assert keeper.running() and store.pets() == []
    thor = declare(PET, "thor")
    yield thor
    if not keeper.running():
        keeper.revive()
    for left in thor.kube.list(PET, thor.namespace):
        name = left["metadata"]["name"]
        thor.kube.annotate(PET, name, thor.namespace, {"chartwright.io/deletion-policy": "Orphan"})
        thor.kube.delete(PET, name, thor.namespace)
        thor.kube.wait_gone(PET, name, thor.namespace)


def entries(store) -> list[dict]:
    """Returns the entries of the store without their ids."""
    return [{k: v for k, v in pet.items() if k != "id"} for pet in store.pets()]


def id_of(pet) -> str | None:
    """Returns the id in the status, or None."""
    return pet.status().get("id")


def settle(pet, store) -> str:
    """Waits until the Pet is Ready and the store has exactly its entry; returns the id."""
    pet.wait_ready()
    [entry] = store.pets()
    assert entry["id"] == id_of(pet)
    assert pet.status()["externals"] == {"pet": {"id": entry["id"]}}
    return entry["id"]


def test_pt1_creation_gives_a_finalizer_an_entry_and_its_id(pet, store):
    pet.create(THOR)
    identity = settle(pet, store)
    assert FINALIZER in pet.get()["metadata"]["finalizers"]
    assert entries(store) == [IN_STORE]
    assert len(identity) == 36


@pytest.mark.parametrize(
    "animal, stored",
    [("dog", "PTCanine"), ("cat", "PTFeline"), ("bird", "PTBird"), ("reptile", "PTReptile")],
)
def test_pt2_types_and_dates_are_mapped(pet, store, animal, stored):
    pet.create({"name": "Tron", "type": animal, "birthday": "2020-06-25T23:30:00-05:00"})
    settle(pet, store)
    birthday = {"year": 2020, "month": 6, "day": 26}
    assert entries(store) == [{"name": "Tron", "type": stored, "birthday": birthday}]


def test_pt3_a_renamed_pet_keeps_its_id(pet, store):
    pet.create(THOR)
    identity = settle(pet, store)
    pet.patch({"name": "Thorbert"})
    pet.wait(is_current)
    assert settle(pet, store) == identity
    assert entries(store) == [{**IN_STORE, "name": "Thorbert"}]
    pet.patch({"type": "cat"})
    assert settle(pet, store) == identity
    assert entries(store) == [{**IN_STORE, "name": "Thorbert", "type": "PTFeline"}]


def test_pt4_deletion_takes_the_entry_first(pet, store):
    pet.create(THOR)
    settle(pet, store)
    store.misbehave({"match": "DELETE", "kind": "status", "status": 503})
    pet.delete()
    pet.wait(lambda obj: condition(obj, "Ready").get("reason") == "UninstallError")
    held = pet.get()
    assert len(store.pets()) == 1 and FINALIZER in held["metadata"]["finalizers"]
    store.misbehave()
    pet.wait_gone()
    assert store.pets() == []


def test_pt5_an_unreachable_store_is_retried(pet, store, keeper):
    store.kill()
    pet.create(THOR)
    refused = pet.wait_condition("Ready", "False", "ExternalError")
    for part in ("external pet", "create", "POST", "/pets"):
        assert part in refused["message"]
    wait_until(
        lambda: meters.total(keeper, meters.ERRORS, controller="pet-controller") >= 5,
        what="the fifth try",
    )
    store.start()
    settle(pet, store)
    assert entries(store) == [IN_STORE]


def test_pt5_the_same_error_is_written_once(pet, store, keeper):
    store.kill()
    pet.create(THOR)
    pet.wait_condition("Ready", "False", "ExternalError")
    version = pet.get()["metadata"]["resourceVersion"]
    tries = meters.total(keeper, meters.ERRORS, controller="pet-controller")
    wait_until(
        lambda: meters.total(keeper, meters.ERRORS, controller="pet-controller") >= tries + 3,
        what="three more tries",
    )
    assert pet.get()["metadata"]["resourceVersion"] == version


def libraries(process) -> set[str]:
    """Returns the names of the libraries that a process has mapped, without versions."""
    maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
    return set(re.findall(r"/(lib[\w-]+)[^/\n]*\.so", maps))


def test_an_operator_without_grpc_does_not_open_its_library(pet, store, keeper):
    pet.create(THOR)
    settle(pet, store)
    assert "libcurl" in libraries(keeper)
    assert not {"libgrpc", "libprotobuf", "libchartwright-grpc"} & libraries(keeper)


def test_pt5_repeating_has_no_effect(pet, store, keeper):
    pet.create(THOR)
    identity = settle(pet, store)
    version = pet.get()["metadata"]["resourceVersion"]
    seen = len(store.calls("GET /pets"))
    wait_until(lambda: len(store.calls("GET /pets")) >= seen + 2, what="two resyncs")
    assert pet.get()["metadata"]["resourceVersion"] == version
    assert [call["what"] for call in store.calls() if not call["what"].startswith("GET")] == [
        "POST /pets"
    ]
    assert settle(pet, store) == identity


@pytest.mark.parametrize(
    "spec, field",
    [
        ({**THOR, "type": "dragon"}, "spec.type"),
        ({**THOR, "birthday": "yesterday"}, "spec.birthday"),
        ({"name": "Thor", "type": "dog"}, "spec.birthday"),
        ({"type": "dog", "birthday": THOR["birthday"]}, "spec.name"),
        ({"name": "Thor", "birthday": THOR["birthday"]}, "spec.type"),
    ],
    ids=str,
)
def test_pt6_a_wrong_pet_is_refused_by_the_api_server(declare, spec, field):
    with pytest.raises(ApiError) as refusal:
        declare(PET, "wrong").create(spec)
    assert refusal.value.code == 422
    assert field in refusal.value.message


def test_pt7_finalizer_and_intent_are_stored_before_the_first_call(pet, store):
    store.misbehave({"match": "POST", "kind": "slow", "seconds": 0.8})
    pet.create(THOR)
    wait_until(lambda: store.calls("POST"), what="the call")
    found = pet.get()
    assert store.pets() == []
    assert FINALIZER in found["metadata"]["finalizers"]
    assert found["status"]["externals"]["pet"]["intent"]
    settle(pet, store)


def test_pt8_a_crash_after_the_create_leaves_one_pet(pet, store, keeper):
    # The store acts, and its reply comes when nobody waits for it any more.
    store.misbehave({"match": "POST", "kind": "trickle", "acts": True, "seconds": 0.2, "times": 1})
    pet.create(THOR)
    wait_until(store.pets, what="the pet in the store")
    keeper.kill()
    assert not id_of(pet)
    keeper.revive()
    settle(pet, store)
    assert len(store.calls("POST")) == 1


def test_pt8_a_rename_during_the_crash_reaches_the_same_pet(pet, store, keeper):
    store.misbehave({"match": "POST", "kind": "trickle", "acts": True, "seconds": 0.2, "times": 1})
    pet.create(THOR)
    wait_until(store.pets, what="the pet in the store")
    keeper.kill()
    [made] = store.pets()
    pet.patch({"name": "Thorbert"})
    keeper.revive()
    pet.wait(is_current)
    assert settle(pet, store) == made["id"]
    assert entries(store) == [{**IN_STORE, "name": "Thorbert"}]


def test_pt8_a_crash_before_the_create_leaves_one_pet(pet, store, keeper):
    store.misbehave({"match": "POST", "kind": "drop", "times": 1})
    pet.create(THOR)
    wait_until(lambda: store.calls("POST"), what="the call")
    keeper.kill()
    assert store.pets() == []
    keeper.revive()
    settle(pet, store)


@pytest.mark.parametrize("kind", ["drop", "cut", "trickle"])
def test_pt8_a_reply_that_is_lost_leaves_one_pet(pet, store, kind):
    store.misbehave({"match": "POST", "kind": kind, "acts": True, "seconds": 0.3, "times": 1})
    pet.create(THOR)
    settle(pet, store)
    assert len(store.calls("POST")) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_pt8_an_error_after_the_create_leaves_one_pet(pet, store, status):
    store.misbehave({"match": "POST", "kind": "status", "status": status, "acts": True, "times": 1})
    pet.create(THOR)
    settle(pet, store)
    assert len(store.calls("POST")) == 1


def test_pt8_a_repetition_that_the_store_refuses_leaves_one_pet(pet, store):
    lost = {"match": "POST", "kind": "drop", "times": 1}
    store.misbehave(lost, {"match": "POST", "kind": "status", "status": 409})
    pet.create(THOR)
    told = pet.wait_condition("AmbiguousCreate", "True")
    assert "HTTP status 409" in told["message"]
    pet.patch({"name": "Thorbert"})
    known = len(store.calls("POST"))
    wait_until(lambda: len(store.calls("POST")) > known + 1, what="a repetition after the change")
    assert len({call["key"] for call in store.calls("POST")}) == 1
    assert store.pets() == []
    store.add(IN_STORE)  # The first create has ended.
    settle(pet, store)
    assert entries(store) == [IN_STORE | {"name": "Thorbert"}]


def test_pt8_a_store_that_is_suspended_during_the_create_leaves_one_pet(pet, store):
    store.misbehave({"match": "POST", "kind": "slow", "seconds": 0.4, "times": 1})
    pet.create(THOR)
    wait_until(lambda: store.calls("POST"), what="the call")
    store.suspend()
    pet.wait(lambda obj: condition(obj, "Ready").get("reason") == "ExternalError")
    store.resume()
    settle(pet, store)
    assert len(store.calls("POST")) == 1


def test_pt8_two_that_may_be_it_are_left_to_a_person(pet, store, keeper):
    store.misbehave({"match": "POST", "kind": "drop", "acts": True, "times": 1})
    [foreign] = store.add(IN_STORE)
    pet.create(THOR)
    told = pet.wait_condition("AmbiguousCreate", "True")
    for one in store.pets():
        assert one["id"] in told["message"]
    [ours] = [one["id"] for one in store.pets() if one["id"] != foreign]
    assert len(store.calls("POST")) == 1 and not id_of(pet)
    pet.kube.annotate(PET, pet.name, pet.namespace, {"chartwright.io/external-id.pet": ours})
    pet.wait_condition("AmbiguousCreate", None)
    pet.wait_ready()
    assert id_of(pet) == ours and len(store.pets()) == 2


def test_pt8_a_pet_of_another_pet_is_not_adopted(pet, store, declare):
    pet.create(THOR)
    settle(pet, store)
    store.misbehave({"match": "POST", "kind": "drop", "acts": True, "times": 1})
    twin = declare(PET, "twin").create(THOR)
    twin.wait_ready()
    assert len(store.pets()) == 2 and id_of(twin) != id_of(pet)


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 500, "body": "{}"},
        {"kind": "status", "status": 404, "body": '{"error": "no such page"}'},
        {"kind": "status", "status": 200, "body": '{"pets": 7}'},
        {"kind": "status", "status": 200, "body": "[]"},
        {"kind": "status", "status": 200, "body": '{"pets": [1]}'},
        {"kind": "status", "status": 200, "body": "<html>"},
        {"kind": "status", "status": 200, "body": ""},
        {"kind": "status", "status": 302, "location": "http://localhost:1/pets"},
        {"kind": "drop"},
        {"kind": "cut"},
        {"kind": "trickle", "seconds": 0.3},
        {"kind": "huge", "megabytes": 64},
    ],
    ids=lambda fault: f"{fault['kind']} {fault.get('status', '')} {fault.get('body', '')}".strip(),
)
def test_pt9_a_search_that_fails_is_not_absence(pet, store, fault):
    pet.create(THOR)
    identity = settle(pet, store)
    store.misbehave({"match": "GET /pets", **fault})
    pet.wait(lambda obj: condition(obj, "Ready").get("reason") == "ExternalError")
    pet.patch({"name": "Thorbert"})
    pet.wait(lambda obj: is_current(obj) and condition(obj, "Ready")["status"] == "False")
    assert [one["id"] for one in store.pets()] == [identity]
    store.misbehave()
    assert settle(pet, store) == identity
    assert len(store.calls("POST")) == 1
    assert entries(store) == [{**IN_STORE, "name": "Thorbert"}]


def test_pt9_a_server_that_asks_for_time_gets_it(pet, store):
    pet.create(THOR)
    settle(pet, store)
    store.misbehave({"match": "GET /pets", "kind": "status", "status": 429, "retryAfter": "3"})
    pet.wait(lambda obj: condition(obj, "Ready").get("reason") == "ExternalError")
    seen, since = len(store.calls("GET")), time.monotonic()
    wait_until(lambda: len(store.calls("GET")) > seen, what="the next call")
    assert time.monotonic() - since > 1.5
    store.misbehave()
    settle(pet, store)


def test_pt10_a_pet_that_others_deleted_is_made_again(pet, store):
    pet.create(THOR)
    first = settle(pet, store)
    store.clear()
    started = time.monotonic()
    pet.wait(lambda obj: obj["status"].get("id") not in (None, first))
    assert time.monotonic() - started < RESYNC_SECONDS + 5
    assert settle(pet, store) != first


def test_pt10_a_pet_that_others_changed_is_repaired(pet, store):
    pet.create(THOR)
    settle(pet, store)
    store.kill()
    store.start()
    wait_until(lambda: entries(store) == [IN_STORE], what="the pet, after a restart of the store")
    pet.wait(lambda obj: obj["status"].get("id") == store.pets()[0]["id"])


def test_pt11_a_store_that_is_gone_for_good_does_not_hold_the_pet(pet, store):
    pet.create(THOR)
    identity = settle(pet, store)
    store.kill()
    pet.delete()
    pet.wait(lambda obj: condition(obj, "Ready").get("reason") == "UninstallError")
    assert FINALIZER in pet.get()["metadata"]["finalizers"]
    pet.annotate(deletion_policy="Orphan")
    pet.wait_gone()

    def told():
        events = pet.kube.list("v1/Event", pet.namespace)
        return [e for e in events if e["reason"] == "ExternalsOrphaned"]

    [event] = wait_until(told, what="the warning")
    assert identity in event["message"]


@pytest.fixture
def orphaning(values):
    """Values with the policy Orphan."""
    values["deletionPolicy"] = "Orphan"


def test_pt11_the_policy_orphan_leaves_the_entry(orphaning, pet, store):
    pet.create(THOR)
    identity = settle(pet, store)
    pet.delete()
    pet.wait_gone()
    assert [one["id"] for one in store.pets()] == [identity]


def test_pt12_connections_are_reused_and_closed(pet, store, keeper, declare):
    pet.create(THOR)
    settle(pet, store)
    seen = len(store.calls("GET /pets"))
    wait_until(lambda: len(store.calls("GET /pets")) >= seen + 4, what="four resyncs")
    reads = {call["connection"] for call in store.calls("GET /pets")}
    assert len(reads) <= 2, reads
    assert keeper.stop().code == 0


TOKEN = "s3cr3t-t0ken-of-the-store"


@pytest.fixture
def certificates(tmp_path):
    """A folder with ca.crt, apiserver.{crt,key} for localhost, and admin.{crt,key} of a client."""
    folder = tmp_path / "pki"
    pki.create(folder)
    return folder


@pytest.fixture
def secured(tmp_path, certificates, namespace, cluster):
    """A petstore over TLS that wants a certificate and a token, and Secrets with ours."""
    server = PetStore(
        tmp_path,
        f"-cert={certificates / 'apiserver.crt'}",
        f"-key={certificates / 'apiserver.key'}",
        f"-client-ca={certificates / 'ca.crt'}",
        f"-authorization=Bearer {TOKEN}",
    ).start()
    secrets = {
        "store-token": {"token": TOKEN.encode()},
        "store-ca": {"ca.crt": (certificates / "ca.crt").read_bytes()},
        "store-client": {
            "tls.crt": (certificates / "admin.crt").read_bytes(),
            "tls.key": (certificates / "admin.key").read_bytes(),
        },
    }
    for name, data in secrets.items():
        encoded = {key: base64.b64encode(text).decode() for key, text in data.items()}
        cluster.kube.create(
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": name, "namespace": namespace},
                "data": encoded,
            }
        )
    yield server
    server.close()


@pytest.fixture
def store_with_secrets(secured, values):
    """The same, with the values that name the Secrets."""
    values["store.url"] = secured.url
    values["store.tokenSecret"] = "store-token"
    values["store.caSecret"] = "store-ca"
    values["store.clientSecret"] = "store-client"
    return secured


def test_pt13_address_tls_and_credentials_come_from_values_and_secrets(
    store_with_secrets, pet, keeper, namespace
):
    store = store_with_secrets
    pet.create(THOR)
    settle(pet, store)
    assert {call["client"] for call in store.calls()} == {"kubernetes-admin"}

    # A server's reply to a refused call is not shown: it may repeat what it got, or be anybody's.
    store.misbehave(
        {"match": "GET", "kind": "status", "status": 400, "body": "you sent {authorization}"}
    )
    told = pet.wait_condition("Ready", "False", "ExternalError")
    assert "HTTP status 400 (" in told["message"] and "not shown" in told["message"]
    assert "you sent" not in told["message"]
    assert TOKEN not in str(pet.get())
    assert TOKEN not in keeper.log_path.read_text(encoding="utf-8")
    store.misbehave()
    settle(pet, store)

    pet.kube.patch(
        "v1/Secret",
        "store-token",
        namespace,
        {"data": {"token": base64.b64encode(b"another").decode()}},
    )
    refused = pet.wait_condition("Ready", "False", "ExternalError")
    assert "401" in refused["message"] and "another" not in refused["message"]
    pet.kube.delete("v1/Secret", "store-token", namespace)
    pet.touch()
    # The name of the Secret is an override value, which is shown to nobody.
    lacks = "read Secret ***: "
    pet.wait(lambda obj: lacks in condition(obj, "Ready")["message"], what="the lost Secret")
    assert "store-token" not in str(pet.status())


def test_pt13_a_server_that_is_not_verified_gets_nothing(
    store_with_secrets, pet, namespace, tmp_path
):
    pki.create(tmp_path / "other")
    other = base64.b64encode((tmp_path / "other" / "ca.crt").read_bytes()).decode()
    pet.kube.patch("v1/Secret", "store-ca", namespace, {"data": {"ca.crt": other}})
    pet.create(THOR)
    refused = pet.wait_condition("Ready", "False", "ExternalError")
    assert "certificate" in refused["message"].lower()
    assert store_with_secrets.calls() == []


def test_pt13_a_redirect_is_not_followed(pet, store, tmp_path):
    other = PetStore(tmp_path).start()
    try:
        location = f"{other.url}/pets"
        store.misbehave({"kind": "status", "status": 307, "location": location})
        pet.create(THOR)
        refused = pet.wait_condition("Ready", "False", "ExternalError")
        assert "redirect" in refused["message"]
        assert other.calls() == []
        store.misbehave()
        settle(pet, store)
    finally:
        other.close()
