# SPDX-License-Identifier: Apache-2.0
"""The samples, the rendered charts and the operator's rights work on a real API server."""

import json
import os
import subprocess

import pytest

import yaml
from harness.operator import default_binary
from harness.paths import REPOSITORY

GOLDEN = REPOSITORY / "test" / "golden"
SHIPPED = ("bookstore", "demovolume", "pet", "podset")
ACCOUNT = ("chartwright-system", "chartwright")

RENDERS = sorted(path for chart in SHIPPED for path in (GOLDEN / chart).glob("*/want.yaml"))


def test_the_samples_are_accepted(cluster, namespace):
    samples = sorted((REPOSITORY / "deploy" / "samples").glob("*.yaml"))
    assert len(samples) == len(SHIPPED)
    for sample in samples:
        cluster.kubectl("apply", "-n", namespace, "-f", str(sample))


@pytest.mark.parametrize("render", RENDERS, ids=lambda p: "/".join(p.parts[-3:-1]))
def test_a_render_is_accepted(cluster, render):
    """Strict validation also finds unknown fields."""
    if any(line.startswith("kind:") for line in render.read_text().splitlines()):
        cluster.kubectl("create", "--dry-run=server", "--validate=strict", "-f", str(render))


def rendered_kinds():
    """Returns (apiVersion, kind) of every object that a shipped chart renders in a golden case."""
    kinds = set()
    for chart in SHIPPED:
        for render in (GOLDEN / chart).glob("*/want.yaml"):
            version = None
            for line in render.read_text().splitlines():
                if line.startswith("apiVersion: "):
                    version = line.removeprefix("apiVersion: ")
                elif line.startswith("kind: "):
                    kinds.add((version, line.removeprefix("kind: ")))
    return sorted(kinds)


def allowed(cluster, verb, group, resource, namespace="default"):
    """Reports whether the API server authorises the operator's account to do that."""
    resource, _, subresource = resource.partition("/")
    namespace_of_account, name = ACCOUNT
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "metadata": {"name": ""},
        "spec": {
            "user": f"system:serviceaccount:{namespace_of_account}:{name}",
            "resourceAttributes": {
                "verb": verb,
                "group": group,
                "resource": resource,
                "subresource": subresource,
                "namespace": namespace,
            },
        },
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return cluster.kube.request("POST", path, review)["status"]["allowed"]


def test_the_role_suffices_for_rendered_kinds(cluster):
    kinds = rendered_kinds()
    assert ("apps/v1", "StatefulSet") in kinds and ("v1", "Pod") in kinds
    for version, kind in kinds:
        group = version.rpartition("/")[0]
        resource = kind.lower() + "s"
        for verb in ("get", "list", "watch", "create", "patch", "delete"):
            assert allowed(cluster, verb, group, resource), f"{verb} {resource}.{group}"


@pytest.mark.parametrize(
    "verb, group, resource, namespace",
    [
        ("delete", "blog.velotio.com", "bookstores", "default"),
        ("create", "app.example.com", "podsets", "default"),
        ("update", "app.example.com", "podsets", "default"),
        ("update", "apps", "deployments", "default"),
        ("watch", "", "secrets", "default"),
        ("get", "storage.k8s.io", "storageclasses", ""),
        ("get", "", "nodes", ""),
        ("get", "", "configmaps", "default"),
        ("create", "rbac.authorization.k8s.io", "clusterroles", ""),
        ("bind", "rbac.authorization.k8s.io", "clusterroles", ""),
        ("escalate", "rbac.authorization.k8s.io", "clusterroles", ""),
        ("impersonate", "", "users", ""),
        ("create", "", "pods/exec", "default"),
        ("create", "coordination.k8s.io", "leases", "default"),
        ("create", "authentication.k8s.io", "tokenreviews", ""),
        ("create", "authorization.k8s.io", "subjectaccessreviews", ""),
    ],
)
def test_the_role_grants_nothing_more(cluster, verb, group, resource, namespace):
    assert not allowed(cluster, verb, group, resource, namespace)


def test_the_component_for_secure_metrics_changes_the_deployment(cluster, tmp_path):
    deploy = os.path.relpath(REPOSITORY / "deploy", tmp_path)
    (tmp_path / "kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
        f"resources:\n- {deploy}\ncomponents:\n- {deploy}/components/secure-metrics\n",
        encoding="utf-8",
    )
    done = cluster.kubectl("apply", "--dry-run=server", "-o", "json", "-k", str(tmp_path))
    objects = json.loads(done)["items"]
    roles = {obj["metadata"]["name"] for obj in objects if obj["kind"] == "ClusterRole"}
    assert {"chartwright-metrics-auth", "chartwright-metrics-reader"} <= roles
    [deployment] = [obj for obj in objects if obj["kind"] == "Deployment"]
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    secure = ["--metrics-bind-address=:8443", "--metrics-secure", "--metrics-require-rbac"]
    assert set(secure) <= set(container["args"])
    assert [p["containerPort"] for p in container["ports"] if p["name"] == "metrics"] == [8443]


MONITORS = {
    "pod": ("PodMonitor", "podMetricsEndpoints"),
    "service": ("ServiceMonitor", "endpoints"),
}


@pytest.mark.parametrize("monitor", MONITORS)
def test_the_component_for_a_secure_monitor_sends_the_token_of_its_account(
    cluster, tmp_path, monitor
):
    command = [str(default_binary()), "generate", "manifests", "--monitor", monitor]
    project = tmp_path / "project"
    subprocess.run([*command, "--output-dir", str(project)], cwd=REPOSITORY, check=True)
    deploy = os.path.relpath(REPOSITORY / "deploy", tmp_path)
    (tmp_path / "kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
        "resources:\n- project\ncomponents:\n"
        f"- {deploy}/components/secure-metrics\n- {deploy}/components/secure-monitor\n",
        encoding="utf-8",
    )
    objects = list(yaml.safe_load_all(cluster.kubectl("kustomize", str(tmp_path))))
    kind, endpoints = MONITORS[monitor]
    [spec] = [obj["spec"] for obj in objects if obj["kind"] == kind]
    [endpoint] = spec[endpoints]
    assert (endpoint["port"], endpoint["scheme"], endpoint["honorLabels"]) == (
        "metrics",
        "https",
        True,
    )
    assert endpoint["tlsConfig"] == {"insecureSkipVerify": True}
    credentials = endpoint["authorization"]["credentials"]
    [secret] = [obj for obj in objects if obj["kind"] == "Secret"]
    assert credentials == {"name": secret["metadata"]["name"], "key": "token"}


def test_claims_carry_the_labels_that_the_bundle_selects(cluster, namespace):
    """The StatefulSet controller sets them; operator/operator.yaml relies on that."""
    text = (GOLDEN / "bookstore" / "empty_spec" / "want.yaml").read_text(encoding="utf-8")
    cluster.kubectl("apply", "-n", namespace, "-f", "-", input=text)
    selector = {
        "app.kubernetes.io/name": "bookstore",
        "app.kubernetes.io/component": "mongodb",
        "app.kubernetes.io/instance": "shop",
    }
    claim = cluster.kube.wait(
        "v1/PersistentVolumeClaim",
        "mongodb-pvc-shop-mongodb-0",
        namespace,
        lambda found: found is not None,
    )
    assert selector.items() <= claim["metadata"]["labels"].items()


def test_the_manager_runs_under_the_restricted_standard(cluster):
    cluster.kubectl(
        "-n", "chartwright-system", "rollout", "status", "deployment/chartwright", "--timeout=30s"
    )
