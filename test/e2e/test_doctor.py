# SPDX-License-Identifier: Apache-2.0
"""`chartwright doctor` examines the operator of a project, by the names that the cluster has."""

import json
import shutil
import subprocess

import pytest

from harness.kube import wait_until
from harness.operator import default_binary

SUFFICIENT = "✓ the CRDs and the rights of this account are sufficient\n"
CHILD = "apiVersion: pets.example.com/v1\nkind: Mouse\nmetadata:\n  name: {{ .Release.Name }}\n"


def run(*arguments: str, cwd, check: bool = True) -> str:
    """Returns what a command of chartwright prints to standard output."""
    done = subprocess.run(
        [str(default_binary()), *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout


@pytest.fixture(name="team")
def one_namespace(own_cluster, tmp_path):
    """A project for one namespace, whose CRD and roles are applied, and its account there."""
    namespace = own_cluster.create_namespace()
    for name, text in {
        "Chart.yaml": "apiVersion: v2\nname: redis\nversion: 1.0.0\n",
        "templates/a.yaml": CHILD,
    }.items():
        file = tmp_path / "charts" / "redis" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    run(
        "init",
        "charts/redis",
        "--group",
        f"{namespace}.example.com",
        "--name",
        "team",
        "--namespace",
        namespace,
        "--watch-namespaces",
        namespace,
        cwd=tmp_path,
    )
    own_cluster.kubectl("apply", "-k", str(tmp_path / "deploy" / "crd"))
    own_cluster.kubectl("apply", "-k", str(tmp_path / "deploy" / "rbac"))
    yield namespace, tmp_path
    name = f"redis.{namespace}.example.com"
    own_cluster.kubectl("delete", "crd", name, "--ignore-not-found")


def doctor(cluster, namespace: str, folder) -> str:
    """Returns what doctor prints for the account of the team."""
    kubeconfig = cluster.service_account_kubeconfig(namespace, "team")
    return run("doctor", "--kubeconfig", str(kubeconfig), cwd=folder, check=False)


def test_the_namespaces_of_the_project_are_examined(own_cluster, team):
    namespace, folder = team
    assert (folder / "deploy" / "crd" / f"redis.{namespace}.example.com.yaml").exists()
    assert doctor(own_cluster, namespace, folder) == SUFFICIENT
    own_cluster.kubectl("delete", "role", "team", "-n", namespace)
    flags = f"--watch-namespaces {namespace} --name team --namespace {namespace}"
    fix = f"    fix: chartwright generate rbac {flags} | kubectl apply -f -\n"
    lacks = wait_until(
        lambda: (said := doctor(own_cluster, namespace, folder)) != SUFFICIENT and said,
        what="the role being gone",
    )
    assert lacks.count("✗ no right to") > 3
    assert lacks.count("fix:") == lacks.count(fix) == 1


def test_an_account_of_one_namespace_is_offered_no_role_for_all(own_cluster, team):
    namespace, folder = team
    shutil.rmtree(folder / "deploy")
    said = doctor(own_cluster, namespace, folder)
    assert f"✗ this account has its rights in namespace {namespace}, but not in all" in said
    assert "generate rbac" not in said and said.count("✗") == 1


def test_rights_are_asked_for_by_the_plural_of_the_cluster(own_cluster, team):
    namespace, folder = team
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "mouses.pets.example.com"},
        "spec": {
            "group": "pets.example.com",
            "scope": "Namespaced",
            "names": {"kind": "Mouse", "plural": "mouses"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }
            ],
        },
    }
    own_cluster.kubectl("apply", "-f", "-", input=json.dumps(definition))
    try:
        said = wait_until(
            lambda: (found := doctor(own_cluster, namespace, folder)) != SUFFICIENT and found,
            what="mice being served as mouses",
        )
        assert (
            f"no right to create, delete, get, list, patch, watch mouses.pets.example.com in"
            f" namespace {namespace}" in said
        )
        assert f"add a rule to the Role in namespace {namespace} by hand" in said
        role = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role",
            "metadata": {"name": "mouses", "namespace": namespace},
            "rules": [{"apiGroups": ["pets.example.com"], "resources": ["mouses"], "verbs": ["*"]}],
        }
        own_cluster.kubectl("apply", "-f", "-", input=json.dumps(role))
        own_cluster.kubectl(
            "create",
            "rolebinding",
            "mouses",
            "-n",
            namespace,
            "--role=mouses",
            f"--serviceaccount={namespace}:team",
        )
        wait_until(lambda: doctor(own_cluster, namespace, folder) == SUFFICIENT, what="the right")
    finally:
        own_cluster.kubectl("delete", "crd", "mouses.pets.example.com")


def test_a_crd_that_was_applied_a_moment_ago_is_examined(own_cluster, team):
    namespace, folder = team
    name = f"redis.{namespace}.example.com"
    own_cluster.kubectl("delete", "crd", name)
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": f"{namespace}.example.com",
            "scope": "Namespaced",
            "names": {"kind": "Redis", "plural": "redis", "singular": "redis"},
            "versions": [
                {
                    "name": "v1alpha1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {
                                "spec": {
                                    "type": "object",
                                    "x-kubernetes-preserve-unknown-fields": True,
                                }
                            },
                        }
                    },
                }
            ],
        },
    }
    own_cluster.kubectl("apply", "-f", "-", input=json.dumps(definition))
    own_cluster.kubectl("wait", "--for=condition=Established", f"crd/{name}", "--timeout=30s")
    said = wait_until(
        lambda: "does not serve" not in (now := doctor(own_cluster, namespace, folder)) and now,
        what="redis being served",
    )
    assert f"✗ CRD {name} has no status subresource" in said
    assert f"✗ CRD {name} drops the operator's status" in said
