# SPDX-License-Identifier: Apache-2.0
"""What all tests of a session share: names, places, and how the operators are started."""

from e2e import custom_resource
from harness.cluster import Cluster
from harness.connection import ApiError
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions
from harness.paths import REPOSITORY

# Where the shipped manifests put the operator, and its account and Role.
SYSTEM = "chartwright-system"
OPERATOR = "chartwright"
# The account and Role of operators that run the test chart.
WIDGETS = "chartwright-e2e-widgets"

DEPLOY = REPOSITORY / "deploy"
WIDGET_FILES = REPOSITORY / "test" / "e2e" / "widget"


def user_of(account: str) -> str:
    """Returns the user name of an account in the operator's namespace."""
    return f"system:serviceaccount:{SYSTEM}:{account}"


def install(cluster: Cluster) -> None:
    """Does what `kubectl apply -k deploy` does, but for the Deployment; adds the test kinds."""
    cluster.kubectl("apply", "-f", str(DEPLOY / "manager" / "namespace.yaml"))
    cluster.kubectl("apply", "-k", str(DEPLOY / "crd"))
    cluster.kubectl("apply", "-k", str(DEPLOY / "rbac"))
    cluster.kubectl("apply", "-f", str(WIDGET_FILES / "cluster.yaml"))
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    cluster.learn_kinds()
    for kind in (*custom_resource.SHIPPED, custom_resource.WIDGET):
        wait_until(lambda kind=kind: _is_served(cluster, kind), what=f"{kind} being served")


def _is_served(cluster: Cluster, kind: str) -> bool:
    """Whether objects of a fresh CRD can be listed: an established one answers 429 for a moment."""
    try:
        cluster.kube.list(kind)
        return True
    except ApiError as error:
        if error.code != 429:
            raise
        return False


def shipped_operator(cluster: Cluster) -> Operator:
    """Returns the operator as shipped, not started: its account, all namespaces, the three charts.

    It has no resync, so that whatever it does is the answer to an event.
    """
    kubeconfig = cluster.service_account_kubeconfig(SYSTEM, OPERATOR)
    return Operator(OperatorOptions(kubeconfig, arguments=("--reconcile-period=0",)))


def widget_operator(cluster: Cluster, *arguments: str, **options) -> Operator:
    """Returns an operator of the test chart, not started; `options` are of OperatorOptions."""
    chosen = {"watches_file": WIDGET_FILES / "watches.yaml", **options}
    kubeconfig = cluster.service_account_kubeconfig(SYSTEM, WIDGETS)
    arguments = ("--reconcile-period=0", *arguments)
    return Operator(OperatorOptions(kubeconfig, arguments=arguments, **chosen))


def ensure_running(operator: Operator) -> Operator:
    """Starts the operator unless it runs; returns it, ready."""
    if not operator.running():
        operator.close()
        operator.start()
    return operator
