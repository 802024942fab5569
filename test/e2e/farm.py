# SPDX-License-Identifier: Apache-2.0
"""The farm of charts/farm: its account and rights, and its server of views."""

import contextlib

from harness.cluster import Cluster
from harness.paths import REPOSITORY
from harness.views import ViewOptions, ViewServer

FARM = REPOSITORY / "charts" / "farm"
API = "v1alpha.farm.example.com"
ROOT = "/apis/farm.example.com/v1alpha"
SERVICE = "default/farm-operator"


def install(cluster: Cluster) -> None:
    """Creates the account that the farm ships, with its rights, and its APIService.

    Its Service would lead to a pod, which nothing runs here.
    """
    cluster.kubectl("apply", "-k", str(FARM / "deploy" / "rbac"))
    cluster.kubectl("apply", "-f", str(FARM / "deploy" / "views" / "apiservices.yaml"))


@contextlib.contextmanager
def declared(cluster: Cluster):
    """Provides the farm's server, under the rights that it ships with, not started."""
    kubeconfig = cluster.service_account_kubeconfig("default", "farm-operator")
    with ViewServer(cluster.kube, ViewOptions(kubeconfig, FARM / "views", SERVICE)) as server:
        server.create_service()
        yield server


def ensure_serving(server: ViewServer) -> ViewServer:
    """Starts the server if it does not run; returns it when the API server uses it."""
    if not server.running():
        server.start()
    server.wait_available(API)
    return server


def end_of_watch(cluster: Cluster, path: str, query: dict) -> tuple[str, int, str]:
    """Returns the only event of a watch that ends at once."""
    (event,) = cluster.kube.connection.stream(path, query, 30)
    return event["type"], event["object"]["code"], event["object"]["reason"]
