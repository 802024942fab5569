# SPDX-License-Identifier: Apache-2.0
"""The generated roles for users, through the roles of Kubernetes, with real users."""

import pytest

from e2e import session
from e2e.custom_resource import WIDGET
from e2e.test_generate import generate
from harness.connection import ApiError
from harness.kube import Kube, wait_until


@pytest.fixture
def user_roles(cluster):
    """The generated roles for users of Widgets."""
    watches = str(session.WIDGET_FILES / "watches.yaml")
    roles = generate("user-roles", watches, "--name", "widgets-for-users")
    cluster.kubectl("apply", "-f", "-", input=roles)
    yield
    cluster.kubectl("delete", "--ignore-not-found", "-f", "-", input=roles)


def user_with(cluster, namespace: str, role: str) -> Kube:
    """Returns a client with the rights of a ClusterRole of Kubernetes in a namespace."""
    cluster.kubectl("create", "serviceaccount", role, "-n", namespace)
    subject = f"--serviceaccount={namespace}:{role}"
    cluster.kubectl(
        "create", "rolebinding", role, f"--clusterrole={role}", subject, "-n", namespace
    )
    return Kube.from_kubeconfig(
        cluster.service_account_kubeconfig(namespace, role), cluster.kubectl.binary
    )


def widget(name: str, namespace: str) -> dict:
    """Returns a Widget that does not exist yet."""
    api_version, _, kind = WIDGET.rpartition("/")
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": {}}


def refused(call) -> bool:
    """Reports whether the API server forbids a call."""
    try:
        call()
    except ApiError as error:
        return error.code == 403
    return False


def test_view_reads_and_edit_writes_custom_resources(cluster, declare, widgets, user_roles):
    made = declare(WIDGET, "one").create()
    made.wait_ready()
    ns = made.namespace
    viewer = user_with(cluster, ns, "view")
    editor = user_with(cluster, ns, "edit")
    # A controller of the cluster takes the roles up, and the authorizer learns of it later.
    wait_until(lambda: not refused(lambda: viewer.get(WIDGET, "one", ns)), what="the right to read")
    wait_until(
        lambda: not refused(lambda: editor.patch(WIDGET, "one", ns, {"spec": {"text": "red"}})),
        what="the right to write",
    )
    assert viewer.get(WIDGET, "one", ns)["status"]["revision"]
    assert [one["metadata"]["name"] for one in viewer.list(WIDGET, ns)] == ["one"]
    assert refused(lambda: viewer.patch(WIDGET, "one", ns, {"spec": {"text": "blue"}}))
    assert refused(lambda: viewer.create(widget("two", ns)))
    assert refused(lambda: viewer.delete(WIDGET, "one", ns))
    editor.create(widget("two", ns))
    declare(WIDGET, "two").wait_ready()
    editor.delete(WIDGET, "two", ns)
    # The status is the operator's, and the rights end with the namespace.
    assert refused(lambda: editor.patch(WIDGET, "one", ns, {"status": {}}, subresource="status"))
    for user in (viewer, editor):
        assert refused(lambda user=user: user.list(WIDGET, "default"))


def test_kubernetes_roles_know_no_widgets_before(cluster, declare):
    made = declare(WIDGET, "one").create()
    # Another test may just have removed the roles.
    editor = user_with(cluster, made.namespace, "edit")
    wait_until(lambda: refused(lambda: editor.get(WIDGET, "one", made.namespace)), what="a refusal")
