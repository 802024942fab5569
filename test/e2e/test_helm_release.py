# SPDX-License-Identifier: Apache-2.0
"""Releases that real Helm has installed go on as releases of a custom resource."""

import pytest

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, SECRET, WIDGET, condition, is_ready
from e2e.releases import LOGIN, passwords, records
from e2e.test_migration import identity, managers
from harness.connection import ApiError

RELEASE_CONFIG = """apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-settings}
data:
  color: {{ .Values.color | default "red" | quote }}
  {{- if not .Values.without }}
  old: "1"
  {{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "{{ .Release.Namespace }}-settings"}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get]}
"""
# Its fields have different names in the two versions.
SCALER = """{{- $api := .Values.api | default "v2" }}
apiVersion: autoscaling/{{ $api }}
kind: HorizontalPodAutoscaler
metadata: {name: {{ .Release.Name }}-scaler}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: none}
  maxReplicas: 5
  {{- if not .Values.without }}
  minReplicas: 2
  {{- end }}
  {{- if eq $api "v1" }}
  targetCPUUtilizationPercentage: 50
  {{- else if not .Values.without }}
  metrics:
  - {type: Resource, resource: {name: memory, target: {type: Utilization, averageUtilization: 60}}}
  behavior: {scaleDown: {stabilizationWindowSeconds: 77}}
  {{- end }}
"""
AUTOSCALER = "autoscaling/v2/HorizontalPodAutoscaler"
ACCOUNT = "chartwright-e2e-helm-release"
CLUSTER_ROLE = "rbac.authorization.k8s.io/v1/ClusterRole"


@pytest.fixture(name="project")
def write_project(tmp_path):
    """The options that run the operator with the chart."""
    return session.widget_project(tmp_path, {"templates/settings.yaml": RELEASE_CONFIG})


@pytest.fixture(name="chart")
def chart_of_project(project):
    """The folder of the chart."""
    return str(project["cwd"] / "chart")


@pytest.fixture(name="start")
def operator_of_project(cluster, project, namespace):
    """`start()` returns the operator, not started, with all rights."""
    with session.admin_account(cluster, ACCOUNT) as kubeconfig:
        yield lambda: session.widget_operator(
            cluster, kubeconfig=kubeconfig, namespaces=(namespace,), **project
        )


def children_of(widget) -> list[dict]:
    """Returns the children that the tests look at."""
    role = widget.kube.get(CLUSTER_ROLE, f"{widget.namespace}-settings")
    return [widget.child(CONFIGMAP, f"{widget.name}-settings"), role]


def remove(widget) -> None:
    """Deletes the custom resource, whose operator runs, and waits until nothing is left."""
    widget.delete()
    widget.wait_gone()
    widget.kube.wait_gone(CLUSTER_ROLE, f"{widget.namespace}-settings")


def test_a_release_of_helm_goes_on(declare, start, helm, chart):
    helm("install", "w", chart)
    helm("upgrade", "w", chart, "--set", "color=blue")
    widget = declare(WIDGET, "w")
    before = [identity(child) for child in children_of(widget)]
    with start() as process:
        widget.create({"color": "blue"})
        widget.wait_revision(2)
        widget.wait_ready()
        meters.wait_at_rest(process)
        assert [identity(child) for child in children_of(widget)] == before
        for child in children_of(widget):
            names = {name for name, _ in managers(child)}
            assert names == {widget.manager()}, managers(child)
        assert records(widget) == {1: "superseded", 2: "deployed"}
        history = [(item["revision"], item["status"]) for item in widget.status()["history"]]
        assert history == [(2, "deployed"), (1, "superseded")]
        # Fields that Helm has set, and that the chart drops, go.
        widget.patch({"without": True})
        widget.wait_revision(3)
        assert widget.child(CONFIGMAP, "w-settings")["data"] == {"color": "blue"}
        assert records(widget) == {1: "superseded", 2: "superseded", 3: "deployed"}
        assert "Upgrade complete" in helm("history", "w")
        # A rollback by Helm is undone. If Helm has already rewritten the record in force when the
        # drift is seen, that revision is recorded anew at once; else at a later reconcile, or
        # Helm's record is superseded by the next revision.
        helm("rollback", "w", "1")
        widget.wait(
            lambda _: widget.child(CONFIGMAP, "w-settings")["data"]["color"] == "blue",
            what="the repair",
        )
        meters.wait_at_rest(process)
        assert widget.status()["revision"] in (3, 5)
        widget.patch({"color": "green"})
        upgraded = widget.wait(
            lambda obj: is_ready(obj) and obj["status"]["revision"] > 4, what="the upgrade"
        )
        last = upgraded["status"]["revision"]
        assert widget.child(CONFIGMAP, "w-settings")["data"]["color"] == "green"
        assert last in (5, 6)
        assert records(widget) == dict.fromkeys(range(1, last), "superseded") | {last: "deployed"}
        remove(widget)


def test_fields_that_helm_set_in_two_versions_of_a_kind_go(declare, start, helm, chart, project):
    (project["cwd"] / "chart/templates/scaler.yaml").write_text(SCALER, encoding="utf-8")
    helm("install", "w", chart, "--set", "api=v1")
    helm("upgrade", "w", chart, "--set", "api=v2")
    widget = declare(WIDGET, "w")
    scaler = widget.child(AUTOSCALER, "w-scaler")
    versions = {entry["apiVersion"] for entry in scaler["metadata"]["managedFields"]}
    assert versions == {"autoscaling/v1", "autoscaling/v2"}
    with start() as process:
        widget.create({})
        widget.wait_revision(2)
        meters.wait_at_rest(process)
        taken = widget.child(AUTOSCALER, "w-scaler")
        assert identity(taken) == identity(scaler)
        assert taken["spec"] == scaler["spec"]
        assert {name for name, _ in managers(taken)} == {widget.manager()}
        assert records(widget) == {1: "superseded", 2: "deployed"}
        widget.patch({"without": True})
        widget.wait_revision(3)
        spec = widget.child(AUTOSCALER, "w-scaler")["spec"]
        assert (spec["minReplicas"], spec.get("behavior")) == (1, None)  # The defaults.
        assert "memory" not in str(spec["metrics"])
        remove(widget)


def test_numbers_go_on_after_those_that_helm_has_used(declare, start, helm, chart):
    """Helm deletes our records while the operator is down, so the numbers after ours are free."""
    helm("install", "w", chart)
    widget = declare(WIDGET, "w")
    with start() as process:
        widget.create({"color": "blue"})
        widget.wait_revision(2)
        widget.wait_ready()
        meters.wait_at_rest(process)
    for number in range(3, 9):
        helm("upgrade", "w", chart, "--set", f"color=red{number}", "--history-max", "2")
    assert records(widget) == {7: "superseded", 8: "deployed"}
    with start() as process:
        widget.wait(
            lambda _: widget.child(CONFIGMAP, "w-settings")["data"]["color"] == "blue",
            what="the repair",
        )
        meters.wait_at_rest(process)
        widget.patch({"color": "green"})
        widget.wait(
            lambda _: widget.child(CONFIGMAP, "w-settings")["data"]["color"] == "green",
            what="the upgrade",
        )
        widget.wait_ready()
        meters.wait_at_rest(process)
        statuses = records(widget)
        last = widget.status()["revision"]
        assert last == max(statuses) > 8
        assert [number for number, status in statuses.items() if status == "deployed"] == [last]
        remove(widget)


def test_a_password_of_helm_stays(declare, start, helm, project, chart):
    (project["cwd"] / "chart/templates/login.yaml").write_text(LOGIN, encoding="utf-8")
    helm("install", "w", chart)
    widget = declare(WIDGET, "w")
    login = widget.kube.get(SECRET, "w-login", widget.namespace)
    with start() as process:
        widget.create({})
        widget.wait_revision(1)
        widget.wait_ready()
        meters.wait_at_rest(process)
        assert widget.child(SECRET, "w-login")["data"] == login["data"]
        assert len(passwords(widget, 1)) == 1
        remove(widget)


def test_a_release_of_another_chart_is_left_alone(declare, start, helm, tmp_path):
    other = tmp_path / "other"
    (other / "templates").mkdir(parents=True)
    (other / "Chart.yaml").write_text(
        "apiVersion: v2\nname: other\nversion: 1.0.0\n", encoding="utf-8"
    )
    (other / "templates/settings.yaml").write_text(RELEASE_CONFIG, encoding="utf-8")
    helm("install", "w", str(other))
    widget = declare(WIDGET, "w")
    before = children_of(widget)
    with start():
        widget.create({})
        said = widget.wait(
            lambda obj: "taken" in condition(obj, "Ready").get("message", ""), what="the reason"
        )
        assert (
            condition(said, "Ready")["message"] == "the name of the release is taken: Secret"
            f" {widget.namespace}/sh.helm.release.v1.w.v1 is a record of a release of the chart"
            " other; uninstall it, or rename the custom resource"
        )
        assert children_of(widget) == before
        helm("uninstall", "w")
        widget.wait_revision(1)
        widget.wait_ready()
        remove(widget)


def test_objects_without_a_release_are_refused(declare, start, helm, chart):
    helm("install", "w", chart)
    widget = declare(WIDGET, "w")
    widget.kube.delete(SECRET, "sh.helm.release.v1.w.v1", widget.namespace)
    with start():
        widget.create({})
        widget.wait(
            lambda obj: "adopt" in condition(obj, "Ready").get("message", ""), what="the refusal"
        )
        assert widget.status().get("revision", 0) == 0
        with pytest.raises(ApiError):
            widget.record(1)
        widget.delete()
        widget.wait_gone()
        children_of(widget)  # They are left alone.
