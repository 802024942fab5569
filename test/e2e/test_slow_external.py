# SPDX-License-Identifier: Apache-2.0
"""A server outside the cluster that hangs: who waits for it, and for how long."""

import json
import shutil
import time

import pytest

from e2e.custom_resource import PET, WIDGET, is_ready
from harness.operator import Operator, OperatorOptions
from harness.paths import REPOSITORY
from harness.petstore import PetStore

TIMEOUT_SECONDS = 6
WORKERS = 2
FAR = 6
# Of docs/author/externals.md: five failures at once by all workers, and one attempt in turn.
BOUND_SECONDS = (-(-5 // WORKERS) + 1) * TIMEOUT_SECONDS
CHILD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n"


@pytest.fixture(name="near")
def near_store(tmp_path):
    """A store that works."""
    (tmp_path / "near").mkdir()
    with PetStore(tmp_path / "near") as server:
        yield server


@pytest.fixture(name="far")
def far_store(tmp_path):
    """The store of the Pets whose names begin with "far"."""
    (tmp_path / "far").mkdir()
    with PetStore(tmp_path / "far") as server:
        yield server


@pytest.fixture(name="operator")
def operator_of_both(cluster, tmp_path, namespace, near, far):
    """The operator of Pets and Widgets, with two workers for each kind."""
    shutil.copytree(REPOSITORY / "charts" / "pet", tmp_path / "pet")
    file = tmp_path / "pet" / "operator" / "externals" / "pet.yaml"
    text = file.read_text(encoding="utf-8")
    address = "'{{ .Values.store.url }}'"
    assert address in text
    choice = f'ternary "{far.url}" "{near.url}" (hasPrefix "far" .CR.metadata.name)'
    chosen = f"'{{{{ {choice} }}}}'"
    file.write_text(text.replace(address, chosen), encoding="utf-8")
    (tmp_path / "widget" / "templates").mkdir(parents=True)
    (tmp_path / "widget" / "Chart.yaml").write_text("apiVersion: v2\nname: w\nversion: 1.0.0\n")
    (tmp_path / "widget" / "templates" / "child.yaml").write_text(CHILD)
    values = {"store.timeout": f"{TIMEOUT_SECONDS}s", "store.resync": "5s"}
    watches = [
        {
            "group": "petstore.example.com",
            "version": "v1alpha1",
            "kind": "Pet",
            "chart": "pet",
            "overrideValues": values,
        },
        {"group": "e2e.chartwright.io", "version": "v1", "kind": "Widget", "chart": "widget"},
    ]
    (tmp_path / "watches.yaml").write_text(json.dumps(watches), encoding="utf-8")
    options = OperatorOptions(
        cluster.kubeconfig,
        cwd=tmp_path,
        watches_file=tmp_path / "watches.yaml",
        namespaces=(namespace,),
        arguments=("--reconcile-period=0", f"--max-concurrent-reconciles={WORKERS}"),
    )
    with Operator(options) as process:
        yield process


def spec(name: str) -> dict:
    return {"name": name, "type": "dog", "birthday": "2021-04-01T00:00:00Z"}


def seconds_until_ready(obj, content) -> float:
    """Creates a custom resource; returns how long it takes to become Ready."""
    began = time.monotonic()
    obj.create(content)
    obj.wait(is_ready, timeout_seconds=2 * BOUND_SECONDS, what="Ready")
    return time.monotonic() - began


def test_a_server_that_hangs_holds_up_others_for_no_longer_than_documented(
    operator, declare, near, far
):
    assert operator.running()
    far.suspend()
    pets = [declare(PET, f"far-{number}") for number in range(FAR)]
    try:
        for number, pet in enumerate(pets):
            pet.create(spec(f"Far {number}"))
        pets[0].wait(lambda obj: "externals" in obj.get("status", {}), what="the first call")

        assert seconds_until_ready(declare(WIDGET, "other-kind"), {}) < TIMEOUT_SECONDS
        first = declare(PET, "near-1")
        assert seconds_until_ready(first, spec("Near 1")) < BOUND_SECONDS
        for pet in pets:
            pet.wait_condition("Ready", "False", "ExternalError")
        # From now on one worker at most waits for the server that hangs.
        second = declare(PET, "near-2")
        assert seconds_until_ready(second, spec("Near 2")) < TIMEOUT_SECONDS
        assert len(near.pets()) == 2
    finally:
        far.resume()
    for pet in pets:
        pet.wait(is_ready, timeout_seconds=2 * BOUND_SECONDS, what="Ready")
    assert sorted(entry["name"] for entry in far.pets()) == [f"Far {n}" for n in range(FAR)]
    for pet in [*pets, first, second]:
        pet.delete()
    for pet in [*pets, first, second]:
        pet.wait_gone()
