# SPDX-License-Identifier: Apache-2.0
"""`chartwright get` lists custom resources, and says of each what is wrong."""

import json
import subprocess

import pytest

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
