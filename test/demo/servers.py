# SPDX-License-Identifier: Apache-2.0
"""The steps that need a server on this machine: a store outside the cluster, and served views.

On a cluster of the user, both are left out: only the operator may be started beside it.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import tempfile

from demo.scene import Scene
from demo.setting import run_operator
from harness.kube import wait_until
from harness.paths import REPOSITORY
from harness.petstore import PetStore
from harness.views import ViewOptions, ViewServer

PETS = "pets"
PET = "pet-sample"
_FARM_API = "v1alpha.farm.example.com"
_FARM_ACCOUNT = ("default", "farm-operator")
# The API server asks an aggregated API for its OpenAPI a minute later, if at first it is not there.
_OPENAPI_TIMEOUT_SECONDS = 90.0


def keep_pet(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """An object outside the cluster: Pet"""
    if scene.cluster.external:
        scene.leave_out("its store would have to run beside your cluster.")
        return
    scene.narrator.say("The store is the one of test/servers, which is built at the first use.")
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = stack.enter_context(PetStore(folder))
        scene.kubectl("create", "namespace", PETS)
        pets = dataclasses.replace(scene, namespace=PETS)
        pets.operator = run_operator(pets, stack, _watch_pets(scene, store, folder))
        _follow_pet(pets, store)
        scene.require(pets.operator.stop().code == 0, "the operator of the pets has ended with 0")


def serve_farm(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """Resources that are served and not stored: Farm"""
    if scene.cluster.external:
        scene.leave_out("the API server of your cluster cannot be led to this machine.")
        return
    scene.kubectl("apply", "-k", "charts/farm/deploy/rbac")
    kubeconfig = scene.cluster.service_account_kubeconfig(*_FARM_ACCOUNT)
    options = ViewOptions(kubeconfig, "charts/farm/views", "/".join(_FARM_ACCOUNT))
    with ViewServer(scene.kube, options) as server:
        scene.logs.append(server.log_path)
        words = ("create", "service", "externalname", "farm-operator", "--external-name=localhost")
        scene.kubectl(*words, f"--tcp={server.port}")
        binary, *arguments = server.command()
        words = (os.path.relpath(binary, REPOSITORY), *arguments)
        scene.narrator.command(("env", f"KUBECONFIG={kubeconfig}", *words))
        available = server.start().wait_available(_FARM_API)
        scene.kubectl("get", "apiservice", _FARM_API)
        scene.require(available["reason"] == "Passed", "the aggregator reaches the server")
        _look_at_farm(scene)
        scene.kubectl("delete", "service", "farm-operator")
        scene.kube.wait_gone("APIService", _FARM_API)
        scene.require(server.stop() == 0, "without the Service, the API is unregistered")


def _watch_pets(scene: Scene, store: PetStore, folder: pathlib.Path) -> pathlib.Path:
    """Writes the watches file that says where the store is, and shows it."""
    watches = folder / "pets.yaml"
    text = (
        "- group: petstore.example.com\n"
        "  version: v1alpha1\n"
        "  kind: Pet\n"
        "  chart: charts/pet\n"
        "  overrideValues:\n"
        f"    store.url: {store.url}\n"
    )
    watches.write_text(text, encoding="utf-8")
    scene.narrator.command(("cat", str(watches)), text)
    return watches


def _follow_pet(scene: Scene, store: PetStore) -> None:
    """Creates, renames and deletes a Pet, and looks into the store each time."""
    scene.in_namespace("apply", "-f", "deploy/samples/pet.yaml")
    scene.settle("pets", PET)
    scene.in_namespace("get", "pets")
    entries = _show_store(scene, store)
    identity = scene.kube.get("pets", PET, PETS)["status"]["id"]
    scene.require(
        [(pet["id"], pet["name"]) for pet in entries] == [(identity, "Thor")],
        "the store has the pet, and status.id is the id that the store gave",
    )
    scene.change("pet", PET, '{"spec":{"name":"Thorbert"}}')
    entries = _show_store(scene, store)
    scene.require(
        [(pet["id"], pet["name"]) for pet in entries] == [(identity, "Thorbert")],
        "renamed, it is the same entry",
    )
    scene.in_namespace("delete", "pet", PET)
    scene.require(_show_store(scene, store) == [], "the deletion took the entry along")


def _show_store(scene: Scene, store: PetStore) -> list[dict]:
    """Prints the entries of the store and returns them."""
    entries = store.pets()
    scene.narrator.say(f"In the store, {store.url}:")
    rows = [(pet["id"], pet["name"], pet["type"]) for pet in entries]
    scene.narrator.table([("ID", "NAME", "TYPE"), *rows] if rows else [("(nothing)",)])
    return entries


def _look_at_farm(scene: Scene) -> None:
    """Reads the farm with kubectl, and requires that it shows what there is."""
    scene.kubectl("get", "llamas", "--namespace=default")
    scene.in_namespace("get", "farmpods")
    shown = json.loads(scene.cluster.kubectl("-n", scene.namespace, "get", "fp", "-o", "json"))
    pods = scene.kube.list("pods", scene.namespace)
    scene.require(
        {(item["metadata"]["name"], item["spec"]["containers"]) for item in shown["items"]}
        == {(f"farm-{p['metadata']['name']}", len(p["spec"]["containers"])) for p in pods},
        "one FarmPod per Pod, with the number of its containers",
    )
    wait_until(
        lambda: scene.cluster.kubectl.run("explain", "farmpods.spec").returncode == 0,
        timeout_seconds=_OPENAPI_TIMEOUT_SECONDS,
        what="the OpenAPI of the farm",
    )
    explained = scene.kubectl("explain", "farmpods.spec")
    claim = "kubectl explains the fields that the view declares"
    scene.require("Number of containers in the pod." in explained, claim)
