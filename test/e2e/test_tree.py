# SPDX-License-Identifier: Apache-2.0
"""`chartwright tree` shows a custom resource with its children, and what these own."""

import json

import pytest

from e2e import console, raw_chart
from harness.kube import wait_until

HOOK = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "migrate", "annotations": {"helm.sh/hook": "pre-install"}},
    "spec": {
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "main"}],
            }
        }
    },
}
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": raw_chart.NAME},
    "spec": {"selector": {"app": raw_chart.NAME}, "ports": [{"port": 80}]},
}
# The lists that the command may make: kinds that built-in controllers make.
LISTED = {
    "replicasets",
    "controllerrevisions",
    "jobs",
    "pods",
    "persistentvolumeclaims",
    "endpoints",
    "endpointslices",
}


def secret(name: str, **metadata: str) -> dict:
    """Returns a Secret."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, **metadata},
        "stringData": {"password": "planted-value"},
    }


@pytest.fixture(scope="module", name="raw")
def raw_operator(cluster, shared_operators, tmp_path_factory):
    """The operator of a chart that renders the manifest of its custom resource."""
    with raw_chart.started(cluster, tmp_path_factory.mktemp("tree")) as operator:
        shared_operators["raw"] = operator
        yield operator
    del shared_operators["raw"]


@pytest.fixture(name="tree")
def command(cluster, namespace):
    """`tree(ARGUMENTS...)` runs the command in the test's namespace."""
    return lambda *arguments, **options: console.run(
        cluster, namespace, "tree", *arguments, **options
    )


@pytest.fixture(name="elsewhere")
def other_namespace(cluster):
    """Another namespace, with a Secret that is a child."""
    name = cluster.create_namespace("elsewhere")
    yield name
    cluster.abandon_namespace(name)


def shape(node: dict) -> dict:
    """Returns {"Kind/name": what is below}, without the random parts of names."""
    return {named(child): shape(child) for child in node["children"]}


def named(node: dict) -> str:
    """Returns "Kind/name"; what controllers make has a kind alone."""
    return node["kind"] + ("" if node["relation"] == "Owned" else f"/{node['name']}")


def item_of(done) -> dict:
    """Returns the only item."""
    assert (done.returncode, done.stderr) == (0, "")
    [item] = json.loads(done.stdout)["items"]
    return item


def test_a_tree_leads_from_the_custom_resource_to_pods(raw, cluster, namespace, elsewhere, tree):
    child = secret("there", namespace=elsewhere)
    widget = raw_chart.create(
        cluster, namespace, "one", raw_chart.deployment(replicas=2), SERVICE, HOOK, child
    )
    widget.wait_ready()
    whole = {
        "Deployment/one": {"ReplicaSet": {"Pod": {}}},
        "Service/one": {"Endpoints": {}, "EndpointSlice": {}},
        "Secret/there": {},
        "Job/migrate": {"Pod": {}},
    }
    # The controllers of endpoints may be late.
    wait_until(lambda: shape(item_of(tree("widget/one", "-o", "json"))) == whole, what="the tree")
    item = item_of(tree("widget", "one", "-o", "json"))
    assert (item["kind"], item["relation"], item["state"]) == ("Widget", "Self", "Ready")
    below = {named(child): child for child in item["children"]}
    assert below["Job/migrate"]["hook"] == "pre-install"
    assert below["Secret/there"]["namespace"] == elsewhere
    [replicas] = below["Deployment/one"]["children"]
    assert [pod["state"] for pod in replicas["children"]] == ["Ready", "Ready"]
    assert all(pod["created"].endswith("Z") for pod in replicas["children"])
    assert item["gaps"] == []

    done = tree("widget/one")
    assert (done.returncode, done.stderr) == (0, "")
    table = console.rows(done.stdout)
    assert table[0] == ["NAMESPACE", "NAME", "STATUS", "AGE", "MESSAGE"]
    assert table[1][:3] == [namespace, "Widget/one", "Ready"]
    names = done.stdout.splitlines()
    assert any("├── Deployment/one " in line for line in names)
    assert any("│   └── ReplicaSet/one-" in line for line in names)
    assert any("│       ├── Pod/one-" in line for line in names)
    assert any("└── Job/migrate (hook pre-install) " in line for line in names)
    assert any(line.startswith(f"{elsewhere} ") and "Secret/there " in line for line in names)
    plain = tree("widget/one", LANG="C").stdout
    assert plain.isascii() and "|-- Deployment/one " in plain
    objects = tree("widget/one", "-o", "name").stdout.splitlines()
    assert objects[0] == "widget.e2e.chartwright.io/one"
    assert {"deployment.apps/one", "service/one", "job.batch/migrate"} <= set(objects)


def test_a_tree_shows_why_a_child_is_not_ready_and_one_that_is_missing(
    raw, cluster, namespace, tree
):
    crashing = raw_chart.deployment()
    crashing["spec"]["template"]["metadata"]["annotations"] = {
        "chartwright.io/test-pod-state": "crashloop"
    }
    widget = raw_chart.create(cluster, namespace, "one", crashing, secret("gone"))
    widget.wait_child("apps/v1/Deployment", "one")
    wait_until(
        lambda: "CrashLoopBackOff" in tree("widget/one", "-o", "wide").stdout, what="the crash"
    )
    raw.stop()
    cluster.kube.delete("v1/Secret", "gone", namespace)
    rows = {row[1].split(" ")[-1]: row for row in console.rows(tree("widget/one").stdout)}
    assert rows["Secret/gone"][2:] == ["Missing", "-", "-"]
    assert rows["Deployment/one"][2] == "Progressing"
    raw.start()


def test_only_kinds_that_may_be_owned_are_listed(raw, own_cluster, namespace, tree):
    raw_chart.create(
        own_cluster, namespace, "one", raw_chart.deployment(), secret("hidden")
    ).wait_ready()
    mark = own_cluster.audit.mark()
    done = tree("widget/one", "-o", "yaml")
    assert "planted-value" not in done.stdout + done.stderr
    criteria = {"user": "kubernetes-admin", "user_agent": "chartwright"}
    sent = list(own_cluster.audit.requests(mark, **criteria))
    assert {one.verb for one in sent} <= {"get", "list"}
    lists = [one.resource for one in sent if one.verb == "list"]
    assert set(lists) <= LISTED and len(lists) == len(set(lists))
    assert "replicasets" in lists and "controllerrevisions" not in lists


def test_what_a_viewer_may_not_see_is_told(raw, cluster, namespace, tree):
    raw_chart.create(
        cluster, namespace, "one", raw_chart.deployment(), secret("hidden")
    ).wait_ready()
    kubeconfig = console.viewer(
        cluster,
        namespace,
        ("e2e.chartwright.io", "widgets", "get"),
        ("apps", "deployments replicasets", "get list"),
    )
    done = tree("widget/one", kubeconfig=kubeconfig)
    assert done.returncode == 0
    states = [
        (row[1].split(" ")[-1].partition("-")[0], row[2]) for row in console.rows(done.stdout)
    ]
    assert states[1:] == [
        ("Widget/one", "Ready"),
        ("Secret/hidden", "Ready"),
        ("Deployment/one", "Ready"),
        ("ReplicaSet/one", "Ready"),
    ]
    told = [
        line.removeprefix("widget.e2e.chartwright.io/one: ") for line in done.stderr.splitlines()
    ]
    assert told == [
        f"no right to get Secrets in {namespace}",
        f"no right to list Jobs in {namespace}",
        f"no right to list Pods in {namespace}",
    ]
    done = tree("widget/one", "-o", "json", kubeconfig=kubeconfig)
    assert (json.loads(done.stdout)["items"][0]["gaps"], done.stderr) == (told, "")


def test_wrong_words_are_told(raw, tree):
    done = tree("widget/nobody")
    assert (done.returncode, done.stdout) == (1, "")
    assert '"nobody" not found' in done.stderr
    done = tree("widget/one", "-o", "dot")
    assert done.stderr == 'Error: --output: "dot" is not table, wide, json, yaml or name\n'
    assert tree("widgets").stderr == "Error: name the custom resource: KIND/NAME\n"
