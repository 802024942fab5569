# SPDX-License-Identifier: Apache-2.0
"""`chartwright history` lists what `helm history` lists, and more where a status has more."""

import datetime
import json

import pytest

from e2e import console, raw_chart
from e2e.custom_resource import SECRET, WIDGET, CustomResource

CHART = "apiVersion: v2\nname: raw\nversion: 0.1.0\nappVersion: 1.16.0\n"
ADDED = ("current", "record", "generation", "by")
# A hook that never ends: its pods stay pending.
HOOK = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "wait", "annotations": {"helm.sh/hook": "pre-upgrade"}},
    "spec": {
        "template": {
            "metadata": {"annotations": {"chartwright.io/test-pod-state": "pending"}},
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "main"}],
            },
        }
    },
}


def settings(text: str) -> dict:
    """Returns a ConfigMap."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "settings"},
        "data": {"text": text},
    }


@pytest.fixture(scope="module", name="raw")
def raw_operator(cluster, shared_operators, tmp_path_factory):
    """The operator of a chart that renders the manifest of its custom resource."""
    folder = tmp_path_factory.mktemp("history")
    with raw_chart.started(cluster, folder, files={"Chart.yaml": CHART}) as operator:
        shared_operators["raw"] = operator
        yield operator
    del shared_operators["raw"]


@pytest.fixture(name="widget")
def with_three_revisions(raw, cluster, namespace):
    """A custom resource whose third revision is a rollback."""
    widget = raw_chart.create(cluster, namespace, "one", settings("planted-value"))
    widget.wait_revision(1)
    widget.patch(raw_chart.manifest(settings("b")))
    widget.wait_revision(2)
    widget.annotate(rollback_to="1")
    widget.wait_revision(3)
    return widget


@pytest.fixture(name="history")
def command(cluster, namespace):
    """`history(ARGUMENTS...)` runs the command in the test's namespace."""
    return lambda *arguments, **options: console.run(
        cluster, namespace, "history", *arguments, **options
    )


def revisions(done) -> list[dict]:
    """Returns the revisions of the only item."""
    assert done.returncode == 0, done.stderr
    [item] = json.loads(done.stdout)["items"]
    assert item["name"] == "one"
    return item["revisions"]


def seconds_between(early: str, late: str, form: str) -> float:
    """Returns the seconds from one time to another."""
    times = [datetime.datetime.strptime(text, form) for text in (early, late)]
    return (times[1] - times[0]).total_seconds()


def test_a_history_is_that_of_helm(widget, helm, history):
    done = history("widget/one")
    assert (done.returncode, done.stderr) == (0, "")
    told = helm("history", "one", "-o", "table").splitlines()
    expected = [[cell.strip() for cell in line.split("\t")] for line in told]
    table = console.rows(done.stdout)
    assert table[0] == [*expected[0], "SPEC", "BY"]
    # The record has the time before the children are applied, the status that after it.
    # A rollback carries out another revision, and not the spec.
    changes = [["1", "chartwright-test"], ["2", "chartwright-test"], ["-", "-"]]
    assert [row[-2:] for row in table[1:]] == changes
    for mine, theirs in zip((row[:-2] for row in table[1:]), expected[1:], strict=True):
        assert 0 <= seconds_between(theirs.pop(1), mine.pop(1), "%a %b %d %H:%M:%S %Y") < 60
        assert mine == theirs
    found = revisions(history("widget", "one", "-o", "json"))
    theirs = json.loads(helm("history", "one", "-o", "json"))
    for one, their in zip(found, theirs, strict=True):
        times = [text[:19] for text in (their.pop("updated"), one.pop("updated"))]
        assert 0 <= seconds_between(*times, "%Y-%m-%dT%H:%M:%S") < 60
        assert one.pop("appVersion") == their.pop("app_version")
        assert {key: one[key] for key in one if key not in ADDED} == their
    assert [one["current"] for one in found] == [False, False, True]
    assert [one["generation"] for one in found] == [1, 2, 0]
    assert [one["by"] for one in found] == ["chartwright-test", "chartwright-test", ""]
    assert {one["record"] for one in found} == {"Present"}


def test_the_newest_are_listed(widget, history):
    assert [one["revision"] for one in revisions(history("widget/one", "-o", "json"))] == [1, 2, 3]
    newest = revisions(history("widget/one", "-o", "json", "--max", "2"))
    assert [one["revision"] for one in newest] == [2, 3]
    assert history("widget/one", "--max=1").stdout.splitlines()[1].startswith("3 ")


def test_no_value_of_a_record_is_shown(widget, history):
    for form in ("table", "wide", "json", "yaml"):
        done = history("widget/one", "-o", form)
        assert done.returncode == 0
        assert "planted-value" not in done.stdout + done.stderr


def test_without_rights_on_secrets_the_status_is_shown(widget, cluster, namespace, history):
    kubeconfig = console.viewer(cluster, namespace, ("e2e.chartwright.io", "widgets", "get"))
    done = history("widget/one", kubeconfig=kubeconfig)
    assert done.returncode == 0
    table = console.rows(done.stdout)
    assert [row[2:] for row in table[1:]] == [
        ["superseded", "raw-0.1.0", "-", "Install complete", "-", "-"],
        ["superseded", "raw-0.1.0", "-", "Upgrade complete", "-", "-"],
        ["deployed", "raw-0.1.0", "-", "Rollback to 1", "-", "-"],
    ]
    gap = f"no right to get Secrets in {namespace}, which have the rest of the history"
    assert done.stderr == f"widget.e2e.chartwright.io/one: {gap}\n"
    done = history("widget/one", "-o", "json", kubeconfig=kubeconfig)
    assert json.loads(done.stdout)["items"][0]["gaps"] == [gap]
    assert done.stderr == ""


def test_a_record_that_is_not_one_is_told(widget, cluster, namespace, history):
    secrets = [f"sh.helm.release.v1.one.v{number}" for number in (1, 2, 3)]
    cluster.kube.delete(SECRET, secrets[0], namespace)
    cluster.kube.patch(SECRET, secrets[1], namespace, {"data": {"release": "AAAA"}})
    cluster.kube.patch(SECRET, secrets[2], namespace, {"metadata": {"ownerReferences": None}})
    found = revisions(history("widget/one", "-o", "json"))
    assert [one["record"] for one in found] == ["Missing", "Damaged", "Foreign"]
    assert {one["appVersion"] for one in found} == {""}
    assert console.rows(history("widget/one", "-o", "wide").stdout)[1][-1] == "Missing"


def test_an_attempt_is_shown(raw, cluster, namespace, history):
    widget = raw_chart.create(cluster, namespace, "one", settings("a"))
    widget.wait_revision(1)
    widget.patch(raw_chart.manifest(settings("b"), HOOK))
    widget.wait(lambda obj: "attempt" in obj["status"], what="an attempt")
    [_, second] = revisions(history("widget/one", "-o", "json"))
    assert (second["revision"], second["status"]) == (2, "pending-upgrade")
    assert (second["chart"], second["appVersion"]) == ("raw-0.1.0", "1.16.0")
    assert not second["current"]


def test_none_and_wrong_words(raw, cluster, namespace, history):
    rests = CustomResource(cluster, WIDGET, namespace, "rests")
    rests.create(annotations={"chartwright.io/paused": "maintenance"})
    done = history("widget/rests")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "widget.e2e.chartwright.io/rests has no revision yet.\n"
    done = history("widget/nobody")
    assert (done.returncode, done.stdout) == (1, "")
    assert '"nobody" not found' in done.stderr
    done = history("widget/rests", "--max", "0")
    assert done.stderr == "Error: --max: at least one revision has to be listed\n"
    done = history("widget/rests", "-o", "name")
    assert done.stderr == 'Error: --output: "name" is not table, wide, json or yaml\n'
    done = history("widget/rests", "-A")
    assert done.stderr == "Error: a name needs one namespace, and not all of them\n"
    done = history("widgets")
    assert done.stderr == "Error: name the custom resource: KIND/NAME\n"
