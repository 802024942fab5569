# SPDX-License-Identifier: Apache-2.0
"""The first steps, shared by demo and play: control plane, CRDs and rights, operator."""

import contextlib
import os
import pathlib

from cluster import build
from demo.scene import Scene
from harness.cluster import Cluster
from harness.operator import Operator, OperatorOptions, default_binary
from harness.paths import REPOSITORY

ACCOUNT = ("chartwright-system", "chartwright")
# As a user installs it, except for the Deployment: the operator runs from the build folder.
_INSTALLED = (
    ("-f", "deploy/manager/namespace.yaml"),
    ("-k", "deploy/crd"),
    ("-k", "deploy/rbac"),
)


def start_control_plane(scene: Scene, stack: contextlib.ExitStack) -> None:
    """Start a Kubernetes control plane"""
    # Builds first, because that takes minutes on a new machine; see test/cluster.
    build.ensure([*build.CONTROL_PLANE, "helm"])
    scene.cluster = stack.enter_context(Cluster.acquire())
    if scene.cluster.external:
        scene.narrator.say("KUBECONFIG is set: this is your cluster, and nothing is started.")
    else:
        scene.narrator.say(
            "etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and kwok for the node."
        )
    version = scene.kubectl("version")
    scene.require("Server Version" in version, "the API server answers")
    scene.kubectl("get", "nodes")


def install(scene: Scene, stack: contextlib.ExitStack) -> None:
    """Install the CRDs, and the rights that the operator gets"""
    for source in _INSTALLED:
        _install_source(scene, stack, source)
    scene.kubectl("wait", "--for=condition=Established", "crd", *_crds(), "--timeout=30s")
    # On its own, the garbage collector would discover new kinds within 30 s.
    scene.cluster.learn_kinds()
    _create_namespace(scene, stack)


def start_operator(scene: Scene, stack: contextlib.ExitStack) -> None:
    """Start the operator under its own ServiceAccount"""
    scene.operator = run_operator(scene, stack, "watches.yaml")
    user = f"--as=system:serviceaccount:{':'.join(ACCOUNT)}"
    scene.kubectl("auth", "can-i", "create", "pods", user)
    denied = scene.cluster.kubectl.run("auth", "can-i", "create", "nodes", user)
    scene.require(denied.stdout.strip() == "no", "it may write what the charts render, not nodes")


def run_operator(
    scene: Scene, stack: contextlib.ExitStack, watches_file: pathlib.Path | str
) -> Operator:
    """Shows and starts an operator for the namespace of the scene; returns it, ready."""
    kubeconfig = scene.cluster.service_account_kubeconfig(*ACCOUNT)
    operator = Operator(
        OperatorOptions(
            kubeconfig=kubeconfig, watches_file=watches_file, namespaces=(scene.namespace,)
        )
    )
    scene.logs.append(operator.log_path)
    stack.enter_context(operator)
    scene.narrator.command(
        (
            "env",
            f"KUBECONFIG={kubeconfig}",
            f"WATCH_NAMESPACE={scene.namespace}",
            os.path.relpath(default_binary(), REPOSITORY),
            "run",
            f"--watches-file={watches_file}",
        )
    )
    scene.require(operator.http_status("/readyz") == 200, "/readyz answers 200")
    return operator


def create_store(scene: Scene, _stack: contextlib.ExitStack) -> None:
    """Create a BookStore"""
    scene.in_namespace("apply", "-f", "test/demo/bookstore.yaml")
    store = scene.settle("bookstores", "store")
    scene.in_namespace("get", "bookstores")
    scene.in_namespace(
        "get",
        "deployments,statefulsets,services",
        "-o=custom-columns=KIND:.kind,NAME:.metadata.name,"
        "OWNER:.metadata.ownerReferences[*].kind,OWNER-NAME:.metadata.ownerReferences[*].name",
    )
    children = owned_by(scene, store)
    scene.require(
        sorted(kind for kind, _ in children)
        == ["deployments", "services", "services", "statefulsets"],
        "four children, each with a controller reference that carries the BookStore's uid",
    )
    scene.in_namespace("get", "pods,persistentvolumeclaims")


def owned_by(scene: Scene, owner: dict) -> list[tuple[str, str]]:
    """Returns (plural, name) of the objects whose controller reference is `owner`."""
    uid = owner["metadata"]["uid"]
    found = []
    for plural in ("deployments", "statefulsets", "services"):
        for obj in scene.kube.list(plural, scene.namespace):
            references = obj["metadata"].get("ownerReferences", [])
            if any(ref.get("controller") and ref["uid"] == uid for ref in references):
                found.append((plural, obj["metadata"]["name"]))
    return found


def _crds() -> tuple[str, ...]:
    return tuple(path.stem for path in sorted((REPOSITORY / "deploy" / "crd").glob("*.*.yaml")))


def _install_source(scene: Scene, stack: contextlib.ExitStack, source: tuple[str, str]) -> None:
    # Objects that an external cluster already had must stay.
    there = scene.cluster.kubectl("get", *source, "--ignore-not-found", "-o", "name").strip()
    if scene.cluster.external and not there:
        words = ("delete", *source, "--ignore-not-found", "--wait=false")
        stack.callback(scene.cluster.kubectl, *words)
    scene.kubectl("apply", *source)


def _create_namespace(scene: Scene, stack: contextlib.ExitStack) -> None:
    if scene.cluster.external:
        scene.namespace = scene.cluster.create_namespace("demo")
        words = ("delete", "namespace", scene.namespace, "--wait=false")
        stack.callback(scene.cluster.kubectl, *words)
        return
    scene.kubectl("create", "namespace", scene.namespace)
    # Pods need this account.
    scene.await_object("serviceaccounts", "default", lambda _: True, "the default account")
