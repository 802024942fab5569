# SPDX-License-Identifier: Apache-2.0
"""The steps of the demo. Each shows a feature with kubectl and verifies it through the API.

A step's docstring is its title.
"""

import contextlib
import pathlib
import time

from cluster import build
from demo.recreation import Recreation
from demo.scene import STORE, Scene, condition
from demo.setting import owned_by
from harness.audit import Mark
from harness.kube import wait_until
from harness.operator import Operator

OPERATOR_AGENT = "chartwright/"
_REPAIR_SECONDS = 1.0
_CLAIMS = ("mongodb-pvc-store-mongodb-0", "mongodb-pvc-store-mongodb-1")
_CHILD_KINDS = {"deployments", "statefulsets", "services", "persistentvolumeclaims", "pods"}
_CLAIM_COLUMNS = (
    "-o=custom-columns=NAME:.metadata.name,REQUESTED:.spec.resources.requests.storage,"
    "CAPACITY:.status.capacity.storage"
)
_HELD = '-o=jsonpath={.status.conditions[?(@.type=="FieldsHeld")].message}{"\\n"}'


def change_tag(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """Change an image tag: one write"""
    before = _versions(scene)
    mark = scene.cluster.audit and scene.cluster.audit.mark()
    scene.change("bookstore", STORE, '{"spec":{"bookApp":{"tag":"2.0"}}}')
    if mark:
        _show_writes(scene, mark)
    else:
        scene.narrator.say("The audit log of this cluster is not ours to read.")
    after = _versions(scene)
    changed = sorted(name for name in after if before[name] != after[name])
    claim = "the Deployment changed, its siblings did not"
    scene.require(changed == [f"deployments/{STORE}"], claim)
    scene.require(_image(scene).endswith(":2.0"), "the Deployment has the new image")


def delete_child(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """Delete a child: it is back at once"""
    with Recreation(scene.kube, "services", STORE, scene.namespace) as recreation:
        scene.in_namespace("delete", "service", STORE)
        seconds = recreation.wait(scene.timeout_seconds)
    scene.in_namespace("get", "service", STORE)
    claim = f"the Service was back {seconds * 1000:.0f} ms after its deletion"
    scene.require(seconds < _REPAIR_SECONDS, f"{claim} (less than a second)")
    scene.settle("bookstores", STORE)


def grow_volume(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """Grow the database: 2Gi to 3Gi"""
    scene.narrator.say(
        "The claims belong to the StatefulSet controller, and a StatefulSet cannot change its "
        "claim template. The chart's operator folder says what to do; the engine knows no "
        "StatefulSet."
    )
    uid = scene.kube.get("statefulsets", "store-mongodb", scene.namespace)["metadata"]["uid"]
    scene.change("bookstore", STORE, '{"spec":{"bookDB":{"dbSize":"3Gi"}}}')
    for name in _CLAIMS:
        scene.await_object("persistentvolumeclaims", name, _has_capacity("3Gi"), "grown to 3Gi")
    scene.in_namespace("get", "persistentvolumeclaims", _CLAIM_COLUMNS)
    scene.require(_capacities(scene) == {"3Gi"}, "every claim has grown to 3Gi")
    now = scene.kube.get("statefulsets", "store-mongodb", scene.namespace)["metadata"]["uid"]
    scene.require(now == uid, "the StatefulSet is the same object: neither rejected nor recreated")


def shrink_volume(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """Shrink it, in the same edit as a new tag: refused, and the rest applies"""
    patch = '{"spec":{"bookApp":{"tag":"3.0"},"bookDB":{"dbSize":"2Gi"}}}'
    store = scene.change("bookstore", STORE, patch)
    scene.in_namespace("get", "bookstore", STORE, _HELD)
    held = condition(store, "FieldsHeld")
    scene.require(held and held["reason"] == "ShrinkRefused", "the condition FieldsHeld says so")
    scene.require(_capacities(scene) == {"3Gi"}, "the claims are left at 3Gi")
    scene.require(_image(scene).endswith(":3.0"), "the new tag is applied all the same")


def roll_back(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """Roll back to revision 1, and it sticks"""
    before = scene.kube.get("bookstores", STORE, scene.namespace)
    latest = before["status"]["revision"]
    scene.in_namespace("annotate", "bookstore", STORE, "chartwright.io/rollback-to=1")
    scene.await_object(
        "bookstores", STORE, lambda s: s["status"]["revision"] == latest + 1, "a new revision"
    )
    scene.settle("bookstores", STORE)
    helm = build.ensure(["helm"])["helm"]
    _show_history(scene, helm)
    scene.require(_image(scene).endswith(":1.0"), f"revision {latest + 1} is revision 1 again")
    scene.require(_capacities(scene) == {"3Gi"}, "what cannot go back stays: the claims have 3Gi")
    store = scene.kube.get("bookstores", STORE, scene.namespace)
    scene.require(store["spec"] == before["spec"], "the spec is as the user wrote it")
    scene.narrator.say("A reconcile is asked for: it must not undo the rollback.")
    passes = _passes(scene.operator)
    request = f"chartwright.io/reconcile-requested-at={int(time.time())}"
    scene.in_namespace("annotate", "bookstore", STORE, request)
    wait_until(
        lambda: _passes(scene.operator) > passes,
        timeout_seconds=scene.timeout_seconds,
        what="another reconcile",
    )
    store = scene.settle("bookstores", STORE)
    kept = store["status"]["revision"] == latest + 1 and _image(scene).endswith(":1.0")
    scene.require(kept, f"revision {latest + 1} is still in force")


def run_podset(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """Bare pods: PodSet"""
    scene.in_namespace("apply", "-f", "deploy/samples/podset.yaml")
    scene.settle("podsets", "example-podset")
    scene.in_namespace("get", "pods", "-l=app=example-podset")
    uids = _pods(scene)
    scene.require(len(uids) == 3, "three pods")
    podset = scene.change("podset", "example-podset", '{"spec":{"replicas":2}}')
    wait_until(lambda: len(_pods(scene)) == 2, what="one pod fewer")
    scene.in_namespace("get", "podset", "example-podset")
    left = _pods(scene)
    scene.require(left.items() < uids.items(), "one pod is gone, the other two are the same pods")
    podset = scene.await_object(
        "podsets", "example-podset", lambda p: len(p["status"]["podNames"]) == 2, "two pod names"
    )
    listed = sorted(podset["status"]["podNames"])
    scene.require(listed == sorted(left), "status.podNames lists them")


def run_demovolume(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """A volume: DemoVolume"""
    scene.in_namespace("apply", "-f", "deploy/samples/demovolume.yaml")
    name = "demovolume-sample"
    volume = scene.settle("demovolumes", name)
    scene.require(volume["status"]["name"] == volume["spec"]["name"], "status.name is spec.name")
    scene.change("demovolume", name, '{"spec":{"size":20}}')
    scene.await_object("persistentvolumeclaims", name, _has_capacity("20Gi"), "grown to 20Gi")
    volume = scene.change("demovolume", name, '{"spec":{"size":10}}')
    scene.in_namespace("get", "demovolume", name, _HELD)
    scene.in_namespace("get", "persistentvolumeclaim", name, _CLAIM_COLUMNS)
    scene.require(condition(volume, "FieldsHeld"), "growing works, shrinking is refused")


def delete_store(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """Delete the BookStore: children go, the data stays"""
    store = scene.kube.get("bookstores", STORE, scene.namespace)
    children = owned_by(scene, store)
    scene.in_namespace("delete", "bookstore", STORE)
    for plural, name in children:
        scene.kube.wait_gone(plural, name, scene.namespace, timeout_seconds=scene.timeout_seconds)
    scene.in_namespace("get", "deployments,statefulsets,services")
    scene.require(not owned_by(scene, store), "the four children were collected")
    scene.in_namespace("get", "persistentvolumeclaims", _CLAIM_COLUMNS)
    scene.require(
        _capacities(scene) == {"3Gi"},
        "the claims stay, as charts/bookstore/README.md says: a new BookStore finds its data",
    )


def stop_operator(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """Stop the operator"""
    ended = scene.operator.stop()
    scene.require(ended.code == 0, f"SIGTERM: it drained and ended with 0 in {ended.seconds:.1f} s")


def _show_writes(scene: Scene, mark: Mark) -> None:
    """Prints the operator's writes since the mark, and requires one write to a child."""
    writes = [
        request
        for request in scene.cluster.audit.requests(mark, user_agent=OPERATOR_AGENT)
        if request.is_write() and request.resource != "events"
    ]
    scene.narrator.say(
        "What the operator wrote besides Events, from the audit log of the API server:"
    )
    rows = [(r.verb, r.resource, r.name or "(new)", r.code) for r in writes]
    scene.narrator.table([("VERB", "RESOURCE", "NAME", "CODE"), *rows])
    children = [r for r in writes if r.resource in _CHILD_KINDS]
    scene.require(
        [(r.verb, r.resource, r.name) for r in children] == [("patch", "deployments", STORE)],
        "one write to one child; the rest is the new revision and the status",
    )


def _show_history(scene: Scene, helm: pathlib.Path) -> None:
    words = ("history", STORE, "-n", scene.namespace)
    scene.narrator.command(("helm", *words), scene.run_program(helm, *words))


def _versions(scene: Scene) -> dict[str, str]:
    """Returns the values that change with a write to an object's spec, but not its status."""
    found = {}
    for plural in ("deployments", "statefulsets", "services"):
        for obj in scene.kube.list(plural, scene.namespace):
            metadata = obj["metadata"]
            version = str(metadata.get("generation") or metadata["resourceVersion"])
            found[f"{plural}/{metadata['name']}"] = version
    return found


def _image(scene: Scene) -> str:
    deployment = scene.kube.get("deployments", STORE, scene.namespace)
    return deployment["spec"]["template"]["spec"]["containers"][0]["image"]


def _has_capacity(size: str):
    return lambda claim: claim["status"].get("capacity", {}).get("storage") == size


def _capacities(scene: Scene) -> set[str]:
    claims = (scene.kube.get("persistentvolumeclaims", n, scene.namespace) for n in _CLAIMS)
    return {claim["status"]["capacity"]["storage"] for claim in claims}


def _pods(scene: Scene) -> dict[str, str]:
    pods = scene.kube.list("pods", scene.namespace, labels="app=example-podset")
    return {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in pods}


def _passes(operator: Operator) -> float:
    prefix = 'controller_runtime_reconcile_total{controller="bookstore-controller"'
    return sum(value for name, value in operator.metrics().items() if name.startswith(prefix))
