# SPDX-License-Identifier: Apache-2.0
"""The operator says at its start what the cluster lacks, and uses it as soon as it is there."""

import json
import subprocess

import pytest

from e2e import session
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions, default_binary
from harness.paths import REPOSITORY

GROUP = "preflight.example.com"
KIND = f"{GROUP}/v1/Shop"
LACKS = "The cluster lacks something that the operator needs"
SUFFICIENT = "The CRDs and the rights of this account are sufficient"
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    "values.yaml": "color: red\n",
    "templates/shop.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n"
        "data:\n  color: {{ .Values.color }}\n"
    ),
}


@pytest.fixture
def watches(tmp_path):
    """A project with one chart, which no role or CRD in the cluster knows."""
    for name, text in CHART.items():
        file = tmp_path / "shop" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    file = tmp_path / "watches.yaml"
    file.write_text(
        f"- {{group: {GROUP}, version: v1, kind: Shop, chart: {tmp_path / 'shop'}}}\n",
        encoding="utf-8",
    )
    return file


@pytest.fixture
def account(cluster, namespace):
    """The default account of a new namespace, which has no rights."""
    return cluster.service_account_kubeconfig(namespace, "default")


def generate(*arguments: str) -> str:
    """Returns what `chartwright generate` prints."""
    command = [str(default_binary()), "generate", *arguments]
    return subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout


def crd(schema: dict, subresources: dict) -> str:
    """Returns a CRD that was written by hand."""
    version = {"name": "v1", "served": True, "storage": True, "subresources": subresources}
    return json.dumps(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"shops.{GROUP}"},
            "spec": {
                "group": GROUP,
                "scope": "Namespaced",
                "names": {"kind": "Shop", "plural": "shops"},
                "versions": [version | {"schema": {"openAPIV3Schema": schema}}],
            },
        }
    )


def carry_out(cluster, fixes: set[str]) -> None:
    """Does what the fixes say, as an administrator."""
    for fix in sorted(fixes):
        command, separator, apply = fix.partition(" | ")
        assert (separator, apply) == (" | ", "kubectl apply -f -")
        program, product, *arguments = command.split()
        assert (program, product) == ("chartwright", "generate")
        cluster.kubectl("apply", "-f", "-", input=generate(*arguments))


def problems(operator: Operator) -> dict:
    """Returns what the operator said is missing, with the fix of each."""
    found, fix = {}, None
    for line in operator.logs():
        if line["msg"] == LACKS:
            fix = line.get("fix", fix)  # The first problem of a fix has it.
            found[line["problem"]] = fix
    return found


def test_all_that_is_missing_is_said_at_once_and_used_when_it_comes(
    cluster, namespace, watches, account
):
    options = OperatorOptions(
        account, watches_file=watches, namespaces=(namespace,), arguments=("--reconcile-period=0",)
    )
    operator = Operator(options)
    try:
        operator.launch()
        wait_until(lambda: any("events" in text for text in problems(operator)), what="the list")
        found = problems(operator)
        assert found[f"the API server does not serve {KIND.replace('/Shop', ', Kind=Shop')}"] == (
            f"chartwright generate crd {watches} | kubectl apply -f -"
        )
        rights = (
            "no right to create, delete, get, list, patch, watch configmaps in namespace"
            f" {namespace}"
        )
        assert [text for text in found if text.startswith(rights)], found
        assert set(found.values()) == {
            f"chartwright generate crd {watches} | kubectl apply -f -",
            (
                f"chartwright generate rbac {watches} --watch-namespaces {namespace}"
                f" --name default --namespace {namespace} | kubectl apply -f -"
            ),
        }
        carry_out(cluster, set(found.values()))
        wait_until(lambda: session.is_served(cluster, KIND), what="shops being served")
        shop = {
            "apiVersion": f"{GROUP}/v1",
            "kind": "Shop",
            "metadata": {"name": "a", "namespace": namespace},
            "spec": {"color": "blue"},
        }
        cluster.kube.create(shop)
        operator.wait_ready()
        cluster.kube.wait(
            "v1/ConfigMap",
            "a",
            namespace,
            lambda made: made is not None and made["data"] == {"color": "blue"},
            what="the child",
        )
        cluster.kube.delete(KIND, "a", namespace)
        cluster.kube.wait_gone(KIND, "a", namespace)
        operator.restart()
        operator.wait_log(lambda line: line["msg"] == SUFFICIENT, what="the all-clear")
    finally:
        operator.close()
        cluster.kubectl("delete", "crd", f"shops.{GROUP}", "--ignore-not-found")


@pytest.mark.parametrize(
    "schema, subresources, expected",
    [
        (
            {"type": "object", "properties": {"spec": {"type": "object"}}},
            {},
            {
                "has no status subresource: the operator cannot report",
                "drops every key of the spec: its schema has no properties",
                "drops the operator's status: its schema does not have it",
            },
        ),
        (
            {"type": "object", "properties": {"status": {"type": "object", "properties": {}}}},
            {"status": {}},
            {
                "drops the spec: its schema does not have it",
                "drops the operator's status: its schema does not have it",
            },
        ),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, {"status": {}}, set()),
    ],
    ids=["nothing kept", "status without conditions", "everything kept"],
)
def test_a_crd_that_drops_fields_is_named_to_an_account_that_may_not_read_it(
    own_cluster, watches, account, schema, subresources, expected
):
    cluster = own_cluster
    try:
        cluster.kubectl("apply", "-f", "-", input=crd(schema, subresources))
        wait_until(lambda: session.is_served(cluster, KIND), what="shops being served")
        wait_until(lambda: is_published(cluster), what="the schema of shops")
        mark = cluster.audit.mark()
        operator = Operator(OperatorOptions(account, watches_file=watches))
        try:
            operator.launch()
            wait_until(lambda: any("events" in p for p in problems(operator)), what="the list")
        finally:
            operator.close()
        found = {p for p in problems(operator) if p.startswith("CRD ")}
        assert found == {f"CRD shops.{GROUP} {text}" for text in expected}
        read = [r for r in cluster.audit.requests(mark) if r.resource.startswith("customresourced")]
        assert not [r for r in read if r.user.startswith("system:serviceaccount:")]
    finally:
        cluster.kubectl("delete", "crd", f"shops.{GROUP}", "--ignore-not-found")


def is_published(cluster) -> bool:
    """Reports whether the OpenAPI document has the kind."""
    groups = json.loads(cluster.kubectl("get", "--raw", "/openapi/v3"))["paths"]
    if f"apis/{GROUP}/v1" not in groups:
        return False
    document = json.loads(cluster.kubectl("get", "--raw", f"/openapi/v3/apis/{GROUP}/v1"))
    return any(name.endswith(".Shop") for name in document["components"]["schemas"])
