# SPDX-License-Identifier: Apache-2.0
"""Hooks of charts: run as Helm runs them, once each, whatever ends the operator."""

import subprocess

import pytest

from e2e import session
from e2e.custom_resource import CONFIGMAP, WIDGET, condition
from harness.oracle import Helm

JOB = "batch/v1/Job"
# The kind that is waited for, and one that is not.
HOOK_RESOURCES = ("jobs", "configmaps")
JOB_SPEC = """spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: main}]
"""


def hook(name: str, events: str, *, weight: int = 0, policy: str = "", kind: str = "Job") -> str:
    """Returns a document with a hook; a Job completes at once on the test cluster."""
    spec = JOB_SPEC if kind == "Job" else "data: {text: hook}"
    version = "batch/v1" if kind == "Job" else "v1"
    policies = f"\n    helm.sh/hook-delete-policy: {policy}" if policy else ""
    return f"""---
apiVersion: {version}
kind: {kind}
metadata:
  name: {name}
  annotations:
    helm.sh/hook: {events}
    helm.sh/hook-weight: "{weight}"{policies}
{spec}
"""


EVERY = "pre-install,post-install,pre-upgrade,post-upgrade,pre-rollback,post-rollback"
CHARTS = {
    "before and after each": hook("hook-a", EVERY),
    "a migration before an upgrade": hook("hook-migrate", "pre-upgrade,pre-rollback"),
    "weights before names": hook("hook-a", "pre-install", weight=5)
    + hook("hook-b", "pre-install,post-upgrade", weight=-5)
    + hook("hook-c", "pre-install,post-upgrade"),
    "names where weights are equal": hook("hook-z", "post-install")
    + hook("hook-y", "post-install", kind="ConfigMap")
    + hook("hook-x", "post-install"),
    "deleted after success": hook("hook-a", EVERY, policy="hook-succeeded")
    + hook("hook-b", EVERY, policy="hook-succeeded"),
    "deleted before and after": hook("hook-a", EVERY, policy="before-hook-creation,hook-succeeded"),
    "a configuration for a Job": hook("hook-settings", EVERY, weight=-1, kind="ConfigMap")
    + hook("hook-job", EVERY),
    "kept after success": hook("hook-a", "pre-install", policy="hook-failed")
    + hook("hook-b", "post-upgrade", policy="hook-failed"),
    "the deletion": hook("hook-first", "pre-delete") + hook("hook-last", "post-delete"),
    "the deletion leaves nothing": hook("hook-first", "pre-delete", policy="hook-succeeded")
    + hook("hook-last", "post-delete", policy="hook-succeeded"),
}


@pytest.fixture(name="project")
def write_project(tmp_path):
    """`project(HOOKS, OPTIONS)` writes the test chart with hooks; returns options of its run."""

    def write(hooks: str, options: str = "") -> dict:
        made = session.widget_project(tmp_path, {"templates/hooks.yaml": hooks})
        if options:
            text = session.WIDGET_WATCH.replace("}\n", f", {options}}}\n")
            made["watches_file"].write_text(text, encoding="utf-8")
        return made

    return write


def effects(audit, since, user: str, namespace: str) -> list[str]:
    """Returns what happened to hooks, in order, and when the child was written first."""
    found = []
    for request in audit.requests(since, user=user, namespace=namespace):
        if request.resource not in HOOK_RESOURCES or (request.code or 500) >= 300:
            continue
        name = request.name
        if name.startswith("hook-") and request.verb in ("create", "delete"):
            found.append(f"{request.verb} {name}")
        elif name == "w-0" and request.is_write() and f"write {name}" not in found:
            found.append(f"write {name}")
    return found


@pytest.mark.parametrize("hooks", CHARTS.values(), ids=CHARTS)
def test_hooks_do_what_they_do_under_helm(own_cluster, namespace, declare, project, hooks):
    options = project(hooks)
    chart = options["cwd"] / "chart"
    audit = own_cluster.audit
    theirs = own_cluster.create_namespace("e2e")
    helm = Helm(own_cluster.kubeconfig, theirs)
    expected = []
    for step in (
        ("install", "w", chart, "text=one"),
        ("upgrade", "w", chart, "text=two"),
        ("rollback", "w", "1"),
        ("uninstall", "w"),
    ):
        since = audit.mark()
        helm(*step)
        expected.append(effects(audit, since, "kubernetes-admin", theirs))
    own_cluster.abandon_namespace(theirs)

    user = session.user_of(session.WIDGETS)
    actual = []
    with session.widget_operator(own_cluster, namespaces=(namespace,), **options):
        widget = declare(WIDGET, "w")
        for step in (
            lambda: widget.create({"text": "one"}).wait_ready(),
            lambda: widget.patch({"text": "two"}) and widget.wait_revision(2),
            lambda: widget.annotate(rollback_to="1") and widget.wait_revision(3),
            lambda: widget.delete() or widget.wait_gone(),
        ):
            since = audit.mark()
            step()
            actual.append(effects(audit, since, user, namespace))
    # Under Helm the child is deleted; here garbage collection does it.
    without_child = [
        [one for one in step if one != "write w-0"] for step in (expected[3], actual[3])
    ]
    assert (actual[:3], without_child[1]) == (expected[:3], without_child[0])
    assert any(expected)


REFUSED = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: Not_A_Name}\n"


def test_a_failed_install_is_deleted_with_hooks_as_under_helm(
    own_cluster, namespace, declare, project
):
    options = project(CHARTS["the deletion"] + REFUSED)
    audit = own_cluster.audit
    theirs = own_cluster.create_namespace("e2e")
    helm = Helm(own_cluster.kubeconfig, theirs)
    with pytest.raises(subprocess.CalledProcessError):
        helm("install", "w", options["cwd"] / "chart", "text=one")
    since = audit.mark()
    helm("uninstall", "w")
    expected = hooks_created(audit, since, "kubernetes-admin", theirs)
    own_cluster.abandon_namespace(theirs)

    with session.widget_operator(own_cluster, namespaces=(namespace,), **options):
        widget = declare(WIDGET, "w").create({"text": "one"})
        widget.wait_condition("Stalled", "True", "InstallError")
    since = audit.mark()
    with session.widget_operator(own_cluster, namespaces=(namespace,), **options):
        widget.delete()
        widget.wait_gone()
    user = session.user_of(session.WIDGETS)
    assert hooks_created(audit, since, user, namespace) == expected
    assert expected == ["create hook-first", "create hook-last"]


def hooks_created(audit, since, user: str, namespace: str) -> list[str]:
    return [one for one in effects(audit, since, user, namespace) if one.startswith("create")]


def test_a_killed_operator_goes_on_with_the_hook_that_runs(
    own_cluster, namespace, declare, project
):
    slow = hook("hook-slow", "pre-upgrade").replace("spec:", "spec:\n  suspend: true", 1)
    random = (
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: login}\ndata: {text: {{ randAlpha 9"
        " }}}\n"
    )
    with session.widget_operator(
        own_cluster, namespaces=(namespace,), **project(slow + random)
    ) as operator:
        widget = declare(WIDGET, "w").create({"text": "one"})
        widget.wait_ready()
        before = widget.child(CONFIGMAP, "login")["data"]["text"]
        widget.patch({"text": "two"})
        running = widget.wait_child(JOB, "hook-slow", lambda obj: obj is not None)
        widget.wait(lambda obj: obj["status"].get("attempt", {}).get("hookUid"))
        said = condition(widget.get(), "Ready")
        assert "pre-upgrade hook Job.batch" in said["message"]
        assert widget.child(CONFIGMAP, "login")["data"]["text"] == before
        operator.kill()
        operator.revive()
        own_cluster.kube.patch(JOB, "hook-slow", namespace, {"spec": {"suspend": False}})
        widget.wait_revision(2)
        widget.wait_ready()
        assert widget.child(JOB, "hook-slow")["metadata"]["uid"] == running["metadata"]["uid"]
        assert widget.child(CONFIGMAP, "login")["data"]["text"] != before
        statuses = [item["status"] for item in widget.status()["history"]]
        assert statuses == ["deployed", "superseded"]


def test_a_hook_that_fails_says_so_and_waits_for_a_person(own_cluster, namespace, declare, project):
    # No node fits, and the Job gives up.
    failing = hook("hook-fails", "pre-upgrade").replace(
        "spec:", "spec:\n  activeDeadlineSeconds: 1", 1
    )
    failing = failing.replace("restartPolicy", "nodeSelector: {no: such}\n      restartPolicy")
    with session.widget_operator(
        own_cluster, namespaces=(namespace,), **project(failing)
    ) as operator:
        widget = declare(WIDGET, "w").create({"text": "one"})
        widget.wait_ready()
        widget.patch({"text": "two"})
        error = widget.wait_error()
        assert "pre-upgrade hook Job.batch" in error
        assert "DeadlineExceeded" in error
        assert "chartwright.io/reconcile-requested-at" in error
        job = widget.child(JOB, "hook-fails")["metadata"]["uid"]
        operator.restart()
        widget.kube.delete(CONFIGMAP, "w-0", namespace)
        widget.wait_child(CONFIGMAP, "w-0", lambda obj: obj["data"]["text"] == "one")
        assert widget.child(JOB, "hook-fails")["metadata"]["uid"] == job
        assert [item["status"] for item in widget.status()["history"]] == ["failed", "deployed"]
        widget.annotate(disable_hooks="true")
        widget.wait_revision(3)
        widget.wait_condition("Stalled", None)
        assert "hook-fails" in widget.wait_condition("HooksSkipped", "True")["message"]


def test_a_hook_has_a_limit(own_cluster, namespace, declare, project):
    slow = hook("hook-slow", "pre-install").replace("spec:", "spec:\n  suspend: true", 1)
    with session.widget_operator(
        own_cluster, namespaces=(namespace,), **project(slow, "hookTimeout: 1s")
    ):
        widget = declare(WIDGET, "w").create({"text": "one"})
        assert "has not finished within 1s" in widget.wait_error("InstallError")


def test_a_namespace_can_be_deleted_with_a_release_that_has_hooks(own_cluster, declare, project):
    own = own_cluster.create_namespace("e2e")
    last = hook("hook-last", "pre-delete,post-delete")
    with session.widget_operator(own_cluster, namespaces=(own,), **project(last)):
        own_cluster.kube.create(
            {
                "apiVersion": "e2e.chartwright.io/v1",
                "kind": "Widget",
                "metadata": {"name": "w", "namespace": own},
                "spec": {"text": "one"},
            }
        )
        own_cluster.kube.wait(
            WIDGET, "w", own, lambda obj: obj and obj.get("status", {}).get("revision") == 1
        )
        own_cluster.kube.delete("v1/Namespace", own)
        own_cluster.kube.wait_gone(WIDGET, "w", own)


def test_disabled_hooks_are_named_and_not_run(own_cluster, namespace, declare, project):
    with session.widget_operator(
        own_cluster, namespaces=(namespace,), **project(hook("hook-a", EVERY), "disableHooks: true")
    ):
        widget = declare(WIDGET, "w").create({"text": "one"})
        widget.wait_ready()
        assert (
            "Job hook-a"
            in widget.wait_condition("HooksSkipped", "True", "HooksDisabled")["message"]
        )
        assert not own_cluster.kube.list(JOB, namespace)
