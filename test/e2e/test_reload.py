# SPDX-License-Identifier: Apache-2.0
"""`chartwright run --reload`: charts and watches files that change while the operator runs."""

import functools
import pathlib

import pytest

from e2e import session
from e2e.custom_resource import WIDGET, CustomResource, condition, is_current
from harness import oracle
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions

RESTARTING = "Files have changed, starting again with them"
BROKEN = "Changed files cannot be loaded, the operator goes on with what it has"
AGAIN = "The files are again as the operator has them"
TRIED = "Rendered the changed charts"
UNFIT = "The changed chart does not render for a custom resource, which stays as it is"
TEMPLATE = "templates/configmaps.yaml"


@pytest.fixture(name="project")
def fixture_project(tmp_path):
    """The files of a project with the test chart; a dict of options for an operator of it."""
    return session.widget_project(tmp_path, {})


@pytest.fixture(name="process")
def fixture_process(cluster, project, namespace):
    """An operator of the project that looks for changes."""
    with session.widget_operator(
        cluster, "--reload", namespaces=(namespace,), **project
    ) as process:
        yield process


@pytest.fixture(name="template")
def fixture_template(project) -> pathlib.Path:
    """The file of the template that renders a widget's ConfigMaps."""
    return project["cwd"] / "chart" / TEMPLATE


def add_key(template: pathlib.Path, key: str) -> None:
    """Has the template render one more key."""
    text = template.read_text(encoding="utf-8").replace("\ndata:\n", f"\ndata:\n  {key}: added\n")
    replace(template, text)


def replace(path: pathlib.Path, text: str) -> None:
    """Writes a file as editors do: beside it, then under its name."""
    other = path.with_name(f".{path.name}.new")
    other.write_text(text, encoding="utf-8")
    other.rename(path)


def keys_of(widget) -> set[str]:
    """Returns the keys of its first ConfigMap."""
    return set(widget.kube.get("ConfigMap", f"{widget.name}-0", widget.namespace)["data"])


def text_of(widget) -> str:
    """Returns the text in its first ConfigMap."""
    return widget.child("ConfigMap", f"{widget.name}-0")["data"]["text"]


def count(process, message: str) -> int:
    """Returns how many lines of the log have that message."""
    return sum(line["msg"] == message for line in process.logs())


def test_a_changed_chart_is_applied(process, template, declare):
    widget = declare(WIDGET, "w").create({})
    widget.wait_ready()
    add_key(template, "one")
    wait_until(lambda: "one" in keys_of(widget), what="the new template's key")
    # The old status is about the current spec, too.
    widget.wait_revision(2)
    assert count(process, RESTARTING) == 1
    process.wait_ready()
    add_key(template, "two")
    wait_until(lambda: "two" in keys_of(widget), what="the key of the next change")
    assert count(process, RESTARTING) == 2


def test_helm_operator_applies_a_changed_chart_too(cluster, project, template, namespace):
    """The judge: it reads the chart at every reconcile."""
    with session.admin_account(cluster, "chartwright-e2e-reload-theirs") as kubeconfig:
        theirs = Operator(
            OperatorOptions(
                kubeconfig,
                namespaces=(namespace,),
                arguments=("--reconcile-period=1s",),
                binary=oracle.build_helm_operator(),
                has_state_dir=False,
                **project,
            )
        )
        with theirs:
            widget = CustomResource(cluster, WIDGET, namespace, "w").create({})
            widget.wait(lambda obj: condition(obj, "Deployed").get("status") == "True")
            add_key(template, "one")
            wait_until(lambda: "one" in keys_of(widget), what="the new template's key")
            # The finalizer is its own.
            widget.delete()
            widget.wait_gone()


def test_a_chart_that_cannot_be_loaded_changes_nothing(process, template, declare):
    widget = declare(WIDGET, "w").create({})
    widget.wait_ready()
    before = template.read_text(encoding="utf-8")
    rules = template.parents[1] / "operator" / "operator.yaml"
    rules.parent.mkdir()
    replace(rules, "allowEmpty: true\nchildern: []\n")
    error = process.wait_log(lambda line: line["msg"] == BROKEN, what="the error")
    assert error["level"] == "error"
    assert (error["file"], error["line"], error["column"]) == ("chart/operator/operator.yaml", 2, 1)
    assert 'did you mean "children"?' in error["error"]
    # The operator works on, and says so once.
    widget.patch({"text": "changed"})
    widget.wait(is_current)
    assert process.http_status("/readyz") == 200
    assert count(process, RESTARTING) == 0

    rules.unlink()
    rules.parent.rmdir()
    process.wait_log(lambda line: line["msg"] == AGAIN, what="the end of the error")
    replace(template, before.replace("text:", "words:"))
    wait_until(lambda: keys_of(widget) == {"words"}, what="the mended chart")
    assert count(process, BROKEN) == 1


def test_a_chart_that_one_custom_resource_cannot_use_leaves_it_as_it_is(process, template, declare):
    widgets = {name: declare(WIDGET, name).create({"text": name}) for name in ("good", "bad")}
    for widget in widgets.values():
        widget.wait_ready()
    before = widgets["bad"].child("ConfigMap", "bad-0")["metadata"]["resourceVersion"]
    text = template.read_text(encoding="utf-8")
    refusal = '{{ if eq .Values.text "bad" }}{{ fail "no bad text" }}{{ end }}'
    replace(template, f"{refusal}\n{text}")
    add_key(template, "one")
    good, bad = widgets.values()
    good.wait_revision(2)
    assert "one" in keys_of(good)

    # It was known before the operator took the chart up.
    order = [line for line in process.logs() if line["msg"] in (UNFIT, TRIED, RESTARTING)]
    assert [line["msg"] for line in order] == [UNFIT, TRIED, RESTARTING]
    assert (order[0]["kind"], order[0]["namespace"], order[0]["name"]) == (
        "Widget",
        bad.namespace,
        "bad",
    )
    assert "no bad text" in order[0]["error"]
    assert (order[1]["rendered"], order[1]["failed"], order[1]["unknown"]) == (1, 1, 0)

    told = bad.wait_condition("Irreconcilable", "True", "ReconcileError")
    assert "no bad text" in told["message"]
    assert bad.wait_error() == told["message"]
    # Its workload runs on, and says so.
    assert condition(bad.get(), "Ready")["status"] == "True"
    assert condition(bad.get(), "Deployed")["observedGeneration"] == 1
    assert bad.status()["revision"] == 1
    assert "one" not in keys_of(bad)
    assert bad.child("ConfigMap", "bad-0")["metadata"]["resourceVersion"] == before
    bad.kube.patch("ConfigMap", "bad-0", bad.namespace, {"data": {"text": "edited"}})
    wait_until(lambda: text_of(bad) == "bad", what="the repair")

    # Another spec that it cannot use is not what runs.
    bad.patch({"text": "bad", "count": 2})
    bad.wait_condition("Ready", "False", "ReconcileError")
    assert condition(bad.get(), "Deployed")["observedGeneration"] == 1
    bad.patch({"text": "better"})
    bad.wait_ready()
    assert condition(bad.get(), "Deployed")["observedGeneration"] == 3


def test_a_chart_that_no_custom_resource_can_use_is_taken_up_and_changes_none(
    process, template, declare
):
    """As at a restart, which would take it up in any case."""
    widgets = [declare(WIDGET, name).create({}) for name in ("one", "two")]
    for widget in widgets:
        widget.wait_ready()
    replace(template, '{{ fail "for nobody" }}\n' + template.read_text(encoding="utf-8"))
    tried = process.wait_log(lambda line: line["msg"] == TRIED, what="the trial")
    assert (tried["level"], tried["rendered"], tried["failed"]) == ("warn", 0, 2)
    for widget in widgets:
        widget.wait_condition("Irreconcilable", "True", "ReconcileError")
        assert condition(widget.get(), "Ready")["status"] == "True"
        assert widget.status()["revision"] == 1
    assert count(process, RESTARTING) == 1
    widgets[0].kube.patch("ConfigMap", "one-0", widgets[0].namespace, {"data": {"text": "edited"}})
    wait_until(lambda: text_of(widgets[0]) != "edited", what="the repair")


CRON = """apiVersion: batch/v1
kind: CronJob
metadata: {name: "{{ .Release.Name }}"}
spec:
  schedule: "0 0 1 1 *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: a, image: example.com/a}]}
"""


def test_a_chart_that_needs_another_right_waits_for_it(
    cluster, process, project, template, namespace, declare
):
    widgets = [declare(WIDGET, name).create({}) for name in ("one", "two", "three")]
    for widget in widgets:
        widget.wait_ready()
    replace(project["cwd"] / "chart" / "templates" / "cron.yaml", CRON)
    add_key(template, "added")
    for widget in widgets:
        assert 'resource "cronjobs"' in widget.wait_error("ReconcileError")
        assert condition(widget.get(), "Ready")["status"] == "True"
        assert widget.status()["revision"] == 1
        assert "added" not in keys_of(widget)
    widgets[0].kube.patch("ConfigMap", "one-0", namespace, {"data": {"text": "edited"}})
    wait_until(lambda: text_of(widgets[0]) != "edited", what="the repair")

    verbs = "get,list,watch,create,patch,delete"
    account = f"{session.SYSTEM}:{session.WIDGETS}"
    kubectl = functools.partial(cluster.kubectl, "-n", namespace, "create")
    kubectl("role", "cron", f"--verb={verbs}", "--resource=cronjobs.batch")
    kubectl("rolebinding", "cron", "--role=cron", f"--serviceaccount={account}")
    for widget in widgets:
        widget.wait_revision(2)
        assert "added" in keys_of(widget)
        assert widget.child("batch/v1/CronJob", widget.name)
    # Each has told its error once, however often it has been tried.
    errors = [line for line in process.logs() if line["msg"] == "Reconciler error"]
    named = [line["name"] for line in errors if "cronjobs" in line["error"]]
    assert sorted(named) == ["one", "three", "two"]


def test_a_changed_watches_file_is_taken_up(process, project, template, declare):
    widget = declare(WIDGET, "w").create({})
    widget.wait_ready()
    # Its chart comes later, in a folder where the operator had nothing to look at.
    replace(project["watches_file"], session.WIDGET_WATCH.replace("chart: chart", "chart: other"))
    process.wait_log(lambda line: line["msg"] == BROKEN, what="the error")
    other = project["cwd"] / "other"
    add_key(template, "moved")
    template.parents[1].rename(other)
    wait_until(lambda: "moved" in keys_of(widget), what="the key of the moved chart")
    assert count(process, RESTARTING) == 1


def test_a_replaced_link_is_followed(cluster, tmp_path, declare):
    """The chart lies behind a link, as git-sync and mounted ConfigMaps have it."""
    for name in ("1", "2"):
        session.widget_project(tmp_path / name, {})
    add_key(tmp_path / "2" / "chart" / TEMPLATE, "two")
    current = tmp_path / "current"
    current.symlink_to("1")
    watches = tmp_path / "watches.yaml"
    watches.write_text(session.WIDGET_WATCH.replace("chart: chart", f"chart: {current}/chart"))
    with session.widget_operator(cluster, "--reload", watches_file=watches):
        widget = declare(WIDGET, "w").create({})
        widget.wait_ready()
        (tmp_path / "next").symlink_to("2")
        (tmp_path / "next").rename(current)
        wait_until(lambda: "two" in keys_of(widget), what="the key of the other chart")


def test_files_written_again_as_they_are_restart_nothing(process, project, template, declare):
    widget = declare(WIDGET, "w").create({})
    widget.wait_ready()
    for path in (template, project["watches_file"]):
        replace(path, path.read_text(encoding="utf-8"))
    # A change after it shows that the first one has been seen.
    add_key(template, "one")
    wait_until(lambda: "one" in keys_of(widget), what="the new template's key")
    assert count(process, RESTARTING) == 1


def test_it_stops_at_once_while_it_looks(process):
    ended = process.stop()
    assert ended.code == 0
    assert ended.seconds < 5


def test_without_the_flag_nothing_is_reloaded(cluster, project, template, declare):
    with session.widget_operator(cluster, **project) as process:
        widget = declare(WIDGET, "w").create({})
        widget.wait_ready()
        add_key(template, "one")
        widget.patch({"text": "changed"})
        widget.wait(is_current)
        assert "one" not in keys_of(widget)
        assert count(process, RESTARTING) == 0
        process.restart()
        wait_until(lambda: "one" in keys_of(widget), what="the key after a restart")
