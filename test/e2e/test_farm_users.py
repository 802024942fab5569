# SPDX-License-Identifier: Apache-2.0
"""The roles that the farm ships for users, through those of Kubernetes; on a cluster of its own."""

import contextlib

from e2e import farm as farms
from harness.cluster import Cluster
from harness.kube import wait_until


def test_a_viewer_of_a_namespace_reads_the_views_of_it():
    with Cluster.start() as plane, contextlib.ExitStack() as ending:
        farms.install(plane)
        farms.ensure_serving(ending.enter_context(farms.declared(plane)))
        namespace = plane.create_namespace("farm")
        plane.kubectl("run", "web", "--image=x", "-n", namespace)
        account = f"system:serviceaccount:{namespace}:default"
        listed = ("get", "farmpods", "-o", "name", f"--as={account}", "-n")
        subject = f"--serviceaccount={namespace}:default"
        viewer = ("rolebinding", "viewer", "--clusterrole=view", subject)
        plane.kubectl("create", *viewer, "-n", namespace)
        assert "forbidden" in plane.kubectl.run(*listed, namespace).stderr
        plane.kubectl("apply", "-k", str(farms.FARM / "deploy" / "users"))
        # A controller of the cluster takes the role up, and the authorizer learns of it later.
        seen = "farmpod.farm.example.com/farm-web\n"
        wait_until(
            lambda: plane.kubectl.run(*listed, namespace).stdout == seen,
            what="the view of a viewer",
        )
        assert "forbidden" in plane.kubectl.run(*listed, "default").stderr
