# SPDX-License-Identifier: Apache-2.0
"""From the real helm-operator to Chartwright, back, and forth again, with live releases."""

import json

import pytest

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, DEPLOYMENT, SECRET, SERVICE, WIDGET
from e2e.releases import LOOKED_UP, deployed, passwords
from e2e.test_lookup import LOGIN
from harness import oracle
from harness.connection import ApiError
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions

ACCOUNT = "chartwright-e2e-migration"
CLUSTER_ROLE = "rbac.authorization.k8s.io/v1/ClusterRole"
CRD = "apiextensions.k8s.io/v1/CustomResourceDefinition"
JOB = "batch/v1/Job"

WEB = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels: {app: web, tier: front}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web, color: {{ .Values.color | default "red" | quote }}}
    spec:
      containers:
      - name: web
        image: web:1
        env:
        - {name: COLOR, value: {{ .Values.color | default "red" | quote }}}
        - {name: OLD, value: "1"}
        ports: [{containerPort: 8080}]
      - name: helper
        image: helper:1
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {app: web}
  ports: [{port: 80, targetPort: 8080}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-extra}
data: {text: extra}
"""
# The same without an env var, a container, a label and an object.
WEB_NEXT = (
    WEB.replace('        - {name: OLD, value: "1"}\n', "")
    .replace("      - name: helper\n        image: helper:1\n", "")
    .replace(", tier: front", "")
    .split("---\napiVersion: v1\nkind: ConfigMap")[0]
)

SETTINGS = """apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {color: {{ .Values.color | default "red" | quote }}}
"""
KEPT = """apiVersion: v1
kind: ConfigMap
metadata:
  name: kept
  annotations: {helm.sh/resource-policy: keep}
data: {text: kept}
"""
ELSEWHERE = """apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "{{ .Release.Namespace }}-role"}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Namespace }}", namespace: default}
data: {text: elsewhere}
"""
HOOK = """apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {helm.sh/hook: "pre-install,pre-upgrade"}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: main}]
"""
GIZMO = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.migration.example.com}
spec:
  group: migration.example.com
  scope: Namespaced
  names: {kind: Gizmo, listKind: GizmoList, plural: gizmos, singular: gizmo}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


class Child:
    """An object of a release; `stays`: the deletion of the custom resource leaves it."""

    def __init__(
        self, kind: str, name: str, *, namespace: str | None = "{ns}", stays: bool = False
    ):
        self.kind = kind
        self._name = name
        self._namespace = namespace
        self.stays = stays

    def of(self, namespace: str) -> tuple[str, str, str | None]:
        """Returns kind, name and namespace for a release in that namespace."""
        return (
            self.kind,
            self._name.format(ns=namespace),
            self._namespace and self._namespace.format(ns=namespace),
        )


OWN = Child(CONFIGMAP, "w")
CHARTS = {
    "hooks": ({"templates/hook.yaml": HOOK}, [OWN]),
    "crds": (
        {"crds/gizmo.yaml": GIZMO},
        [OWN, Child(CRD, "gizmos.migration.example.com", namespace=None, stays=True)],
    ),
    "a password that is looked up": (
        {"templates/login.yaml": LOGIN},
        [OWN, Child(SECRET, "login")],
    ),
    "children elsewhere": (
        {"templates/elsewhere.yaml": ELSEWHERE},
        [
            OWN,
            Child(CLUSTER_ROLE, "{ns}-role", namespace=None),
            Child(CONFIGMAP, "{ns}", namespace="default"),
        ],
    ),
    "a child that is kept": (
        {"templates/kept.yaml": KEPT},
        [OWN, Child(CONFIGMAP, "kept", stays=True)],
    ),
}


@pytest.fixture(name="kubeconfig")
def migration_account(cluster):
    """The account of both operators, with all rights."""
    with session.admin_account(cluster, ACCOUNT) as kubeconfig:
        yield kubeconfig


class Project:
    """A project with one chart, which either operator can run."""

    def __init__(self, folder, kubeconfig, namespace: str):
        self._chart = folder / "chart"
        (self._chart / "templates").mkdir(parents=True)
        # With `lookup` in its dry runs, helm-operator upgrades only what has changed.
        watch = session.WIDGET_WATCH.replace("}\n", ", dryRunOption: server}\n")
        (folder / "watches.yaml").write_text(watch, encoding="utf-8")
        self._options = {
            "kubeconfig": kubeconfig,
            # Those that have the objects.
            "namespaces": (namespace, "default"),
            "cwd": folder,
            "watches_file": folder / "watches.yaml",
        }
        self.write("1.0.0", {})

    def write(self, version: str, files: dict[str, str]) -> None:
        """Writes that version of the chart, with `files` over those that are there."""
        text = f"apiVersion: v2\nname: project\nversion: {version}\n"
        for name, content in {"Chart.yaml": text, **files}.items():
            (self._chart / name).parent.mkdir(exist_ok=True)
            (self._chart / name).write_text(content, encoding="utf-8")

    def helm_operator(self) -> Operator:
        """Returns helm-operator, not started; it looks at everything each second."""
        binary = oracle.build_helm_operator()
        options = {**self._options, "binary": binary, "has_state_dir": False}
        return Operator(OperatorOptions(arguments=("--reconcile-period=1s",), **options))

    def run_helm_operator(self, act) -> None:
        """Runs helm-operator until `act(process)` returns."""

        def run() -> None:
            with self.helm_operator() as process:
                act(process)
                assert process.stop().code == 0

        oracle.try_again(run)

    def chartwright(self) -> Operator:
        """Returns Chartwright, not started; it has no resync."""
        return Operator(OperatorOptions(arguments=("--reconcile-period=0",), **self._options))


@pytest.fixture(name="project")
def write_project(tmp_path, kubeconfig, namespace):
    """The project, with no template yet."""
    return Project(tmp_path, kubeconfig, namespace)


def identity(obj: dict) -> tuple:
    """Returns what must not change in a takeover."""
    return obj["metadata"]["uid"], obj["metadata"].get("generation")


def managers(obj: dict) -> set[tuple[str, str]]:
    """Returns who owns fields of the main resource, and how."""
    entries = obj["metadata"]["managedFields"]
    return {(each["manager"], each["operation"]) for each in entries if "subresource" not in each}


def wait_deployed(widget, number: int) -> None:
    """Blocks until helm-operator has deployed that revision, and only that."""
    widget.wait(lambda _: deployed(widget) == [number], what=f"record {number} deployed")
    widget.wait(
        lambda obj: "manifest" in obj.get("status", {}).get("deployedRelease", {}),
        what="helm-operator's status",
    )


def wait_at_rest(process, widget, number: int) -> None:
    """Blocks until helm-operator has deployed that revision, and has found nothing to do since.

    It may read its records from a cache that lacks the one just written. Then it upgrades once
    more, fails, and deletes its records.
    """

    def passes() -> int:  # Not each line is JSON.
        return process.log_path.read_text(encoding="utf-8").count('"Reconciled release"')

    wait_deployed(widget, number)
    before = passes()
    wait_until(lambda: passes() > before, what="a reconcile of helm-operator with nothing to do")
    wait_deployed(widget, number)


def check_with_helm(helm, widget, number: int) -> None:
    """Asserts that this revision is the newest, alone is deployed, and that real Helm could roll
    back to each.

    helm-operator deletes the other records with each reconcile; so the number of records varies.
    """
    history = json.loads(helm("history", widget.name, "-o", "json"))
    assert history[-1]["revision"] == number
    assert [each["status"] for each in history] == ["superseded"] * (len(history) - 1) + [
        "deployed"
    ]
    for each in history:
        revision = str(each["revision"])
        whole = helm("get", "all", widget.name, "--revision", revision)
        assert f"REVISION: {revision}" in whole and "\nMANIFEST:\n---\n" in whole
        assert "Rollback was a success" in helm("rollback", widget.name, revision, "--dry-run")


def writes(cluster, since) -> list[str]:
    """Returns the writes of the operators, but for custom resources, records and Events."""
    user = session.user_of(ACCOUNT)
    return [
        f"{request.verb} {request.resource} {request.name}"
        for request in cluster.audit.requests(since, user=user)
        if request.is_write()
        and request.resource not in ("widgets", "widgets/status", "events")
        and not request.name.startswith("sh.helm.release")
    ]


def install_and_upgrade(project, widget, spec: dict) -> None:
    """Has helm-operator deploy two revisions, and end.

    It may read its records from a cache that lacks the one just written. Then it fails, and begins
    at 1 again, or loses them all. Once it has found nothing to do, that is over; otherwise it gets
    another try, with a new custom resource.
    """

    def deploy() -> None:
        if widget.kube.find(WIDGET, widget.name, widget.namespace):
            with project.helm_operator():
                remove(widget)
        widget.create({})
        with project.helm_operator() as process:
            wait_at_rest(process, widget, 1)
            assert process.stop().code == 0
        widget.patch(spec)
        with project.helm_operator() as process:
            wait_at_rest(process, widget, 2)
            assert process.stop().code == 0

    oracle.try_again(deploy)


def test_a_release_moves_over_back_and_forth(own_cluster, project, declare, helm):
    project.write("1.0.0", {"templates/web.yaml": WEB, "templates/NOTES.txt": "Web."})
    widget = declare(WIDGET, "w")
    install_and_upgrade(project, widget, {"color": "blue"})
    children = [(DEPLOYMENT, "w"), (SERVICE, "w"), (CONFIGMAP, "w-extra")]
    before = [identity(widget.child(*child)) for child in children]

    mark = own_cluster.audit.mark()
    with project.chartwright() as process:
        widget.wait_ready()
        status = widget.wait_revision(2)["status"]
        meters.wait_at_rest(process)
        assert [identity(widget.child(*child)) for child in children] == before
        for child in children:
            assert managers(widget.child(*child)) == {(widget.manager(), "Apply")}, child
        changed = writes(own_cluster, mark)
        assert sorted(changed) == [
            "patch configmaps w-extra",
            "patch deployments w",
            "patch services w",
        ]
        assert deployed(widget) == [2]
        assert status["deployedRelease"] == {"name": "w"}
        assert status["history"][0]["revision"] == 2
        check_with_helm(helm, widget, 2)
    mark = own_cluster.audit.mark()
    with project.chartwright() as process:
        meters.wait_at_rest(process)
    assert writes(own_cluster, mark) == []

    project.write("2.0.0", {"templates/web.yaml": WEB_NEXT})
    with project.chartwright() as process:
        widget.wait_revision(3)
        widget.wait_ready()
        web = widget.child(DEPLOYMENT, "w")
        assert "tier" not in web["metadata"]["labels"]
        (container,) = web["spec"]["template"]["spec"]["containers"]
        assert container["env"] == [{"name": "COLOR", "value": "blue"}]
        widget.kube.wait_gone(CONFIGMAP, "w-extra", widget.namespace)
        meters.wait_at_rest(process)
    check_with_helm(helm, widget, 3)
    assert widget.record(3)["chart"]["metadata"]["version"] == "2.0.0"
    uid = identity(widget.child(DEPLOYMENT, "w"))[0]

    widget.patch({"color": "green"})
    project.run_helm_operator(lambda _: wait_deployed(widget, 4))
    check_with_helm(helm, widget, 4)
    with project.chartwright() as process:
        widget.wait_revision(4)
        widget.wait_ready()
        meters.wait_at_rest(process)
        widget.patch({"color": "white"})
        widget.wait_revision(5)
        assert identity(widget.child(DEPLOYMENT, "w"))[0] == uid
        assert managers(widget.child(SERVICE, "w")) == {(widget.manager(), "Apply")}
        check_with_helm(helm, widget, 5)
        remove(widget)


def remove(widget) -> None:
    """Deletes the custom resource, and waits for its end."""
    widget.delete()
    widget.wait_gone()


def found(widget, children: list[Child]) -> list[dict | None]:
    """Returns the children of its release; None for one that is not there."""
    objects = []
    for child in children:
        try:
            objects.append(widget.kube.get(*child.of(widget.namespace)))
        except ApiError as error:
            assert error.code == 404
            objects.append(None)
    return objects


def content(obj: dict) -> tuple:
    """Returns what a takeover must not change of an object."""
    return identity(obj), obj.get("data"), obj.get("spec"), obj.get("rules")


@pytest.mark.parametrize("chart", CHARTS)
def test_a_chart_moves_over_with_one_write_for_each_child(own_cluster, project, declare, chart):
    files, children = CHARTS[chart]
    project.write("1.0.0", {"templates/settings.yaml": SETTINGS, **files})
    widget = declare(WIDGET, "w")
    install_and_upgrade(project, widget, {"color": "blue"})
    before = [content(obj) for obj in found(widget, children)]
    jobs = [job["metadata"]["uid"] for job in widget.kube.list(JOB, widget.namespace)]

    mark = own_cluster.audit.mark()
    with project.chartwright() as process:
        widget.wait_revision(2)
        widget.wait_ready()
        meters.wait_at_rest(process)
    changed = writes(own_cluster, mark)
    assert len(changed) == len(set(changed)) <= len(children), changed
    assert [content(obj) for obj in found(widget, children)] == before
    assert [job["metadata"]["uid"] for job in widget.kube.list(JOB, widget.namespace)] == jobs

    mark = own_cluster.audit.mark()
    with project.chartwright() as process:
        meters.wait_at_rest(process)
        assert writes(own_cluster, mark) == []
        widget.patch({"color": "green"})
        widget.wait_revision(3)
        widget.wait_ready()
        assert deployed(widget) == [3]
        remove(widget)
        for child, obj in zip(children, found(widget, children), strict=True):
            # The test cluster collects no garbage at once: a reference to the owner suffices.
            goes = obj is None or "ownerReferences" in obj["metadata"]
            assert goes != child.stays, child.of(widget.namespace)


@pytest.mark.parametrize("chart", CHARTS)
def test_a_chart_moves_back_and_nothing_is_created_anew(project, declare, helm, chart):
    """To helm-operator without a change, and with one; then forth again."""
    files, children = CHARTS[chart]
    project.write("1.0.0", {"templates/settings.yaml": SETTINGS, **files})
    widget = declare(WIDGET, "w")
    with project.chartwright():
        widget.create({"color": "blue"})
        widget.wait_revision(1)
        widget.wait_ready()
    before = [content(obj) for obj in found(widget, children)]
    check_with_helm(helm, widget, 1)

    project.run_helm_operator(lambda _: wait_deployed(widget, 1))
    assert [content(obj) for obj in found(widget, children)] == before
    widget.patch({"color": "green"})
    project.run_helm_operator(lambda _: wait_deployed(widget, 2))
    after = found(widget, children)
    assert after[0]["data"] == {"color": "green"}
    assert [obj["metadata"]["uid"] for obj in after] == [identity[0] for identity, *_ in before]
    assert [content(obj) for obj in after[1:]] == before[1:]

    with project.chartwright() as process:
        widget.wait_revision(2)
        widget.wait_ready()
        meters.wait_at_rest(process)
        assert [content(obj) for obj in found(widget, children)] == [content(obj) for obj in after]
        check_with_helm(helm, widget, 2)
        remove(widget)


def test_a_password_of_chance_is_the_same_after_each_move(project, declare):
    project.write("1.0.0", {"templates/login.yaml": LOOKED_UP, "templates/settings.yaml": SETTINGS})
    widget = declare(WIDGET, "w")
    install_and_upgrade(project, widget, {"color": "blue"})
    (password,) = passwords(widget, 2)

    def check(number: int) -> None:
        assert passwords(widget, number) == {password}
        assert deployed(widget) == [number]

    def stay_and_upgrade(number: int, color: str) -> None:
        with project.chartwright() as process:
            widget.wait_revision(number)
            widget.wait_ready()
            meters.wait_at_rest(process)
            check(number)
            widget.patch({"color": color})
            widget.wait_revision(number + 1)
            widget.wait_ready()
            meters.wait_at_rest(process)
            check(number + 1)

    stay_and_upgrade(2, "green")
    project.run_helm_operator(lambda _: wait_deployed(widget, 3))
    check(3)
    widget.patch({"color": "white"})
    project.run_helm_operator(lambda _: wait_deployed(widget, 4))
    check(4)
    stay_and_upgrade(4, "black")
    with project.chartwright():
        widget.annotate(rollback_to="4")
        widget.wait_revision(6)
        check(6)
        remove(widget)


def test_a_release_deleted_before_the_takeover_is_uninstalled(own_cluster, project, declare):
    files, children = CHARTS["children elsewhere"]
    project.write("1.0.0", {"templates/settings.yaml": SETTINGS, **files})
    widget = declare(WIDGET, "w")
    install_and_upgrade(project, widget, {"color": "blue"})
    widget.delete()
    with project.chartwright():
        widget.wait_gone()
        for child in children[1:]:
            own_cluster.kube.wait_gone(*child.of(widget.namespace))


def test_children_without_the_mark_of_an_old_helm_operator_are_recognised(project, declare):
    files, children = CHARTS["children elsewhere"]
    project.write("1.0.0", {"templates/settings.yaml": SETTINGS, **files})
    widget = declare(WIDGET, "w")
    install_and_upgrade(project, widget, {"color": "blue"})
    # Up to 1.39.1, helm-operator did not write them on what no owner reference can reach.
    unmarked = {"operator-sdk/primary-resource": None, "operator-sdk/primary-resource-type": None}
    elsewhere = [child.of(widget.namespace) for child in children[1:]]
    for child in elsewhere:
        assert unmarked.keys() <= widget.kube.get(*child)["metadata"]["annotations"].keys()
        widget.kube.annotate(*child, unmarked)
    before = [identity(obj) for obj in found(widget, children)]
    with project.chartwright() as process:
        widget.wait_ready()
        widget.wait_revision(2)
        meters.wait_at_rest(process)
        after = found(widget, children)
        assert [identity(obj) for obj in after] == before
        for obj in after[1:]:
            assert (widget.manager(), "Apply") in managers(obj)
        widget.delete()
        widget.wait_gone()
        for child in elsewhere:
            widget.kube.wait_gone(*child)


def test_a_status_that_somebody_wiped_is_rebuilt(own_cluster, project, declare):
    project.write("1.0.0", {"templates/login.yaml": LOGIN, "templates/settings.yaml": SETTINGS})
    widget = declare(WIDGET, "w")
    children = [OWN, Child(SECRET, "login")]
    with project.chartwright():
        widget.create({})
        widget.wait_revision(1)
        widget.patch({"color": "blue"})
        widget.wait_revision(2)
        widget.annotate(rollback_to="1")
        widget.wait_revision(3)
        widget.wait_ready()
    before = [content(obj) for obj in found(widget, children)]
    wiped = dict.fromkeys(widget.status()) | {"conditions": []}
    widget.kube.patch(WIDGET, "w", widget.namespace, {"status": wiped}, subresource="status")
    mark = own_cluster.audit.mark()
    with project.chartwright() as process:
        widget.wait_revision(3)
        widget.wait_ready()
        meters.wait_at_rest(process)
        assert writes(own_cluster, mark) == []
        assert [content(obj) for obj in found(widget, children)] == before
        assert [item["revision"] for item in widget.status()["history"]] == [3, 2, 1]
        widget.kube.patch(WIDGET, "w", widget.namespace, {"status": wiped}, subresource="status")
        widget.wait_revision(3)  # At once: there is no resync.
        remove(widget)
