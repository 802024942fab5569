# SPDX-License-Identifier: Apache-2.0
"""`chartwright pause`, `resume`, `reconcile` and `rollback` ask the operator for what they say."""

import base64
import gzip
import json

import pytest

from e2e import console
from e2e.custom_resource import WIDGET, condition

SECRET = "v1/Secret"
RECORD = "sh.helm.release.v1.one.v{}"


@pytest.fixture(name="ask")
def command(cluster, namespace):
    """`ask(VERB, ARGUMENTS...)` runs the command in the test's namespace."""
    return lambda *arguments, **options: console.run(cluster, namespace, *arguments, **options)


@pytest.fixture(name="widget")
def with_two_revisions(widgets, declare):
    """A custom resource with two revisions."""
    widget = declare(WIDGET, "one").create({"text": "a"})
    widget.wait_revision(1)
    widget.patch({"text": "b"})
    widget.wait_revision(2)
    return widget


def test_a_rollback_and_its_end(widget, ask):
    done = ask("rollback", "widget/one", "--to", "1", "--wait")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "widget.e2e.chartwright.io/one is rolled back to revision 1, as revision 3\n"
    )
    assert condition(widget.get(), "RolledBack")["status"] == "True"
    # The same request once more, after another revision.
    done = ask("rollback", "widget/one", "--end")
    assert done.stdout == "widget.e2e.chartwright.io/one follows its spec again\n"
    widget.wait_revision(4)
    done = ask("rollback", "widget", "one", "--wait")
    assert done.stdout.endswith("is rolled back to previous, as revision 5\n")


def test_a_rollback_that_cannot_be_is_refused_before_it_is_asked_for(widget, ask):
    before = widget.get()["metadata"]["resourceVersion"]
    done = ask("rollback", "widget/one", "--to", "9")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "Error: widget.e2e.chartwright.io/one has no revision 9; its history has 2, 1\n"
    )
    done = ask("rollback", "widget/one", "--to", "last")
    assert done.returncode == 1
    assert '--to: "last" is neither a revision nor previous' in done.stderr
    assert widget.get()["metadata"]["resourceVersion"] == before


def test_a_rehearsed_rollback_tells_its_changes_and_asks_for_nothing(widget, ask):
    before = widget.get()["metadata"]["resourceVersion"]
    expected = """widget.e2e.chartwright.io/one would be rolled back from revision 2 to revision 1:
~ v1 ConfigMap one-0: apply
    ~ data.text: "b" → "a"
Changes: 1 apply.
"""
    for target in ("1", "previous"):
        done = ask("rollback", "widget/one", "--to", target, "--dry-run")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == expected
    done = ask("rollback", "widget/one", "--to", "9", "--dry-run")
    assert (done.returncode, done.stdout) == (1, "")
    assert "has no revision 9; its history has 2, 1" in done.stderr
    for flag, reason in (("--end", "`chartwright diff` shows"), ("--wait", "there is no answer")):
        done = ask("rollback", "widget/one", "--dry-run", flag)
        assert done.returncode == 1 and reason in done.stderr
    assert widget.get()["metadata"]["resourceVersion"] == before
    # It tells the truth.
    ask("rollback", "widget/one", "--to", "1", "--wait")
    assert widget.child("v1/ConfigMap", "one-0")["data"]["text"] == "a"


def test_a_rehearsed_rollback_needs_the_rights_of_one(widget, cluster, namespace, ask):
    widgets_only = ("e2e.chartwright.io", "widgets", "get patch")
    kubeconfig = console.viewer(cluster, namespace, widgets_only)
    done = ask("rollback", "widget/one", "--dry-run", kubeconfig=kubeconfig)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"Error: widget.e2e.chartwright.io/one: no right to get Secrets in {namespace}, "
        "which have the manifests of the revisions\n"
    )
    role = "rbac.authorization.k8s.io/v1/Role"
    rules = [{"apiGroups": ["e2e.chartwright.io"], "resources": ["widgets"], "verbs": ["get"]}]
    cluster.kube.patch(role, "viewer", namespace, {"rules": rules})
    done = ask("rollback", "widget/one", "--dry-run", kubeconfig=kubeconfig)
    assert done.returncode == 1 and 'cannot patch resource "widgets"' in done.stderr


@pytest.mark.parametrize("number", [1, 2])
def test_a_rehearsed_rollback_refuses_a_record_that_is_not_one(widget, cluster, number, ask):
    name, namespace = RECORD.format(number), widget.namespace
    cluster.kube.patch(SECRET, name, namespace, {"data": {"release": "AAAA"}})
    done = ask("rollback", "widget/one", "--dry-run")
    assert done.returncode == 1
    assert f"the record of revision {number} is damaged" in done.stderr
    cluster.kube.delete(SECRET, name, namespace)
    done = ask("rollback", "widget/one", "--dry-run")
    assert done.returncode == 1
    assert f"the record of revision {number} is missing" in done.stderr


def test_a_rehearsed_rollback_refuses_a_record_of_another_content(widget, cluster, ask):
    record = widget.record(1)
    record["manifest"] = record["manifest"].replace('"a"', '"planted"')
    packed = base64.b64encode(gzip.compress(json.dumps(record).encode()))
    data = {"release": base64.b64encode(packed).decode()}
    cluster.kube.patch(SECRET, RECORD.format(1), widget.namespace, {"data": data})
    done = ask("rollback", "widget/one", "--dry-run")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the record of revision 1 was changed" in done.stderr
    assert "planted" not in done.stderr


def test_a_pause_has_a_reason_and_an_end(widget, ask):
    done = ask("pause", "widget/one", "--reason", "maintenance", "--for", "1h")
    assert done.returncode == 0
    assert done.stdout.startswith("widget.e2e.chartwright.io/one paused until 20")
    paused = widget.wait(lambda obj: condition(obj, "Paused"), what="the condition Paused")
    assert condition(paused, "Paused")["message"].startswith("maintenance; until 20")
    assert ask("resume", "widget/one").stdout == "widget.e2e.chartwright.io/one resumed\n"
    widget.wait(lambda obj: not condition(obj, "Paused"), what="the end of the pause")
    assert not widget.get()["metadata"].get("annotations")
    done = ask("pause", "widget/one", "--reason", "false")
    assert (done.returncode, done.stdout) == (1, "")
    assert '--reason: "false" asks for no pause' in done.stderr


def test_a_reconcile_is_asked_for_once_more_each_time(widget, ask):
    key = "chartwright.io/reconcile-requested-at"
    times = []
    for _ in range(2):
        done = ask("reconcile", "widget/one")
        assert done.stdout == "widget.e2e.chartwright.io/one asked for a reconcile\n"
        times.append(widget.get()["metadata"]["annotations"][key])
    assert times[0] < times[1]


def test_a_request_needs_a_name_that_is_there(widget, ask):
    done = ask("pause", "widgets")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Error: name the custom resource: KIND/NAME\n"
    done = ask("pause", "widget/nobody", "widget/one")
    assert done.returncode == 1
    assert "nobody" in done.stderr
    assert done.stdout == "widget.e2e.chartwright.io/one paused\n"
