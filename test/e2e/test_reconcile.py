# SPDX-License-Identifier: Apache-2.0
"""How a reconcile handles wrong input, objects of others, and drift."""

import contextlib
import os
import signal
import subprocess
import time

import pytest

from cluster import build
from e2e import meters
from e2e import traffic as expect
from e2e.custom_resource import (
    BOOKSTORE,
    CONFIGMAP,
    DEPLOYMENT,
    SECRET,
    WIDGET,
    condition,
    is_controlled_by,
    is_current,
)
from e2e.session import WIDGETS, user_of
from harness.kube import wait_until
from harness.paths import REPOSITORY

REPAIR_SECONDS_MAX = 5.0
CHART_LABEL = "helm.sdk.operatorframework.io/chart"
CONTROLLER = "widget-controller"
TEMPLATE = "widget/templates/element.yaml"


@pytest.fixture
def widget(declare, widgets):
    """A Widget that has not been created yet."""
    return declare(WIDGET, "one")


def text(widget, number: int = 0) -> str:
    """Returns the text in one of its ConfigMaps."""
    return widget.child(CONFIGMAP, f"{widget.name}-{number}")["data"]["text"]


def helm_error(*values: str) -> str:
    """Returns the error of the real Helm for the test chart with these values."""
    settings = [part for value in values for part in ("--set-json", value)]
    done = subprocess.run(
        [build.ensure(["helm"])["helm"], "template", "one", "test/e2e/charts/widget", *settings],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    return done.stderr.removeprefix("Error: ").partition("\n\nUse --debug")[0].strip()


def line_of(template: str, part: str) -> tuple[int, str]:
    """Returns number and content of the line of a template that contains `part`."""
    path = REPOSITORY / "test" / "e2e" / "charts" / template
    lines = path.read_text(encoding="utf-8").splitlines()
    number = next(i for i, line in enumerate(lines, start=1) if part in line)
    return number, lines[number - 1].strip()


def test_a_template_error_names_its_position_and_affects_no_other(widget, declare):
    other = declare(WIDGET, "other").create({"text": "fine"})
    widget.create({"element": 7})
    failed = widget.wait_condition("ReleaseFailed", "True", "InstallError")
    number, line = line_of(TEMPLATE, "index .Values.list")
    assert f"{TEMPLATE}:{number}:" in failed["message"]
    assert line in failed["message"]
    assert helm_error("element=7") in failed["message"]
    first_line = failed["message"].split("\n", maxsplit=1)[0]
    assert widget.wait_condition("Ready", "False")["message"] == first_line
    assert widget.wait_condition("Stalled", "True")["message"] == "see the condition ReleaseFailed"
    assert not widget.kube.list(CONFIGMAP, widget.namespace, fields="metadata.name=one-0")

    other.wait_ready()
    other.patch({"text": "still fine"})
    other.wait_revision(2)
    assert text(other) == "still fine"

    widget.patch({"element": 1})
    widget.wait_ready()
    assert widget.child(CONFIGMAP, "one-element")["data"]["element"] == "b"
    widget.wait_condition("ReleaseFailed", None)
    widget.wait_condition("Stalled", None)


def test_a_template_error_on_upgrade_keeps_the_deployed_revision(widget, widgets, widget_traffic):
    widget.create({"text": "before"})
    widget.wait_ready()
    meters.wait_at_rest(widgets)
    mark = widget_traffic.mark()
    widget.patch({"text": "after", "element": 7})
    failed = widget.wait_condition("Irreconcilable", "True", "ReconcileError")
    assert TEMPLATE in failed["message"]
    assert widget.wait_condition("Deployed", "True")
    widget_traffic.check(mark, expect.no_child_write)
    assert text(widget) == "before"
    assert widget.status()["revision"] == 1
    # The deployed revision is still repaired.
    widget.kube.delete(CONFIGMAP, "one-0", widget.namespace)
    widget.wait_child(CONFIGMAP, "one-0")
    assert text(widget) == "before"

    # The same inputs fail in the same way, so they are not rendered over and over.
    meters.wait_at_rest(widgets)
    before = meters.total(widgets, meters.RECONCILES, controller=CONTROLLER)
    meters.wait_at_rest(widgets, quiet_seconds=1.5)
    assert meters.total(widgets, meters.RECONCILES, controller=CONTROLLER) == before

    widget.patch({"element": None})
    widget.wait_revision(2)
    widget.wait_condition("Irreconcilable", None)
    assert text(widget) == "after"


@pytest.mark.parametrize(
    "spec, setting",
    [({"count": "many"}, 'count="many"'), ({"count": 21}, "count=21"), ({"text": 5}, "text=5")],
    ids=str,
)
def test_a_schema_violation_is_reported_in_helm_s_words(widget, spec, setting):
    widget.create(spec)
    failed = widget.wait_condition("ReleaseFailed", "True", "InstallError")
    # Helm's message, without the part about its own command.
    words = helm_error(setting).partition("values don't meet")
    assert words[1] + words[2] in failed["message"]
    widget.patch({"count": 1, "text": "right"})
    widget.wait_ready()


def test_a_spec_that_is_not_a_map_is_reported(widget):
    widget.create("just text")
    failed = widget.wait_condition("Ready", "False")
    assert "spec" in failed["message"]
    widget.patch({"count": 1})
    widget.wait_ready()


def test_an_empty_render_prunes_only_if_allowed(widget):
    widget.create({"count": 2})
    widget.wait_ready()
    widget.patch({"count": 0})
    refused = widget.wait_condition("Ready", "False")
    assert "chartwright.io/allow-empty-render" in refused["message"]
    assert text(widget, 1) == "hello"
    widget.annotate(allow_empty_render="true")
    for number in range(2):
        widget.kube.wait_gone(CONFIGMAP, f"one-{number}", widget.namespace)
    widget.wait_ready()


def test_only_objects_that_are_no_longer_rendered_are_pruned(widget, widgets, widget_traffic):
    widget.create({"count": 3})
    widget.wait_ready()
    stranger = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "one-9",
            "namespace": widget.namespace,
            "labels": widget.child(CONFIGMAP, "one-0")["metadata"]["labels"],
        },
    }
    widget.kube.create(stranger)
    meters.wait_at_rest(widgets)
    mark = widget_traffic.mark()
    widget.patch({"count": 1})
    widget.wait_revision(2)
    for number in (1, 2):
        widget.kube.wait_gone(CONFIGMAP, f"one-{number}", widget.namespace)
    assert widget.child(CONFIGMAP, "one-9")
    widget_traffic.check(mark, expect.only_child_writes("configmaps/one-1", "configmaps/one-2"))


def test_a_bad_period_is_reported_until_it_is_corrected(widget):
    key = "helm.sdk.operatorframework.io/reconcile-period"
    widget.create({}, annotations={key: "soon"})
    failed = widget.wait_condition("Ready", "False")
    assert key in failed["message"] and "soon" in failed["message"]
    widget.kube.annotate(WIDGET, "one", widget.namespace, {key: "1h"})
    widget.wait_ready()


SECRET_TEXT = "correct-horse-battery"


def test_a_secret_s_content_is_never_disclosed(widget, widgets):
    widget.create({"password": SECRET_TEXT})
    widget.wait_ready()
    widget.kube.delete(SECRET, "one", widget.namespace)
    widget.wait_child(SECRET, "one")
    widget.patch({"password": SECRET_TEXT + "!", "element": 7})
    widget.wait_condition("Irreconcilable", "True")
    encoded = widget.child(SECRET, "one")["data"]["password"]
    status = str(widget.status())
    log = widgets.log_path.read_text(encoding="utf-8")
    events = str(widget.kube.list("v1/Event", widget.namespace))
    for content in (SECRET_TEXT, encoded):
        assert content not in status and content not in log and content not in events


@pytest.fixture
def configmaps_read_only(cluster, widgets):
    """The test chart's operator may not write ConfigMaps until the function is called."""
    role = cluster.kube.get("ClusterRole", WIDGETS)
    rights = role["rules"]
    readable = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]}
    others = [rule for rule in rights if "configmaps" not in rule["resources"]]

    def give(rules: list) -> None:
        cluster.kube.patch("ClusterRole", WIDGETS, None, {"rules": rules})
        wait_until(lambda: may_patch(cluster) == (rules is rights), what="the rights in force")

    give([*others, readable])
    yield lambda: give(rights)
    give(rights)


def may_patch(cluster) -> bool:
    """Reports whether the API server lets that operator patch ConfigMaps now."""
    attributes = {"verb": "patch", "resource": "configmaps", "namespace": "default"}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "metadata": {"name": ""},
        "spec": {"user": user_of(WIDGETS), "resourceAttributes": attributes},
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return cluster.kube.request("POST", path, review)["status"]["allowed"]


def test_a_forbidden_call_names_verb_and_resource(widget, configmaps_read_only):
    widget.create()
    failed = widget.wait_condition("ReleaseFailed", "True", "InstallError")
    assert "configmaps" in failed["message"] and "patch" in failed["message"]
    assert widget.wait_condition("Stalled", "True")
    configmaps_read_only()
    widget.wait_ready()
    widget.wait_condition("ReleaseFailed", None)


def foreign(widget, **metadata) -> dict:
    """Returns a ConfigMap of another owner with the name of a child."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "one-0", "namespace": widget.namespace, **metadata},
        "data": {"theirs": "kept"},
    }


def test_an_unowned_object_is_refused_and_adopted_with_its_consent(widget, widget_traffic):
    before = widget.kube.create(foreign(widget))
    widget.create()
    refused = widget.wait_condition("Ready", "False")
    for part in ("ConfigMap", "one-0", "chartwright.io/adopt"):
        assert part in refused["message"]
    untouched = widget.child(CONFIGMAP, "one-0")["metadata"]
    assert untouched["resourceVersion"] == before["metadata"]["resourceVersion"]

    widget.annotate(adopt="true")
    name = f"{widget.namespace}/one"
    assert f'chartwright.io/adoptable-by: "{name}"' in refused["message"]
    consent = {"chartwright.io/adoptable-by": name}
    widget.kube.annotate(CONFIGMAP, "one-0", widget.namespace, consent)
    widget.wait_ready()
    adopted = widget.child(CONFIGMAP, "one-0")
    assert adopted["metadata"]["uid"] == before["metadata"]["uid"]
    assert is_controlled_by(adopted, widget.uid())
    # Fields that the chart does not render are kept.
    assert adopted["data"] == {"theirs": "kept", "text": "hello"}


def test_an_object_of_another_owner_is_never_taken_over(widget, declare):
    other = declare(WIDGET, "other").create({"count": 0})
    reference = {
        "apiVersion": "e2e.chartwright.io/v1",
        "kind": "Widget",
        "name": "other",
        "uid": other.uid(),
        "controller": True,
    }
    before = widget.kube.create(foreign(widget, ownerReferences=[reference]))
    widget.create(annotations={"chartwright.io/adopt": "true"})
    refused = widget.wait_condition("Ready", "False")
    assert "one-0" in refused["message"] and "other" in refused["message"]
    after = widget.child(CONFIGMAP, "one-0")
    assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    widget.delete()
    widget.wait_gone()
    assert widget.child(CONFIGMAP, "one-0")["metadata"]["uid"] == before["metadata"]["uid"]


@pytest.mark.parametrize(
    "damage",
    [
        {"labels": {CHART_LABEL: None}},
        {"ownerReferences": None},
        {"labels": {CHART_LABEL: None}, "ownerReferences": None},
        {"annotations": None},
    ],
    ids=["label", "owner", "both", "annotations"],
)
def test_a_child_without_its_ownership_marks_is_repaired(declare, operator, damage):
    shop = declare(BOOKSTORE, "shop").create()
    shop.wait_ready()
    before = shop.child(DEPLOYMENT, "shop")
    started = time.monotonic()
    shop.kube.patch(DEPLOYMENT, "shop", shop.namespace, {"metadata": damage})
    marks = marks_of(before)
    after = shop.wait_child(DEPLOYMENT, "shop", lambda obj: marks_of(obj) == marks)
    seconds = time.monotonic() - started
    print(f"repaired after {seconds * 1000:.0f} ms")
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert seconds < REPAIR_SECONDS_MAX
    shop.wait_ready()


def marks_of(obj: dict) -> tuple:
    """Returns the metadata that identifies the owner of an object."""
    metadata = obj["metadata"]
    annotations = metadata.get("annotations", {})
    ours = {key: value for key, value in annotations.items() if key.startswith("meta.helm.sh/")}
    return metadata["labels"].get(CHART_LABEL), metadata.get("ownerReferences"), ours


@contextlib.contextmanager
def held_up(operator):
    """Suspends the operator; when it resumes, it gets all missed events at once.

    Watches are not ordered relative to each other: it may learn of children before their owner.
    """
    os.kill(operator.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(operator.pid, signal.SIGCONT)


def test_a_recreated_custom_resource_inherits_nothing(declare, operator):
    """Decisions about a deleted object must not affect its successor of the same name."""
    shop = declare(BOOKSTORE, "shop").create()
    shop.wait_ready()
    for _ in range(4):
        gone = shop.uid()
        with held_up(operator):
            shop.delete()
            shop.wait_gone()
            shop.kube.wait_gone(DEPLOYMENT, "shop", shop.namespace)
            shop.create()
        ready = shop.wait_ready()
        assert ready["metadata"]["uid"] != gone
        assert len(ready["status"]["history"]) == 1
        assert is_controlled_by(shop.child(DEPLOYMENT, "shop"), ready["metadata"]["uid"])


def is_refused_with_a_way_out(obj: dict) -> bool:
    ready = condition(obj, "Ready")
    return ready.get("reason") == "InstallError" and "chartwright.io/adopt" in ready["message"]


def test_a_recreated_custom_resource_does_not_get_the_old_status(declare, widgets):
    """Its children were changed, not deleted: a status write follows, and no creation."""
    made = [declare(WIDGET, f"w{number}").create() for number in range(8)]
    for one in made:
        one.wait_ready()
    with held_up(widgets):
        for one in made:
            # No longer ours, so there is nothing to repair.
            one.delete(propagation="Orphan")
            one.wait_gone()
            # With it the new custom resource would go on with the release.
            one.kube.delete(SECRET, f"sh.helm.release.v1.{one.name}.v1", one.namespace)
            one.create({"count": 2, "text": "new"})
    for one in made:
        # Until the operator sees that the child is released, it says whose that is.
        one.wait(is_refused_with_a_way_out, what="a refusal that names the annotation")
        assert "revision" not in one.status() and "history" not in one.status()
        assert text(one) == "hello"


def test_a_recreated_custom_resource_goes_on_with_its_orphaned_release(widget):
    """As after `helm upgrade`: the objects stay, the number and the history go on."""
    widget.create({"text": "one"})
    widget.wait_ready()
    before = widget.child(CONFIGMAP, "one-0")["metadata"]["uid"]
    widget.delete(propagation="Orphan")
    widget.wait_gone()
    widget.create({"text": "two"})
    widget.wait_revision(2)
    ready = widget.wait_ready()
    assert [entry["description"] for entry in ready["status"]["history"]] == [
        "Upgrade complete",
        "Install complete",
    ]
    after = widget.child(CONFIGMAP, "one-0")
    assert after["data"]["text"] == "two" and after["metadata"]["uid"] == before
    assert is_controlled_by(after, ready["metadata"]["uid"])
    for number in (1, 2):
        assert is_controlled_by(
            widget.kube.get(SECRET, f"sh.helm.release.v1.one.v{number}", widget.namespace),
            ready["metadata"]["uid"],
        )


def test_a_release_outlives_the_loss_of_its_record(widget):
    widget.create({"text": "one"})
    widget.wait_ready()
    widget.kube.delete(SECRET, "sh.helm.release.v1.one.v1", widget.namespace)
    widget.kube.delete(CONFIGMAP, "one-0", widget.namespace)
    widget.wait_child(CONFIGMAP, "one-0", lambda obj: obj["data"]["text"] == "one")
    widget.wait_revision(2)
    widget.wait_ready()


def test_orphaned_children_are_released(declare, widgets, widget_traffic):
    made = [declare(WIDGET, f"w{number}").create() for number in range(8)]
    for one in made:
        one.wait_ready()
    before = {one.name: one.child(CONFIGMAP, f"{one.name}-0") for one in made}
    mark = widget_traffic.mark()
    with held_up(widgets):
        for one in made:
            one.delete(propagation="Orphan")
        for one in made:
            one.wait_gone()
    meters.wait_at_rest(widgets)
    widget_traffic.check(mark, expect.no_child_write)
    for one in made:
        after = one.child(CONFIGMAP, f"{one.name}-0")["metadata"]
        assert after["uid"] == before[one.name]["metadata"]["uid"]
        assert "ownerReferences" not in after and "deletionTimestamp" not in after


def test_a_fight_over_a_field_does_not_become_a_storm(widget, widget_traffic):
    """Another controller sets a field back as soon as it is repaired."""
    widget.create({"text": "one"})
    widget.wait_ready()
    mark = widget_traffic.mark()

    def contested(obj: dict) -> bool:
        widget.kube.patch(CONFIGMAP, "one-0", widget.namespace, {"data": {"text": "theirs"}})
        return any(c["type"] == "Contested" for c in obj["status"].get("conditions", []))

    wait_until(lambda: contested(widget.get()), timeout_seconds=60, what="the condition Contested")
    said = widget.wait_condition("Contested", "True", "ChangedByOthers")
    assert (
        "ConfigMap " in said["message"]
        and "one-0 is changed again soon after each repair (managed by " in said["message"]
    )
    # It was changed once more after the last repair. That repair waits, but it comes.
    widget.wait_child(CONFIGMAP, "one-0", lambda obj: obj["data"]["text"] == "one")

    def few(requests):
        assert 10 <= len(expect.child_writes(requests)) <= 12

    widget_traffic.check(mark, few)


def test_the_status_describes_the_observed_generation(widget):
    widget.create()
    status = widget.wait_ready()["status"]
    assert status["observedGeneration"] == widget.get()["metadata"]["generation"] == 1
    types = {found["type"] for found in status["conditions"]}
    assert types == {"Initialized", "Deployed", "Ready"}
    assert condition(widget.get(), "Deployed")["reason"] == "InstallSuccessful"
    resource = next(item for item in status["resources"] if item["name"] == "one-0")
    assert (resource["version"], resource["kind"], resource["namespace"]) == (
        "v1",
        "ConfigMap",
        widget.namespace,
    )
    widget.patch({"text": "again"})
    status = widget.wait(is_current)["status"]
    assert status["observedGeneration"] == 2


def test_kubectl_wait_understands_the_status(cluster, declare, operator):
    shop = declare(BOOKSTORE, "shop").create()
    arguments = ("-n", shop.namespace, "--timeout=30s", "bookstore/shop")
    cluster.kubectl("wait", "--for=condition=Ready", *arguments)
    header, row = cluster.kubectl("get", "-n", shop.namespace, "bookstore", "shop").splitlines()
    # By position, because a column may be empty.
    shown = {name: row[header.index(name) :].split(" ", 1)[0] for name in header.split()}
    assert (shown["NAME"], shown["READY"], shown["REV"]) == ("shop", "True", "1")
