# SPDX-License-Identifier: Apache-2.0
"""`chartwright get` lists custom resources, and says of each what is wrong."""

import itertools
import json
import subprocess

import pytest

from e2e import console
from e2e.custom_resource import PODSET, WIDGET
from harness.operator import default_binary


@pytest.fixture(name="get")
def command(cluster, namespace):
    """`get(ARGUMENTS...)` runs the command in the test's namespace."""

    def run(*arguments: str, kubeconfig=cluster.kubeconfig) -> subprocess.CompletedProcess:
        place = ("--kubeconfig", str(kubeconfig), "-n", namespace)
        return subprocess.run(
            [str(default_binary()), "get", *arguments, *place],
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def rows(done: subprocess.CompletedProcess) -> list[list[str]]:
    """Returns the cells of a table; the last one may have single spaces."""
    assert done.returncode == 0, done.stderr
    return [
        [cell.strip() for cell in line.split("   ") if cell.strip()]
        for line in done.stdout.splitlines()
    ]


def test_get_tells_what_is_wrong_with_each(widgets, declare, get):
    well = declare(WIDGET, "well").create({"text": "a"})
    well.wait_ready()
    broken = declare(WIDGET, "broken").create({"element": 99})
    failed = broken.wait_condition("Ready", "False", "ReconcileError")
    paused = declare(WIDGET, "rests").create(
        {"text": "a"}, annotations={"chartwright.io/paused": "maintenance"}
    )
    paused.wait(lambda obj: "status" in obj, what="the condition Paused")
    table = {row[0]: row for row in rows(get("widgets"))}
    assert table["NAME"] == ["NAME", "READY", "REV", "CHART", "AGE", "PROBLEM"]
    assert table["well"][1:4] == ["True", "1", "widget-0.1.0"]
    assert table["well"][5] == "-"
    assert table["broken"][1:4] == ["False", "-", "-"]
    assert table["broken"][5].startswith("Stalled: ")
    assert len(table["broken"][5]) == 60
    assert table["rests"][5] == "Paused: maintenance"
    wide = {row[0]: row for row in rows(get("widgets", "-o", "wide"))}
    assert failed["message"].splitlines()[0] in wide["broken"][5]
    told = {row[0] for row in rows(get("widgets", "--problem"))}
    assert told == {"NAME", "broken", "rests"}


def test_get_json_has_every_field(widgets, declare, get):
    declare(WIDGET, "well").create({"text": "a"}).wait_ready()
    done = get("widget", "well", "-o", "json")
    assert done.returncode == 0, done.stderr
    [item] = json.loads(done.stdout)["items"]
    created = item.pop("created")
    assert created.endswith("Z")
    assert item == {
        "apiVersion": "e2e.chartwright.io/v1",
        "kind": "Widget",
        "namespace": declare.namespace,
        "name": "well",
        "ready": "True",
        "revision": 1,
        "chart": "widget-0.1.0",
        "paused": False,
        "rolledBack": False,
    }
    assert get("widget/well", "-o", "name").stdout == "widget.e2e.chartwright.io/well\n"


def test_get_lists_each_kind_of_the_category_once(operator, own_cluster, declare, get):
    declare(PODSET, "herd").create({"replicas": 1}).wait_condition("Deployed", "True")
    mark = own_cluster.audit.mark()
    done = get("-o", "name")
    assert done.stdout == "podset.app.example.com/herd\n"
    criteria = {"user": "kubernetes-admin", "user_agent": "chartwright"}
    sent = [one.uri.split("?")[0] for one in own_cluster.audit.requests(mark, **criteria)]
    below = f"/namespaces/{declare.namespace}/"
    kinds = [uri.partition(below)[2] for uri in sent if below in uri]
    assert "podsets" in kinds and len(kinds) == len(set(kinds))
    others = [uri for uri in sent if below not in uri]
    assert set(others) <= {"/apis", "/api"} and len(others) <= 3


def test_a_wrong_word_is_told_with_the_right_one(cluster, get):
    done = get("podsetts")
    assert done.returncode == 1
    assert done.stderr == (
        'Error: the server serves no kind that is called "podsetts"; did you mean "podsets"?\n'
    )
    done = get("podsets", "nobody")
    assert done.returncode == 1
    assert 'podsets.app.example.com "nobody" not found' in done.stderr
    done = get("podsets", "nobody", "-A")
    assert done.stderr == "Error: a name needs one namespace, and not all of them\n"
    done = get("podsets", "nobody", "-l", "app=shop")
    assert done.stderr == "Error: --selector cannot be used beside names\n"
    done = get("podsets", "-o", "csv")
    assert (done.returncode, done.stdout) == (1, "")
    assert "--output: " in done.stderr and "table, wide, json, yaml or name" in done.stderr


def test_without_rights_each_kind_is_an_error_and_the_others_are_shown(cluster, declare, get):
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "viewer", "namespace": declare.namespace},
    }
    cluster.kube.create(account)
    kubeconfig = cluster.service_account_kubeconfig(declare.namespace, "viewer")
    done = get("podsets", kubeconfig=kubeconfig)
    assert done.returncode == 1
    assert "podsets.app.example.com is forbidden" in done.stderr


def test_no_cluster_is_a_clear_error(tmp_path, get):
    done = get("podsets", kubeconfig=tmp_path / "missing")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no such file or directory" in done.stderr


def shown(line: str) -> list[str]:
    """Returns the cells of a line but its age: NAME, READY, REV, CHART, PROBLEM."""
    [cells] = console.rows(line)
    return [*cells[:4], *cells[5:]]


def test_get_follows_with_a_line_for_each_change(own_cluster, widgets, namespace, declare):
    one = declare(WIDGET, "one").create({"text": "a"})
    one.wait_ready()
    with console.following(own_cluster, namespace, "get", "widgets", "-w") as line:
        assert shown(line()) == ["NAME", "READY", "REV", "CHART", "PROBLEM"]
        assert shown(line()) == ["one", "True", "1", "widget-0.1.0", "-"]
        mark = own_cluster.audit.mark()
        # No column has it.
        one.kube.patch(WIDGET, "one", namespace, {"metadata": {"labels": {"a": "b"}}})
        one.patch({"text": "b"})
        lines = []
        while lines[-1:] != [["one", "True", "2", "widget-0.1.0", "-"]]:
            lines.append(shown(line()))
        one.kube.delete(WIDGET, "one", namespace)
        while lines[-1][4] != "Deleted":
            lines.append(shown(line()))
        assert lines[-1][:3] == ["one", "True", "2"]
        assert all(before != after for before, after in itertools.pairwise(lines))
        # It was told, and did not ask.
        criteria = {"user": "kubernetes-admin", "user_agent": "chartwright"}
        asked = own_cluster.audit.requests(mark, **criteria)
        assert [request.uri for request in asked if request.verb in ("get", "list")] == []


def test_get_follows_what_is_new_and_what_is_named_in_json(widgets, cluster, namespace, declare):
    one = declare(WIDGET, "one").create({"text": "a"})
    one.wait_ready()
    command = ("get", "widget/one", "-w", "-o", "json")
    with (
        console.following(cluster, namespace, "get", "widgets", "-w", "-o", "json") as of_all,
        console.following(cluster, namespace, *command) as of_one,
    ):
        assert [json.loads(line())["name"] for line in (of_all, of_one)] == ["one", "one"]
        declare(WIDGET, "two").create({"text": "a"}).wait_ready()
        item = json.loads(of_all())
        while not item["revision"]:
            assert item["name"] == "two"
            item = json.loads(of_all())
        one.patch({"text": "b"})
        item = json.loads(of_one())
        while item["revision"] != 2:
            assert item["name"] == "one"
            item = json.loads(of_one())


def test_get_follows_problems_to_their_end(widgets, cluster, namespace, declare):
    declare(WIDGET, "well").create({"text": "a"}).wait_ready()
    one = declare(WIDGET, "one").create({"text": "a"}, annotations={"chartwright.io/paused": "x"})
    one.wait(lambda obj: "status" in obj, what="the condition Paused")
    with console.following(cluster, namespace, "get", "widgets", "-w", "--problem") as line:
        line()
        assert shown(line())[4] == "Paused: x"
        one.annotate(paused=None)
        cells = shown(line())
        while cells[4] != "-":
            cells = shown(line())
        assert cells[0] == "one"


def test_without_the_right_to_watch_that_is_told(widgets, cluster, namespace, declare, get):
    declare(WIDGET, "one").create({"text": "a"}).wait_ready()
    rules = ("e2e.chartwright.io", "widgets", "get list")
    kubeconfig = console.viewer(cluster, namespace, rules)
    done = get("widgets", "-w", kubeconfig=kubeconfig)
    assert done.returncode == 1
    assert [row[0] for row in console.rows(done.stdout)] == ["NAME", "one"]
    assert "widgets.e2e.chartwright.io is forbidden" in done.stderr
    done = get("widget", "nobody", "-w", kubeconfig=kubeconfig)
    assert (done.returncode, done.stdout) == (1, "")
    assert '"nobody" not found' in done.stderr
    done = get("widgets", "-w", "-o", "yaml")
    assert done.stderr == "Error: --watch: takes -o table, wide or json\n"
