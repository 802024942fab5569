# SPDX-License-Identifier: Apache-2.0
"""Faults of store and operator at each step of a Pet's life: one pet is left in the end, or none.

docs/author/externals.md has the table.
"""

import pytest

from e2e.custom_resource import PET, condition, is_current
from e2e.session import pet_operator
from e2e.test_pet import IN_STORE, THOR, entries, settle
from harness.kube import wait_until
from harness.paths import REPOSITORY
from harness.petstore import PetStore

# Protocol -> chart, the value with the address, the calls that create, rename and delete.
PROTOCOLS = {
    "http": ("charts/pet", "store.url", ("POST /pets", "PUT /pets", "DELETE /pets")),
    "grpc": (
        str(REPOSITORY / "test" / "e2e" / "charts" / "grpcpet"),
        "store.address",
        ("AddPets", "UpdatePets", "DeletePets"),
    ),
}
STEPS = ("create", "rename", "delete")


@pytest.fixture(params=PROTOCOLS)
def protocol(request):
    """The protocol under test."""
    return PROTOCOLS[request.param]


@pytest.fixture
def store(tmp_path):
    """A petstore without pets."""
    with PetStore(tmp_path) as server:
        yield server


@pytest.fixture
def keeper(cluster, tmp_path, store, protocol, namespace):
    """The operator of Pets in the test's namespace; no other one runs."""
    chart, address, _ = protocol
    at = store.url if address == "store.url" else store.address
    values = {address: at, "store.resync": "1s", "store.timeout": "500ms"}
    with pet_operator(cluster, tmp_path, values, chart, namespaces=(namespace,)) as process:
        yield process


def is_refused(obj) -> bool:
    """Reports whether the status shows an error of the store."""
    return condition(obj, "Ready").get("reason") in ("ExternalError", "UninstallError")


def kill_store(pet, store, _keeper) -> None:
    """The store is gone, with its pets, until the Pet shows it."""
    store.kill()
    pet.wait(is_refused)
    store.start()


def suspend_store(pet, store, _keeper) -> None:
    """The store hangs until the Pet shows it."""
    store.suspend()
    pet.wait(is_refused)
    store.resume()


def restart_store(_pet, store, _keeper) -> None:
    """The store is replaced at once, without its pets."""
    store.kill()
    store.start()


def kill_operator(_pet, _store, keeper) -> None:
    """The operator is killed and starts again."""
    keeper.kill()
    keeper.revive()


FAULTS = {
    "store killed": kill_store,
    "store suspended": suspend_store,
    "store restarted": restart_store,
    "operator killed": kill_operator,
}


def begin(pet, store, step: str) -> None:
    """Brings the Pet to where the step begins, and asks for it."""
    if step == "rename":
        pet.patch({"name": "Thorbert"})
    elif step == "delete":
        pet.delete()
    else:
        assert store.pets() == []
        pet.create(THOR)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("fault", FAULTS)
def test_one_pet_or_none_is_left(declare, store, keeper, protocol, step, fault, moment):
    pet = declare(PET, "thor")
    identity = None
    if step != "create":
        pet.create(THOR)
        identity = settle(pet, store)
    call = protocol[2][STEPS.index(step)]
    # The call is held before or after it took effect, and the fault comes meanwhile.
    held = {"kind": "slow", "seconds": 0.3, "acts": moment == "after"}
    store.misbehave({"match": call, **held, "times": 1})
    begin(pet, store, step)
    wait_until(lambda: store.calls(call), what="the call")
    FAULTS[fault](pet, store, keeper)
    if step == "delete":
        pet.wait_gone()
        wait_until(lambda: store.pets() == [], what="an empty store")
        return
    name = "Thorbert" if step == "rename" else "Thor"
    wanted = [{**IN_STORE, "name": name}]
    wait_until(lambda: entries(store) == wanted, what="the one pet")
    pet.wait(lambda obj: is_current(obj) and obj["status"].get("id") == store.pets()[0]["id"])
    kept = settle(pet, store) == identity
    assert kept == (step == "rename" and FAULTS[fault] in (suspend_store, kill_operator))
    seen = len(store.calls())
    wait_until(lambda: len(store.calls()) > seen, what="another look at the store")
    assert entries(store) == wanted
    pet.delete()
    pet.wait_gone()
    assert store.pets() == []
