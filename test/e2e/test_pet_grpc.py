# SPDX-License-Identifier: Apache-2.0
"""The same Pet over gRPC: the calls of the original, found by the server's reflection."""

import shutil
import subprocess

import pytest

from e2e.custom_resource import PET, condition, is_current
from e2e.session import pet_operator
from e2e.test_pet import IN_STORE, THOR, entries, id_of, libraries, settle
from harness.kube import wait_until
from harness.operator import default_binary
from harness.paths import REPOSITORY
from harness.petstore import PetStore

CHART = REPOSITORY / "test" / "e2e" / "charts" / "grpcpet"
CANCELLED = 1
INVALID_ARGUMENT = 3
RESOURCE_EXHAUSTED = 8
INTERNAL = 13
UNAVAILABLE = 14


@pytest.fixture
def store(tmp_path):
    """A petstore without pets."""
    server = PetStore(tmp_path).start()
    yield server
    server.close()


@pytest.fixture(params=["reflection", "descriptor set"])
def chart(request, tmp_path, store):
    """The chart, with either source of descriptors."""
    folder = tmp_path / "grpcpet"
    shutil.copytree(CHART, folder)
    if request.param == "descriptor set":
        externals = folder / "operator" / "externals"
        shutil.copy(store.descriptors, externals / "petstore.binpb")
        file = externals / "pet.yaml"
        text = file.read_text(encoding="utf-8")
        file.write_text(
            text.replace("descriptors: reflection", "descriptors: petstore.binpb"),
            encoding="utf-8",
        )
    return folder


# Fault of a call -> the change of the file, words of the refusal.
WRONG_CALLS = {
    "no such method": (
        ("PetStore/AddPets", "PetStore/AddPet"),
        'create.call: service petstore.PetStore has no method "AddPet", did you mean "AddPets"?',
    ),
    "no such service": (
        ("petstore.PetStore/DeletePets", "petstore.PetShop/DeletePets"),
        'delete.call: the descriptors have no service "petstore.PetShop"',
    ),
}


@pytest.mark.parametrize("case", WRONG_CALLS)
def test_grpc_a_call_that_the_descriptors_do_not_have_is_refused_by_lint(case, tmp_path, store):
    (old, new), words = WRONG_CALLS[case]
    folder = tmp_path / "grpcpet"
    shutil.copytree(CHART, folder)
    externals = folder / "operator" / "externals"
    shutil.copy(store.descriptors, externals / "petstore.binpb")
    file = externals / "pet.yaml"
    right = file.read_text(encoding="utf-8").replace(
        "descriptors: reflection", "descriptors: petstore.binpb"
    )
    assert old in right
    for text, refused in ((right, False), (right.replace(old, new), True)):
        file.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [str(default_binary()), "lint", str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (words in done.stdout + done.stderr) == refused, done.stdout + done.stderr


@pytest.fixture
def timeout(request):
    """How long a call may take."""
    return getattr(request, "param", "1s")


@pytest.fixture
def keeper(cluster, tmp_path, store, chart, namespace, timeout):
    """The operator of Pets in the test's namespace; no other one runs."""
    values = {"store.address": store.address, "store.resync": "2s", "store.timeout": timeout}
    with pet_operator(cluster, tmp_path, values, str(chart), namespaces=(namespace,)) as process:
        yield process


@pytest.fixture
def pet(declare, keeper):
    """A Pet that has not been created yet."""
    thor = declare(PET, "thor")
    yield thor
    if not keeper.running():
        keeper.revive()
    for left in thor.kube.list(PET, thor.namespace):
        thor.annotate(deletion_policy="Orphan")
        thor.kube.delete(PET, left["metadata"]["name"], thor.namespace)
        thor.wait_gone()


def test_grpc_a_pet_is_created_renamed_and_deleted(pet, store):
    pet.create(THOR)
    identity = settle(pet, store)
    assert entries(store) == [IN_STORE]
    pet.patch({"name": "Thorbert"})
    pet.wait(is_current)
    assert settle(pet, store) == identity
    assert entries(store) == [{**IN_STORE, "name": "Thorbert"}]
    store.clear()
    pet.wait(lambda obj: obj["status"].get("id") not in (None, identity))
    settle(pet, store)
    pet.delete()
    pet.wait_gone()
    assert store.pets() == []


def test_grpc_the_library_is_opened(pet, store, keeper):
    pet.create(THOR)
    settle(pet, store)
    assert {"libgrpc", "libprotobuf", "libchartwright-grpc"} <= libraries(keeper)


def test_grpc_a_crash_after_the_create_leaves_one_pet(pet, store, keeper):
    store.misbehave({"match": "AddPets", "kind": "slow", "seconds": 0.5, "times": 1})
    pet.create(THOR)
    wait_until(lambda: store.calls("AddPets"), what="the call")
    keeper.kill()
    keeper.revive()
    settle(pet, store)
    assert len(store.pets()) == 1


@pytest.mark.parametrize("code", [CANCELLED, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE])
def test_grpc_an_error_after_the_create_leaves_one_pet(pet, store, code):
    store.misbehave(
        {"match": "AddPets", "kind": "status", "acts": True, "status": code, "times": 1}
    )
    pet.create(THOR)
    settle(pet, store)
    assert len(store.calls("AddPets")) == 1


def test_grpc_a_reply_to_a_create_that_is_too_large_leaves_one_pet(pet, store):
    store.misbehave({"match": "AddPets", "kind": "huge", "acts": True, "megabytes": 5, "times": 1})
    pet.create(THOR)
    settle(pet, store)
    assert len(store.calls("AddPets")) == 1


def test_grpc_attempts_at_one_create_carry_one_key(pet, store):
    store.misbehave({"match": "AddPets", "kind": "status", "status": INVALID_ARGUMENT, "times": 2})
    pet.create(THOR)
    settle(pet, store)
    first, *others = [call["key"] for call in store.calls("AddPets")]
    assert len(first.strip('"')) == 32 and others == [first, first]
    assert not [call for call in store.calls("SearchPets") if "key" in call]


def test_grpc_a_stream_that_fails_midway_is_not_absence(pet, store):
    pet.create(THOR)
    identity = settle(pet, store)
    store.misbehave(
        {
            "match": "SearchPets",
            "kind": "status",
            "acts": True,
            "status": UNAVAILABLE,
            "body": "off limits",
        }
    )
    refused = pet.wait_condition("Ready", "False", "ExternalError")
    assert "UNAVAILABLE" in refused["message"] and "off limits" not in refused["message"]
    store.misbehave()
    assert settle(pet, store) == identity


@pytest.mark.parametrize("timeout", ["20s"], indirect=True)
@pytest.mark.parametrize("chart", ["reflection"], indirect=True)
def test_grpc_a_stream_of_more_than_10000_messages_is_refused(pet, store):
    pet.create(THOR)
    identity = settle(pet, store)
    extra = store.add(*([IN_STORE] * 10_000))
    refused = pet.wait_condition("Ready", "False", "ExternalError")
    assert "the reply has more than 10000 messages" in refused["message"]
    assert len(extra) == 10_000 and id_of(pet) == identity
    store.clear()


def test_grpc_a_store_that_is_away_is_retried(pet, store):
    store.kill()
    pet.create(THOR)
    pet.wait_condition("Ready", "False", "ExternalError")
    assert not id_of(pet)
    store.start()
    settle(pet, store)
    store.suspend()
    pet.wait(lambda obj: "DEADLINE" in condition(obj, "Ready")["message"])
    store.resume()
    settle(pet, store)
