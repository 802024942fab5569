# SPDX-License-Identifier: Apache-2.0
"""A cluster to test in: the one that KUBECONFIG names, or a control plane of our own."""

import functools
import os
import pathlib
import shutil
import tempfile
import uuid

from cluster import build, control
from cluster.components import Options
from cluster.state import State
from harness import service_account
from harness.audit import AuditLog
from harness.kube import Kube
from harness.kubectl import Kubectl


class Cluster:
    """A running cluster with all rights in it; a context manager.

    Only a cluster started here ends with the context. Attributes: `kubeconfig` (path), `external`
    (whether someone else's), `name` (None if external), `state` (its folder, None if external).
    """

    def __init__(self, kubeconfig, *, name: str | None = None, owned: bool = False):
        self.kubeconfig = pathlib.Path(kubeconfig)
        self.name = name
        self.external = name is None
        self.state = State(name) if name is not None else None
        self._owned = owned
        self._scratch: str | None = None

    @classmethod
    def acquire(cls, name: str | None = None, options: Options = Options()) -> "Cluster":
        """Uses the cluster that KUBECONFIG names, if it is set; starts one otherwise."""
        kubeconfig = os.environ.get("KUBECONFIG")
        if not kubeconfig:
            return cls.start(name, options)
        # `cluster run` says that KUBECONFIG is one of ours, whose audit log can be read.
        return cls(kubeconfig, name=os.environ.get("CHARTWRIGHT_CLUSTER"))

    @classmethod
    def start(cls, name: str | None = None, options: Options = Options()) -> "Cluster":
        """Starts a control plane that ends with the context, or else with this process."""
        name = name or f"test-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        control.up(name, options, owner_pid=os.getpid())
        return cls(State(name).kubeconfig, name=name, owned=True)

    @classmethod
    def attach(cls, name: str) -> "Cluster":
        """Uses a control plane that is up already, and leaves it up."""
        return cls(State(name).kubeconfig, name=name)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_exc) -> None:
        self.close()

    def close(self) -> None:
        """Ends the cluster if it was started here."""
        if self._owned:
            control.down(self.name)
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    @functools.cached_property
    def kubectl(self) -> Kubectl:
        """The kubectl of the built version, with all rights."""
        return Kubectl(build.ensure(["kubectl"])["kubectl"], self.kubeconfig)

    @functools.cached_property
    def kube(self) -> Kube:
        """A direct client with all rights."""
        return Kube.from_kubeconfig(self.kubeconfig, self.kubectl.binary)

    @functools.cached_property
    def audit(self) -> AuditLog | None:
        """The audit log; None for an external cluster."""
        return None if self.external else AuditLog(self.state.audit_log, self.kube)

    def service_account_kubeconfig(self, namespace: str, name: str) -> pathlib.Path:
        """Returns a kubeconfig for an existing service account, with a fresh token."""
        if self._scratch is None:
            self._scratch = tempfile.mkdtemp(prefix="chartwright-test-")
        path = pathlib.Path(self._scratch, f"{namespace}.{name}.kubeconfig")
        return service_account.mint(self.kube, namespace, name, path)

    def create_namespace(self, prefix: str = "test") -> str:
        """Creates a namespace with a name not used before, waits until it is usable, returns it."""
        name = f"{prefix}-{uuid.uuid4().hex[:8]}"
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        self.kube.create(namespace)
        self.kube.wait("v1/ServiceAccount", "default", name, lambda account: account is not None)
        return name

    def stop_component(self, component: str) -> None:
        """Kills a component, `kube-apiserver` for example, and returns when it is gone."""
        self._ask("stop", component)

    def start_component(self, component: str) -> None:
        """Starts a component that was stopped; an API server is ready on return."""
        self._ask("start", component)

    def learn_kinds(self) -> None:
        """Makes the garbage collector learn of kinds (CRDs) created since it started, at once.

        It does so by itself within about 40 s, and until then leaves the children of such objects;
        an external cluster is left to that.
        """
        if not self.external:
            self.stop_component("kube-controller-manager")
            self.start_component("kube-controller-manager")

    def _ask(self, verb: str, component: str) -> None:
        if self.external:
            raise RuntimeError("components of an external cluster are not ours to stop or start")
        control.ask(self.state, verb, component)
