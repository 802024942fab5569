# SPDX-License-Identifier: Apache-2.0
"""A tenant who may read a view in his namespace sees nothing of another one.

Whatever he asks the view, he asks the API server for pods as well, with the same rights: the
answers have the same code, and none has anything of another namespace.
"""

import json

import pytest

from e2e import farm as farms
from e2e.farm import ROOT
from harness.cluster import Cluster
from harness.connection import ApiError
from harness.kube import Kube

KINDS = {"farmpods": ROOT, "pods": "/api/v1"}
RULES = [
    {"apiGroups": ["farm.example.com"], "resources": ["farmpods"], "verbs": ["get", "list"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
]
RBAC = "rbac.authorization.k8s.io"


@pytest.fixture(name="plane", scope="module")
def _plane():
    """A control plane of our own, with the farm's views, and three pods in each of two places."""
    with Cluster.start() as cluster:
        farms.install(cluster)
        with farms.declared(cluster) as server:
            farms.ensure_serving(server)
            for namespace in ("own", "other"):
                named = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
                cluster.kube.create(named)
                cluster.kube.wait("v1/ServiceAccount", "default", namespace, bool)
                for number in range(3):
                    create_pod(cluster, namespace, f"{namespace}-{number}")
            yield cluster


def create_pod(cluster: Cluster, namespace: str, name: str) -> None:
    """Creates a pod whose label names its namespace."""
    cluster.kube.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace, "labels": {"of": namespace}},
            "spec": {"containers": [{"name": "c", "image": "x"}]},
        }
    )


@pytest.fixture(name="tenant", scope="module")
def _tenant(plane):
    """A client with rights to get and list views and pods in his namespace."""
    plane.kubectl("-n", "own", "create", "serviceaccount", "reader")
    named = {"name": "reader", "namespace": "own"}
    role = {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": named, "rules": RULES}
    plane.kube.create(role)
    plane.kube.create(
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": named,
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "reader"},
            "subjects": [{"kind": "ServiceAccount", **named}],
        }
    )
    path = plane.service_account_kubeconfig("own", "reader")
    return Kube.from_kubeconfig(path, plane.kubectl.binary)


def answer(kube: Kube, path: str, query: dict | None = None) -> tuple[int, object]:
    """Returns the code of an answer, and its body."""
    try:
        return 200, kube.request("GET", path, query=query)
    except ApiError as error:
        return error.code, error.body


def token(plane: Cluster, root: str, path: str) -> str:
    """Returns the continue token of a list of somebody who may read everything."""
    return plane.kube.request("GET", root + path, query={"limit": 1})["metadata"]["continue"]


def asked(plane: Cluster, tenant: Kube, path: str, query: dict) -> dict[str, tuple[int, object]]:
    """Returns what he gets for a path after the root of each API; PLURAL in it is the kind.

    A token in the query is a path, where somebody else has got it.
    """
    answers = {}
    for plural, root in KINDS.items():
        chosen = dict(query)
        if "continue" in query:
            chosen["continue"] = token(plane, root, query["continue"].replace("PLURAL", plural))
        answers[plural] = answer(tenant, root + path.replace("PLURAL", plural), chosen)
    return answers


OWN, OTHER, ALL = "/namespaces/own/PLURAL", "/namespaces/other/PLURAL", "/PLURAL"
REFUSED = {
    "a list": (OTHER, {}),
    "a page": (OTHER, {"limit": 1}),
    "one object": (OTHER + "/other-0", {}),
    "a list by its own label": (OTHER, {"labelSelector": "of=own"}),
    "a list of all": (ALL, {}),
    "a list of all that is to be of his": (ALL, {"fieldSelector": "metadata.namespace=own"}),
    "another's page": (OTHER, {"limit": 1, "continue": OTHER}),
    "a page of all": (ALL, {"limit": 1, "continue": ALL}),
    "a watch": (OTHER, {"watch": "1", "timeoutSeconds": 1}),
    "a watch of his, for which he has no right": (OWN, {"watch": "1", "timeoutSeconds": 1}),
    "a watch of one of his": (OWN, {"watch": "1", "fieldSelector": "metadata.name=own-0"}),
    "the old form of a watch": ("/watch" + OTHER, {}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_beyond_his_namespace_is_refused(plane, tenant, case):
    for plural, (code, body) in asked(plane, tenant, *REFUSED[case]).items():
        assert code == 403, (plural, body)
        assert body["reason"] == "Forbidden", body


# He may ask, and the answer has nothing of others.
ALLOWED = {
    "another namespace by field": (OWN, {"fieldSelector": "metadata.namespace=other"}),
    "all but his by field": (OWN, {"fieldSelector": "metadata.namespace!=own"}),
    "another's label": (OWN, {"labelSelector": "of=other"}),
    "a page of another namespace": (OWN, {"limit": 10, "continue": OTHER}),
    "a page of all namespaces": (OWN, {"limit": 10, "continue": ALL}),
    "a path that leads up": ("/namespaces/own/../other/PLURAL", {}),
    "a path that leads up, hidden": ("/namespaces/own/%2e%2e/other/PLURAL", {}),
    "a name that leads up": (OWN + "/..%2f..%2fother%2fPLURAL", {}),
    "a namespace that leads up": ("/namespaces/own%2f..%2fother/PLURAL", {}),
}


@pytest.mark.parametrize("case", ALLOWED)
def test_what_is_asked_within_his_namespace_has_nothing_of_others(plane, tenant, case):
    answers = asked(plane, tenant, *ALLOWED[case])
    assert len({code for code, _ in answers.values()}) == 1, answers
    for plural, (code, body) in answers.items():
        assert code == 403 or "other-" not in json.dumps(body), (plural, body)


def test_the_twin_reads_his_own(plane, tenant):
    """By list, by page and by name."""
    names = [f"own-{number}" for number in range(3)]
    for plural, root in KINDS.items():
        prefix = "farm-" if plural == "farmpods" else ""
        code, listed = answer(tenant, f"{root}/namespaces/own/{plural}")
        assert code == 200
        assert [one["metadata"]["name"] for one in listed["items"]] == [
            prefix + name for name in names
        ]
        rest = {"limit": 2, "continue": token(plane, root, f"/namespaces/own/{plural}")}
        code, page = answer(tenant, f"{root}/namespaces/own/{plural}", rest)
        assert code == 200 and len(page["items"]) == 2
        assert answer(tenant, f"{root}/namespaces/own/{plural}/{prefix}own-0")[0] == 200
