# SPDX-License-Identifier: Apache-2.0
"""Definitions that all tests of a session share: names, paths, and how to start operators."""

import contextlib
import json
import pathlib
import shutil
import subprocess

from cluster import build
from e2e import custom_resource
from harness.cluster import Cluster
from harness.connection import ApiError
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions
from harness.paths import REPOSITORY

# The namespace of the operator in the shipped manifests, and its account and Role.
SYSTEM = "chartwright-system"
OPERATOR = "chartwright"
# The account and Role of operators with the test chart.
WIDGETS = "chartwright-e2e-widgets"

DEPLOY = REPOSITORY / "deploy"
WIDGET_FILES = REPOSITORY / "test" / "e2e" / "widget"
WIDGET_CHART = REPOSITORY / "test" / "e2e" / "charts" / "widget"
WIDGET_WATCH = "- {group: e2e.chartwright.io, version: v1, kind: Widget, chart: chart}\n"


def user_of(account: str) -> str:
    """Returns the user name of a service account in the operator's namespace."""
    return f"system:serviceaccount:{SYSTEM}:{account}"


def install(cluster: Cluster) -> None:
    """Installs deploy/ as `kubectl apply -k` does, but no Deployment; adds the test kinds."""
    cluster.kubectl("apply", "-f", str(DEPLOY / "manager" / "namespace.yaml"))
    cluster.kubectl("apply", "-k", str(DEPLOY / "crd"))
    cluster.kubectl("apply", "-k", str(DEPLOY / "rbac"))
    cluster.kubectl("apply", "-f", str(WIDGET_FILES / "cluster.yaml"))
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    cluster.learn_kinds()
    for kind in (*custom_resource.SHIPPED, custom_resource.WIDGET):
        wait_until(lambda kind=kind: is_served(cluster, kind), what=f"{kind} being served")


def is_served(cluster: Cluster, kind: str) -> bool:
    """Reports whether objects of a new CRD can be listed.

    At first discovery may not have it, and the server answers 404 or 429.
    """
    try:
        cluster.kube.list(kind)
        return True
    except LookupError:
        return False
    except ApiError as error:
        if error.code not in (404, 429):
            raise
        return False


def shipped_operator(cluster: Cluster) -> Operator:
    """Returns the operator as shipped, not started: its account, all namespaces, the four charts.

    It has no resync, so everything that it does is the reaction to an event.
    """
    kubeconfig = cluster.service_account_kubeconfig(SYSTEM, OPERATOR)
    return Operator(OperatorOptions(kubeconfig, arguments=("--reconcile-period=0",)))


def widget_operator(cluster: Cluster, *arguments: str, **options) -> Operator:
    """Returns an operator of the test chart, not started; `options` are for OperatorOptions."""
    chosen = {
        "watches_file": WIDGET_FILES / "watches.yaml",
        "kubeconfig": cluster.service_account_kubeconfig(SYSTEM, WIDGETS),
        **options,
    }
    return Operator(OperatorOptions(arguments=("--reconcile-period=0", *arguments), **chosen))


def widget_project(folder: pathlib.Path, files: dict[str, str]) -> dict:
    """Writes a project with the test chart, to which `files` are added by path.

    Returns the options of `widget_operator` that run it.
    """
    chart = folder / "chart"
    shutil.copytree(WIDGET_CHART, chart)
    for name, text in files.items():
        (chart / name).parent.mkdir(parents=True, exist_ok=True)
        (chart / name).write_text(text, encoding="utf-8")
    watches = folder / "watches.yaml"
    watches.write_text(WIDGET_WATCH, encoding="utf-8")
    return {"cwd": folder, "watches_file": watches}


@contextlib.contextmanager
def admin_account(cluster: Cluster, name: str):
    """Provides the kubeconfig of a new account in the operator's namespace that has all rights."""
    cluster.kubectl("-n", SYSTEM, "create", "serviceaccount", name)
    binding = ("clusterrolebinding", name)
    cluster.kubectl(
        "create", *binding, "--clusterrole=cluster-admin", f"--serviceaccount={SYSTEM}:{name}"
    )
    try:
        yield cluster.service_account_kubeconfig(SYSTEM, name)
    finally:
        cluster.kubectl("delete", *binding)
        cluster.kubectl("-n", SYSTEM, "delete", "serviceaccount", name)


def helm_in(cluster: Cluster, namespace: str):
    """Returns a function that runs the real Helm in a namespace, and returns its output."""
    binary = build.ensure(["helm"])["helm"]

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [binary, "--namespace", namespace, *arguments],
            env=cluster.kubectl.environment(),
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def pet_operator(
    cluster: Cluster,
    folder: pathlib.Path,
    values: dict,
    chart: str = "charts/pet",
    *,
    adoption: str = "consent",
    **options,
) -> Operator:
    """Returns an operator of Pets, not started, under the shipped account; `values` override."""
    watches = folder / "watches.yaml"
    entry = {
        "group": "petstore.example.com",
        "version": "v1alpha1",
        "kind": "Pet",
        "chart": chart,
        "adoption": adoption,
        "overrideValues": values,
    }
    watches.write_text(json.dumps([entry]), encoding="utf-8")
    chosen = {
        "kubeconfig": cluster.service_account_kubeconfig(SYSTEM, OPERATOR),
        "watches_file": watches,
        "arguments": ("--reconcile-period=0",),
        **options,
    }
    return Operator(OperatorOptions(**chosen))


def ensure_running(operator: Operator) -> Operator:
    """Starts the operator if it is not running; returns it when it is ready."""
    if not operator.running():
        operator.close()
        operator.start()
    return operator
