# SPDX-License-Identifier: Apache-2.0
"""`chartwright events` lists the Events about a custom resource, its children and their pods."""

import json

import pytest

from e2e import console, raw_chart
from harness.kube import wait_until


@pytest.fixture(scope="module", name="raw")
def raw_operator(cluster, shared_operators, tmp_path_factory):
    """The operator of a chart that renders the manifest of its custom resource."""
    with raw_chart.started(cluster, tmp_path_factory.mktemp("tell")) as operator:
        shared_operators["raw"] = operator
        yield operator
    del shared_operators["raw"]


@pytest.fixture(name="events")
def command(cluster, namespace):
    """`events(ARGUMENTS...)` runs the command in the test's namespace."""
    return lambda *arguments, **options: console.run(
        cluster, namespace, "events", *arguments, **options
    )


@pytest.fixture(name="widget")
def with_a_deployment(raw, cluster, namespace):
    """A custom resource that is ready, and one beside it."""
    raw_chart.create(cluster, namespace, "two", raw_chart.deployment()).wait_ready()
    widget = raw_chart.create(cluster, namespace, "one", raw_chart.deployment())
    widget.wait_ready()
    return widget


def told(done) -> list[dict]:
    """Returns the Events."""
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["items"]


def subjects(items: list[dict]) -> set[tuple[str, str]]:
    """Returns (kind, reason) of each."""
    return {(item["object"]["kind"], item["reason"]) for item in items}


WANTED = {
    ("Widget", "Installed"),
    ("Deployment", "ScalingReplicaSet"),
    ("ReplicaSet", "SuccessfulCreate"),
    ("Pod", "Scheduled"),
}


def test_events_are_those_of_all_that_belongs_to_it(widget, events):
    wait_until(
        lambda: subjects(told(events("widget/one", "-o", "json"))) >= WANTED, what="all Events"
    )
    items = told(events("widget/one", "-o", "json"))
    assert [item["time"] for item in items] == sorted(item["time"] for item in items)
    assert all(item["object"]["name"].startswith("one") for item in items)
    table = console.rows(events("widget/one").stdout)
    assert table[0] == ["TIME", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert any(row[1:4] == ["Normal", "Installed", "Widget/one"] for row in table)
    wide = console.rows(events("widget/one", "-o", "wide").stdout)
    assert wide[0][4:6] == ["NAMESPACE", "FROM"]


def test_events_are_followed(widget, cluster, namespace, events):
    command = ("events", "widget/one", "-w", "-o", "json")
    with console.following(cluster, namespace, *command) as line:
        before = []
        while not subjects(before) >= {("Widget", "Installed")}:
            before.append(json.loads(line()))
        widget.patch(raw_chart.manifest(raw_chart.deployment(replicas=2)))
        # The second pod is new: its owner tells that it belongs to the custom resource.
        after = []
        while not subjects(after) >= {("Widget", "Upgraded"), ("Pod", "Scheduled")}:
            after.append(json.loads(line()))
        assert all(item["object"]["name"].startswith("one") for item in before + after)


def test_without_the_right_to_list_events_that_is_told(widget, cluster, namespace, events):
    kubeconfig = console.viewer(cluster, namespace, ("e2e.chartwright.io", "widgets", "get"))
    done = events("widget/one", kubeconfig=kubeconfig)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"no right to list Events in {namespace}\n" in done.stderr
    assert done.stderr.endswith("No Events found.\n") or "No Events found.\n" in done.stderr
    done = events("widget/one", "-w", kubeconfig=kubeconfig)
    assert done.returncode == 1
    assert "events is forbidden" in done.stderr


def test_wrong_words_are_told(widget, events):
    done = events("widget/one", "-w", "-o", "yaml")
    assert done.stderr == "Error: --watch: takes -o table, wide or json\n"
    done = events("widget/nobody")
    assert done.returncode == 1
    assert '"nobody" not found' in done.stderr
