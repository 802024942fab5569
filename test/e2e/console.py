# SPDX-License-Identifier: Apache-2.0
"""Commands of the binary for custom resources, run as the administrator or as somebody with few
rights.
"""

import contextlib
import pathlib
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator

from harness.cluster import Cluster
from harness.operator import default_binary

LINE_SECONDS_MAX = 60


def run(
    cluster: Cluster, namespace: str, *arguments: str, kubeconfig: pathlib.Path | None = None, **env
) -> subprocess.CompletedProcess:
    """Runs a command in a namespace; `env` are variables of its environment."""
    place = ("--kubeconfig", str(kubeconfig or cluster.kubeconfig), "-n", namespace)
    return subprocess.run(
        [str(default_binary()), *arguments, *place],
        env={"LANG": "C.UTF-8", **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@contextlib.contextmanager
def following(cluster: Cluster, namespace: str, *arguments: str) -> Iterator[Callable[[], str]]:
    """Provides a function that returns the next line of a command that goes on."""
    place = ("--kubeconfig", str(cluster.kubeconfig), "-n", namespace)
    with subprocess.Popen(
        [str(default_binary()), *arguments, *place], stdout=subprocess.PIPE, text=True
    ) as process:
        lines: queue.Queue[str] = queue.Queue()
        reader = threading.Thread(
            target=lambda: [lines.put(line) for line in process.stdout], daemon=True
        )
        reader.start()
        try:
            yield lambda: lines.get(timeout=LINE_SECONDS_MAX)
        finally:
            process.kill()
            reader.join()


def rows(text: str) -> list[list[str]]:
    """Returns the cells of a table; they may have single spaces."""
    return [
        [cell.strip() for cell in line.split("   ") if cell.strip()] for line in text.splitlines()
    ]


def viewer(cluster: Cluster, namespace: str, *rules: tuple[str, str, str]) -> pathlib.Path:
    """Returns the kubeconfig of a new account that may do no more than the rules say, each of which
    is a group, resources and verbs: ("apps", "deployments", "get").
    """
    account = {"metadata": {"name": "viewer", "namespace": namespace}}
    cluster.kube.create({"apiVersion": "v1", "kind": "ServiceAccount", **account})
    rbac = {"apiVersion": "rbac.authorization.k8s.io/v1", **account}
    granted = [
        {"apiGroups": [group], "resources": resources.split(), "verbs": verbs.split()}
        for group, resources, verbs in rules
    ]
    cluster.kube.create({**rbac, "kind": "Role", "rules": granted})
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "viewer"}
    subject = {"kind": "ServiceAccount", "name": "viewer", "namespace": namespace}
    cluster.kube.create(
        {**rbac, "kind": "RoleBinding", "roleRef": reference, "subjects": [subject]}
    )
    return cluster.service_account_kubeconfig(namespace, "viewer")
