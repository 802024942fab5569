# SPDX-License-Identifier: Apache-2.0
"""The key of signatures is lost, rotated, new, or not shared: releases go on, and nothing is
applied because of it.
"""

import contextlib
import dataclasses

import pytest

from e2e import meters, releases, session
from e2e import traffic as expect
from e2e.custom_resource import CONFIGMAP, SECRET, WIDGET, CustomResource, condition, remove_all
from e2e.test_operator import leading
from e2e.traffic import Traffic
from harness import jobs
from harness.cluster import Cluster
from harness.kube import wait_until
from harness.operator import Operator

# Parts of the chart that only some custom resources have: hooks, and children drawn at random.
FILES = {
    "templates/hook.yaml": """{{- if .Values.hooked }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-bye
  annotations: {helm.sh/hook: pre-delete}
data: {said: by-chart}
{{- end }}
""",
    "templates/login.yaml": "{{- if .Values.login }}\n" + releases.LOGIN + "{{- end }}\n",
}
# Fails at each upgrade.
FAILING = f"""apiVersion: batch/v1
kind: Job
metadata:
  name: {{{{ .Release.Name }}}}-check
  annotations: {{helm.sh/hook: EVENT, {jobs.FAILS}}}
spec:
  {jobs.MANAGED_BY}
  template:
    spec: {{restartPolicy: Never, containers: [{{name: main, image: main}}]}}
"""
TRUST = "--trust-unsigned-records=10m"
# Of the operators that divide the custom resources, by their keys.
SELECTORS = {
    "a": "{matchExpressions: [{key: by, operator: NotIn, values: [b]}]}",
    "b": "{matchLabels: {by: b}}",
}
REST_SECONDS = 3.0


@dataclasses.dataclass
class Scene:
    """A namespace, and operators whose key is in a Secret that is named after it."""

    cluster: Cluster
    namespace: str
    project: dict
    traffic: Traffic

    def operator(self, *arguments: str, key: str = "a", **options) -> Operator:
        """Returns an operator with that key, not started."""
        place = f"--master-key-secret={session.SYSTEM}/{self.namespace}-{key}"
        chosen = {"namespaces": (self.namespace,), **self.project, **options}
        return session.widget_operator(self.cluster, place, *arguments, **chosen)

    def replica(self) -> Operator:
        """Returns one of several operators, of which one leads; not started."""
        return self.operator(
            "--leader-elect",
            f"--leader-election-id={self.namespace}",
            f"--leader-election-namespace={session.SYSTEM}",
        )

    def key(self, key: str = "a") -> str | None:
        """Returns the key; None if there is none."""
        secret = self.cluster.kube.find(SECRET, f"{self.namespace}-{key}", session.SYSTEM)
        return secret and secret["data"]["key"]

    def lose_key(self) -> None:
        """Deletes the Secret of the key."""
        self.cluster.kube.delete(SECRET, f"{self.namespace}-a", session.SYSTEM)

    def widget(self, name: str) -> CustomResource:
        """Returns that custom resource, which need not exist."""
        return CustomResource(self.cluster, WIDGET, self.namespace, name)

    def populate(self) -> list[CustomResource]:
        """Makes releases: one with an upgrade, with a hook, drawn at random, and rolled back."""
        upgraded, rolled_back = self.widget("upgraded"), self.widget("rolled-back")
        hooked = self.widget("hooked").create({"hooked": True})
        drawn = self.widget("drawn").create({"login": True})
        for one in (upgraded, rolled_back):
            one.create({"text": "one"}).wait_revision(1)
            one.patch({"text": "two"})
            one.wait_revision(2)
        rolled_back.annotate(rollback_to="1")
        rolled_back.wait_revision(3)
        for one in (every := [upgraded, rolled_back, hooked, drawn]):
            one.wait_ready()
        return every

    def children(self) -> dict[str, str]:
        """Returns the versions of the children."""
        kube, ns = self.cluster.kube, self.namespace
        found = [obj for kind in (CONFIGMAP, SECRET) for obj in kube.list(kind, ns)]
        own = [obj for obj in found if obj.get("type") != "helm.sh/release.v1"]
        return {obj["metadata"]["uid"]: obj["metadata"]["resourceVersion"] for obj in own}

    def hooks_run(self, since) -> list[str]:
        """Returns the names of the objects that hooks of a deletion have made."""
        sent = self.traffic.requests(since)
        return [r.name for r in sent if r.verb == "create" and r.name.endswith("-bye")]

    def check_rest(self, *operators: Operator) -> None:
        """Asserts that the operators, at rest, write nothing."""
        rest(*operators)
        mark = self.traffic.mark()
        for one in operators:
            meters.wait_at_rest(one, quiet_seconds=REST_SECONDS)
        self.traffic.check(mark, expect.no_write)


@pytest.fixture(name="scene")
def _scene(own_cluster, namespace, tmp_path):
    project = session.widget_project(tmp_path, FILES)
    traffic = Traffic(own_cluster.audit, session.user_of(session.WIDGETS), namespace)
    yield Scene(own_cluster, namespace, project, traffic)
    for one in own_cluster.kube.list(WIDGET, namespace):  # After a failure.
        body = {"metadata": {"finalizers": None}}
        own_cluster.kube.patch(WIDGET, one["metadata"]["name"], namespace, body)
    for key in ("a", "b"):
        own_cluster.kube.delete(SECRET, f"{namespace}-{key}", session.SYSTEM)
    own_cluster.kube.delete("coordination.k8s.io/v1/Lease", namespace, session.SYSTEM)


def rest(*operators: Operator) -> None:
    """Waits until the operators are at rest."""
    for one in operators:
        meters.wait_at_rest(one)


def signatures(widget: CustomResource) -> dict:
    """Returns the signatures of its records by number, and of its status as `status`."""
    found = widget.kube.list(SECRET, widget.namespace, labels=f"owner=helm,name={widget.name}")
    signed = {int(s["metadata"]["labels"]["version"]): s["data"].get("signature") for s in found}
    return {**signed, "status": widget.status().get("signature")}


def outcome(widget: CustomResource) -> tuple:
    """Returns its revision and history, the states of its records, and its conditions without
    Unverified, which Ready names where nothing else is to be told.
    """
    status = widget.status()
    history = [(item["revision"], item["status"]) for item in status["history"]]
    states = [
        (c["type"], c["status"], c["reason"].replace("Unverified", "Ready"))
        for c in status["conditions"]
    ]
    told = [state for state in states if state[0] != "Unverified"]
    return status["revision"], history, releases.records(widget), told


def remove_signatures(widget: CustomResource) -> None:
    """Makes its records and status those of an operator that signs nothing."""
    for number in releases.records(widget):
        name = f"sh.helm.release.v1.{widget.name}.v{number}"
        widget.kube.patch(SECRET, name, widget.namespace, {"data": {"signature": None}})
    unsigned = {"status": {"signature": None}}
    widget.kube.patch(WIDGET, widget.name, widget.namespace, unsigned, subresource="status")


class Before:
    """The releases as they were when their operator had another key, or none."""

    def __init__(self, scene: Scene, widgets: list[CustomResource]):
        self.scene = scene
        self.widgets = widgets
        self.mark = scene.traffic.mark()
        self.releases = {one.name: outcome(one) for one in widgets}
        self.signatures = {one.name: signatures(one) for one in widgets}
        self.children = scene.children()

    def check_untouched(self) -> None:
        """Asserts that no release has changed, and no child.

        Each start applies Secrets again, of which the status has no digest: that changes nothing.
        """
        assert {one.name: outcome(one) for one in self.widgets} == self.releases
        self.scene.traffic.check(self.mark, expect.no_child_write)
        self.scene.traffic.check(self.mark, expect.no_refusal)
        assert self.scene.children() == self.children

    def check_confirmed(self, *operators: Operator, is_history_signed: bool = False) -> None:
        """Waits for new signatures of what is in force; asserts that all else is as it was."""
        for one in self.widgets:
            needed = {"status", self.releases[one.name][0]}
            wait_until(
                lambda one=one, needed=needed: needed <= self.renewed(one),
                what=f"new signatures of {one.name}",
            )
        rest(*operators)
        self.check_untouched()
        for one in self.widgets:
            in_force = {"status", one.status()["revision"]}
            signed = self.signatures[one.name].keys() if is_history_signed else in_force
            assert self.renewed(one) == signed

    def renewed(self, widget: CustomResource) -> set:
        """Returns what has another signature than before."""
        now, old = signatures(widget), self.signatures[widget.name]
        return {part for part in now if now[part] not in (None, old.get(part))}


def check_goes_on(scene: Scene) -> None:
    """Asserts that the releases of populate() are upgraded, and deleted with their hooks."""
    for name in ("upgraded", "rolled-back", "drawn"):
        widget = scene.widget(name)
        revision = widget.status()["revision"]
        widget.patch({"text": "last"})
        widget.wait_revision(revision + 1)
        assert widget.child(CONFIGMAP, f"{name}-0")["data"]["text"] == "last"
    mark = scene.traffic.mark()
    remove_all(scene.cluster, WIDGET, scene.namespace)
    assert scene.hooks_run(mark) == ["hooked-bye"]


def check_refused(widget: CustomResource, target: str) -> None:
    """Asserts that there is no rollback to a revision whose record is not believed."""
    widget.annotate(rollback_to=target)
    reason = f"revision {target} has no valid signature"
    widget.wait(lambda obj: reason in condition(obj, "RolledBack").get("message", ""), what=reason)
    refused = widget.wait_condition("RolledBack", "False", "RollbackRefused")
    assert reason in refused["message"]


def test_a_lost_key_is_replaced_when_both_replicas_restart(scene):
    with scene.replica() as first, scene.replica() as second:
        leader = wait_until(lambda: leading(first, second), what="a leader")
        standby = second if leader is first else first
        widgets = scene.populate()
        key, upgraded = scene.key(), widgets[0]
        scene.lose_key()
        scene.check_rest(leader)
        upgraded.kube.patch(CONFIGMAP, "upgraded-0", scene.namespace, {"data": {"text": "drift"}})
        upgraded.wait_child(CONFIGMAP, "upgraded-0", lambda obj: obj["data"]["text"] == "two")
        upgraded.patch({"text": "of the old key"})
        upgraded.wait_revision(3)
        rest(leader)
        assert scene.key() is None

        before = Before(scene, widgets)
        leader.stop()
        wait_until(lambda: leading(standby), what="a new leader")
        leader.start()  # It waits with a new key, while the other one has the old key.
        assert scene.key() not in (None, key)
        scene.check_rest(standby)
        before.check_untouched()
        assert not any(before.renewed(one) for one in widgets)
        standby.restart()
        before.check_confirmed(leader)
        check_refused(upgraded, "1")
        check_refused(upgraded, "2")
        scene.check_rest(leader, standby)
        upgraded.annotate(rollback_to=None)
        upgraded.patch({"text": "of the new key"})
        upgraded.wait_revision(4)
        upgraded.annotate(rollback_to="3")
        upgraded.wait_revision(5)
        check_goes_on(scene)


def test_a_deletion_comes_before_anything_that_the_new_key_has_signed(scene):
    with scene.operator() as operator:
        hooked = scene.widget("hooked").create({"hooked": True})
        hooked.wait_ready()
        operator.stop()
        scene.lose_key()
        hooked.delete()
        mark = scene.traffic.mark()
        operator.start()
        hooked.wait_gone()
        assert scene.hooks_run(mark) == ["hooked-bye"]
        hooked.kube.wait_gone(CONFIGMAP, "hooked-0", scene.namespace)
        hooked.kube.wait_gone(SECRET, "sh.helm.release.v1.hooked.v1", scene.namespace)


def test_a_rotated_key_leaves_rollback_targets_to_those_who_trust_them(scene):
    with scene.operator():
        widgets = scene.populate()
    scene.lose_key()
    before = Before(scene, widgets)
    with scene.operator(TRUST) as trusting:
        before.check_confirmed(trusting, is_history_signed=True)
        for one, trusted in ((widgets[0], "1"), (widgets[1], "2, 1")):
            unverified = condition(one.get(), "Unverified")
            assert (unverified["status"], unverified["reason"]) == ("True", "NotSigned")
            assert unverified["message"] == f"trusted without a signature: revisions {trusted}"
            asked = {"release": one.name, "revisions": trusted, "level": "warn"}
            trusting.wait_log(lambda line, asked=asked: asked.items() <= line.items())
        assert not any(condition(one.get(), "Unverified") for one in widgets[2:])
    with scene.operator() as operator:
        scene.check_rest(operator)
        before.check_untouched()
        for one, target, text in ((widgets[0], "1", "one"), (widgets[1], "2", "two")):
            revision = one.status()["revision"]
            one.annotate(rollback_to=target)
            one.wait_revision(revision + 1)
            assert one.child(CONFIGMAP, f"{one.name}-0")["data"]["text"] == text
        check_goes_on(scene)


@pytest.mark.parametrize("replicas", [1, 2])
def test_an_operator_that_signs_nothing_is_replaced(scene, replicas):
    with scene.operator():
        widgets = scene.populate()
    for one in widgets:
        remove_signatures(one)
    scene.lose_key()
    before = Before(scene, widgets)
    started = [scene.replica() for _ in range(replicas)]
    with contextlib.ExitStack() as stack:
        for one in started:
            stack.callback(one.close)
            one.launch()
        for one in started:
            one.wait_ready()
        leader = wait_until(lambda: leading(*started), what="a leader")
        before.check_confirmed(*started)
        assert scene.key()
        check_refused(widgets[0], "1")
        scene.check_rest(*started)
        if replicas == 2:
            before = Before(scene, widgets)
            leader.stop()
            started.remove(leader)
            wait_until(lambda: leading(*started), what="a new leader")
            scene.check_rest(*started)
            before.check_untouched()
            assert not any(before.renewed(one) for one in widgets)  # They have one key.
        check_goes_on(scene)


def divided(scene: Scene, key: str) -> Operator:
    """Returns the operator of one part of the custom resources, with a key of its own."""
    watches = scene.project["cwd"] / f"watches-{key}.yaml"
    chosen = f"chart: chart, selector: {SELECTORS[key]}"
    watches.write_text(session.WIDGET_WATCH.replace("chart: chart", chosen), encoding="utf-8")
    return scene.operator(key=key, watches_file=watches)


def move(widget: CustomResource, key: str | None, **spec: str) -> None:
    """Gives a custom resource to the operator with that key, and changes its spec."""
    body = {"metadata": {"labels": {"by": key}}, "spec": spec}
    widget.kube.patch(WIDGET, widget.name, widget.namespace, body)


def test_custom_resources_move_to_an_operator_with_another_key(scene):
    with divided(scene, "a") as first, divided(scene, "b") as second:
        widgets = scene.populate()
        rest(first, second)
        assert scene.key("a") != scene.key("b")
        before = Before(scene, widgets)
        for one in widgets:
            move(one, "b")
        before.check_confirmed(first, second)
        check_refused(widgets[0], "1")
        scene.check_rest(first, second)

        moved, racing = widgets[0], widgets[1]
        move(moved, None, text="moved")  # Nobody has signed what its new operator finds.
        moved.wait_revision(3)
        moved.wait_child(CONFIGMAP, "upgraded-0", lambda obj: obj["data"]["text"] == "moved")
        racing.patch({"text": "racing"})
        move(racing, None)  # The other operator may be in the middle of its work.
        racing.wait_child(CONFIGMAP, "rolled-back-0", lambda obj: obj["data"]["text"] == "racing")
        for one in widgets:
            one.wait_ready()
        scene.check_rest(first, second)
        assert [len(releases.deployed(one)) for one in widgets] == [1] * len(widgets)
        check_goes_on(scene)


@pytest.mark.parametrize("event", ["pre-upgrade", "post-upgrade"])
def test_a_hook_that_has_failed_does_not_run_again_for_another_key(scene, event):
    template = scene.project["cwd"] / "chart" / "templates" / "failing.yaml"
    template.write_text(FAILING.replace("EVENT", event), encoding="utf-8")
    widget = scene.widget("failed")
    with jobs.JobPlayer(scene.cluster.kube, scene.namespace):
        with scene.operator() as operator:
            widget.create({"text": "one"}).wait_revision(1)
            widget.patch({"text": "two"})
            widget.wait_condition("Stalled", "True", "UpgradeError")
            rest(operator)
        scene.lose_key()
        before = Before(scene, [widget])
        with scene.operator() as operator:
            before.check_confirmed(operator)
