# SPDX-License-Identifier: Apache-2.0
"""Cluster-scoped custom resources: their releases are in the operator's own namespace."""

import pytest

from e2e import session
from e2e.custom_resource import (
    CLUSTER_WIDGET,
    CONFIGMAP,
    SECRET,
    CustomResource,
    is_controlled_by,
)
from e2e.session import WIDGET_FILES

WATCHES = WIDGET_FILES / "cluster_scoped.yaml"


@pytest.fixture
def widget(cluster, namespace):
    """A cluster-scoped custom resource, named after the test's namespace, not yet created."""
    declared = CustomResource(cluster, CLUSTER_WIDGET, None, namespace)
    yield declared
    declared.delete()
    declared.wait_gone()


@pytest.fixture
def home(cluster, namespace):
    """An operator whose own namespace is that of the test."""
    with session.widget_operator(
        cluster, watches_file=WATCHES, environment={"POD_NAMESPACE": namespace}
    ) as operator:
        yield operator


def test_install_repair_rollback_and_collection(cluster, namespace, home, widget):
    widget.create({"text": "one", "password": "x"})
    widget.wait_ready()
    uid = widget.uid()
    first = f"{namespace}-0"
    child = cluster.kube.get(CONFIGMAP, first, namespace)
    assert is_controlled_by(child, uid)
    record = f"sh.helm.release.v1.{namespace}.v1"
    assert is_controlled_by(cluster.kube.get(SECRET, record, namespace), uid)
    # No finalizer: a cluster-scoped owner can own objects in any namespace.
    assert "finalizers" not in widget.get()["metadata"]

    cluster.kube.delete(CONFIGMAP, first, namespace)
    cluster.kube.wait(
        CONFIGMAP,
        first,
        namespace,
        lambda obj: obj is not None and obj["metadata"]["uid"] != child["metadata"]["uid"],
        what="its return",
    )

    widget.patch({"text": "two"})
    widget.wait_revision(2)
    widget.annotate(rollback_to="previous")
    widget.wait_revision(3)
    assert cluster.kube.get(CONFIGMAP, first, namespace)["data"]["text"] == "one"

    home.stop()
    home.close()
    home.start()
    widget.annotate(rollback_to=None)
    widget.wait_revision(4)
    assert cluster.kube.get(CONFIGMAP, first, namespace)["data"]["text"] == "two"

    widget.delete()
    cluster.kube.wait_gone(CONFIGMAP, first, namespace)
    cluster.kube.wait_gone(SECRET, record, namespace)


def test_an_own_namespace_that_is_not_watched_is_reported(cluster, namespace, widget):
    operator = session.widget_operator(
        cluster,
        watches_file=WATCHES,
        namespaces=(namespace,),
        environment={"POD_NAMESPACE": session.SYSTEM},
    )
    with operator:
        widget.create()
        stalled = widget.wait_condition("ReleaseFailed", "True", "InstallError")
    assert "POD_NAMESPACE" in stalled["message"] and "WATCH_NAMESPACE" in stalled["message"]
