# SPDX-License-Identifier: Apache-2.0
"""A cluster for tests: the one of KUBECONFIG, or a control plane of our own."""

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

    Only a cluster started here stops with the context. Attributes: `kubeconfig` (path), `external`
    (whether it is not ours), `name` (None if external), `state` (its folder, None if external).
    """

    def __init__(
        self, kubeconfig: pathlib.Path | str, *, name: str | None = None, owned: bool = False
    ):
        self.kubeconfig = pathlib.Path(kubeconfig)
        self.name = name
        self.external = name is None
        self.state = State(name) if name is not None else None
        self._owned = owned
        self._scratch: str | None = None

    @classmethod
    def acquire(cls, name: str | None = None, options: Options = Options()) -> "Cluster":
        """Uses the cluster of KUBECONFIG if that is set, else starts one."""
        kubeconfig = os.environ.get("KUBECONFIG")
        if not kubeconfig:
            return cls.start(name, options)
        # Set by `cluster run`: KUBECONFIG is one of our clusters, whose audit log can be read.
        return cls(kubeconfig, name=os.environ.get("CHARTWRIGHT_CLUSTER"))

    @classmethod
    def start(cls, name: str | None = None, options: Options = Options()) -> "Cluster":
        """Starts a control plane that stops with the context, at the latest with this process."""
        name = name or f"test-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        control.up(name, options, owner_pid=os.getpid())
        return cls(State(name).kubeconfig, name=name, owned=True)

    @classmethod
    def attach(cls, name: str) -> "Cluster":
        """Uses a running control plane and does not stop it."""
        return cls(State(name).kubeconfig, name=name)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_exc) -> None:
        self.close()

    def close(self) -> None:
        """Stops the cluster if it was started here."""
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
        """Returns a kubeconfig for an existing service account, with a new token."""
        if self._scratch is None:
            self._scratch = tempfile.mkdtemp(prefix="chartwright-test-")
        path = pathlib.Path(self._scratch, f"{namespace}.{name}.kubeconfig")
        return service_account.mint(self.kube, namespace, name, path)

    def create_namespace(self, prefix: str = "test") -> str:
        """Creates a namespace with a new name, waits until it is usable, and returns its name."""
        name = f"{prefix}-{uuid.uuid4().hex[:8]}"
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        self.kube.create(namespace)
        self.kube.wait("v1/ServiceAccount", "default", name, lambda account: account is not None)
        return name

    def abandon_namespace(self, name: str) -> None:
        """Deletes a namespace for which no test has a use any more, and does not wait for that.

        One in a cluster of ours ends with it: its deletion would take more than a hundred requests,
        two for each kind, which most tests do not make.
        """
        if self.external:
            self.kube.delete("v1/Namespace", name)

    def stop_component(self, component: str) -> None:
        """Kills a component (for example, `kube-apiserver`) and returns when it is gone."""
        self._ask("stop", component)

    def start_component(self, component: str) -> None:
        """Starts a stopped component; an API server is ready on return."""
        self._ask("start", component)

    def learn_kinds(self) -> None:
        """Makes the garbage collector discover kinds (CRDs) that were created since it started.

        On its own it needs about 40 s, and until then does not delete the children of such objects.
        Does nothing on an external cluster.
        """
        if not self.external:
            self.stop_component("kube-controller-manager")
            self.start_component("kube-controller-manager")

    def _ask(self, verb: str, component: str) -> None:
        if self.external:
            raise RuntimeError("components of an external cluster are not ours to stop or start")
        control.ask(self.state, verb, component)
