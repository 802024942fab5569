# SPDX-License-Identifier: Apache-2.0
"""Release records are whole: real Helm finds in ours what it finds in its own."""

import base64
import gzip
import json
import random

import pytest

from e2e import session
from e2e.custom_resource import CONFIGMAP, SECRET, WIDGET, condition
from e2e.releases import records
from harness import jobs

CHART = """apiVersion: v2
name: widget
version: 1.2.3
appVersion: "7"
description: A chart with all that a record has.
keywords: [one, two]
maintainers: [{name: Jo, email: jo@example.com}]
dependencies: [{name: sub, version: 1.0.0, import-values: [exported], condition: sub.enabled}]
annotations: {a: b}
"""
LOCK = """dependencies: [{name: sub, repository: "", version: 1.0.0}, null]
digest: sha256:0f
generated: "2026-03-16T12:13:14.120000+01:00"
"""
HOOK = f"""apiVersion: batch/v1
kind: Job
metadata:
  name: {{{{ .Release.Name }}}}-check
  annotations: {{helm.sh/hook: "pre-upgrade,pre-rollback", helm.sh/hook-weight: "3", \
helm.sh/hook-delete-policy: hook-succeeded}}
spec:
  {jobs.MANAGED_BY}
  template:
    spec: {{restartPolicy: Never, containers: [{{name: main, image: main}}]}}
"""
FILES = {
    "Chart.yaml": CHART,
    "Chart.lock": LOCK,
    "README.md": "# \xe4 <widget>\n",
    "files/data.bin": "\x00\x01",
    "crds/README": "nothing\n",
    "templates/hook.yaml": HOOK,
    "templates/NOTES.txt": "Text: {{ .Values.text }}\n",
    "templates/_helpers.tpl": '{{ define "x" }}{{ end }}\n',
    "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
    "charts/sub/values.yaml": "exports: {exported: {given: {a: 1.5}}}\nrest: [1]\n",
    "charts/sub/templates/empty.yaml": "",
}


@pytest.fixture(name="project")
def write_project(tmp_path):
    """The options that run the operator with the chart."""
    return session.widget_project(tmp_path, FILES)


def record_in(secret: dict) -> dict:
    """Returns the release record of a Secret."""
    packed = base64.b64decode(base64.b64decode(secret["data"]["release"]))
    return json.loads(gzip.decompress(packed))


def chart_of(record: dict) -> dict:
    """Returns the chart of a record, its files by name: Helm has them in the folder's order."""
    chart = dict(record["chart"])
    for member in ("templates", "files"):
        chart[member] = {file["name"]: file["data"] for file in chart[member] or []}
    return chart


def without_times(hooks: list[dict]) -> list[dict]:
    """Returns hooks without what is different in each run."""
    return [{key: value for key, value in hook.items() if key != "last_run"} for hook in hooks]


def test_a_record_has_the_chart_that_helm_records(own_cluster, namespace, declare, project, helm):
    chart = project["cwd"] / "chart"
    helm("install", "theirs", str(chart), "--set", "text=one")
    theirs = record_in(own_cluster.kube.get(SECRET, "sh.helm.release.v1.theirs.v1", namespace))
    widget = declare(WIDGET, "theirs-and-ours")
    with session.widget_operator(own_cluster, **project):
        widget.create({"text": "one"}).wait_ready()
        ours = widget.record(1)
        assert chart_of(ours) == chart_of(theirs)
        assert ours["config"] == theirs["config"]
        named = json.loads(
            json.dumps(theirs["hooks"]).replace("theirs-check", "theirs-and-ours-check")
        )
        assert without_times(ours["hooks"]) == without_times(named)
        assert ours.keys() == theirs.keys()


def test_helm_goes_on_from_our_records(own_cluster, namespace, declare, project, helm):
    widget = declare(WIDGET, "w")
    with (
        session.widget_operator(own_cluster, **project),
        jobs.JobPlayer(own_cluster.kube, namespace),
    ):
        widget.create({"text": "one"}).wait_ready()
        widget.patch({"text": "two"})
        widget.wait_revision(2)
    assert "pre-upgrade" in helm("get", "hooks", "w")
    assert json.loads(helm("get", "values", "w", "--all", "-o", "json"))["given"] == {"a": 1.5}
    assert "Text: two" in helm("get", "notes", "w")
    chart = str(project["cwd"] / "chart")
    reused = json.loads(
        helm(
            "upgrade",
            "w",
            chart,
            "--reuse-values",
            "--set",
            "count=2",
            "--dry-run=server",
            "-o",
            "json",
        )
    )
    assert reused["config"] == {"text": "two", "count": 2}
    assert "w-1" in reused["manifest"]
    assert "Rollback was a success" in helm("rollback", "w", "1", "--dry-run")


def test_a_rollback_records_the_chart_of_its_target(own_cluster, declare, project):
    widget = declare(WIDGET, "w")
    with session.widget_operator(own_cluster, **project):
        widget.create({"text": "one"}).wait_ready()
    before = chart_of(widget.record(1))
    (project["cwd"] / "chart" / "README.md").write_text("another\n", encoding="utf-8")
    player = jobs.JobPlayer(own_cluster.kube, widget.namespace)
    with session.widget_operator(own_cluster, **project), player:
        widget.patch({"text": "two"})
        widget.wait_revision(2)
        assert chart_of(widget.record(2)) != before
        widget.annotate(rollback_to="1")
        widget.wait_revision(3)
    assert chart_of(widget.record(3)) == before
    assert records(widget) == {1: "superseded", 2: "superseded", 3: "deployed"}


def test_a_release_whose_record_is_too_large_has_no_effect(own_cluster, declare, project):
    widget = declare(WIDGET, "large")
    # In the values and in the manifest; a custom resource may have no more.
    noise = base64.b64encode(random.Random(1).randbytes(600_000)).decode()
    with session.widget_operator(own_cluster, **project):
        widget.create({"text": noise})
        refused = widget.wait(lambda obj: condition(obj, "Stalled").get("status") == "True")
        message = condition(refused, "ReleaseFailed")["message"]
        assert message.startswith("revision 1 does not fit a Secret: ")
        assert widget.kube.find(CONFIGMAP, "large-0", widget.namespace) is None
        assert not records(widget)
        widget.patch({"text": "small"})
        widget.wait_revision(1)
        assert widget.child(CONFIGMAP, "large-0")["data"] == {"text": "small"}


@pytest.mark.parametrize("broken", ["garbage", "nothing", "another manifest"])
def test_a_record_that_somebody_broke_harms_only_itself(own_cluster, declare, project, broken):
    """The release goes on: drift is repaired as far as the record says how, and a new spec is
    applied.
    """
    widget = declare(WIDGET, "w")
    with session.widget_operator(own_cluster, **project):
        widget.create({"text": "one"})
        widget.wait_revision(1)
        widget.wait_ready()
    secret = own_cluster.kube.get(SECRET, "sh.helm.release.v1.w.v1", widget.namespace)
    record = record_in(secret)
    record["manifest"] = record["manifest"].replace("one", "forged")
    forged = base64.b64encode(base64.b64encode(gzip.compress(json.dumps(record).encode()))).decode()
    data = {"garbage": "Z2FyYmFnZQ==", "nothing": None, "another manifest": forged}[broken]
    own_cluster.kube.patch(
        SECRET, "sh.helm.release.v1.w.v1", widget.namespace, {"data": {"release": data}}
    )
    own_cluster.kube.patch(CONFIGMAP, "w-0", widget.namespace, {"data": {"text": "drifted"}})
    player = jobs.JobPlayer(own_cluster.kube, widget.namespace)
    with session.widget_operator(own_cluster, **project), player:
        widget.wait_child(CONFIGMAP, "w-0", lambda obj: obj["data"]["text"] == "one")
        widget.wait_ready()
        widget.patch({"text": "two"})
        widget.wait_child(CONFIGMAP, "w-0", lambda obj: obj["data"]["text"] == "two")
        ready = widget.wait_ready()
        assert "forged" not in json.dumps(ready["status"])
        newest = ready["status"]["revision"]
        assert records(widget)[newest] == "deployed"
        widget.delete()
        widget.wait_gone()
