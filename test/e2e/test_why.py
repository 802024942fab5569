# SPDX-License-Identifier: Apache-2.0
"""`chartwright why` leads from a custom resource that is not ready to the cause."""

import json
import subprocess

import pytest

from e2e import raw_chart
from harness.kube import wait_until
from harness.operator import default_binary

POD_STATE = "chartwright.io/test-pod-state"
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data"},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "nowhere",
        "resources": {"requests": {"storage": "1Gi"}},
    },
}


def web(replicas: int, **annotations: str) -> dict:
    """Returns a Deployment whose pods have these annotations."""
    found = raw_chart.deployment(replicas=replicas)
    found["spec"]["template"]["metadata"]["annotations"] = annotations
    return found


@pytest.fixture(scope="module", name="raw")
def raw_operator(cluster, shared_operators, tmp_path_factory):
    """The operator of a chart that renders the manifest of its custom resource."""
    with raw_chart.started(cluster, tmp_path_factory.mktemp("why")) as operator:
        shared_operators["raw"] = operator
        yield operator
    del shared_operators["raw"]


@pytest.fixture(name="why")
def command(cluster, namespace):
    """`why(ARGUMENTS...)` runs the command in the test's namespace."""

    def run(*arguments: str, kubeconfig=cluster.kubeconfig) -> subprocess.CompletedProcess:
        place = ("--kubeconfig", str(kubeconfig), "-n", namespace)
        return subprocess.run(
            [str(default_binary()), "why", *arguments, *place],
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def wait_told(why, *words: str) -> str:
    """Waits until the command prints these words, and returns all that it prints."""

    def told() -> str | None:
        done = why("widget/one")
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout if all(word in done.stdout for word in words) else None

    return wait_until(told, what=f"{words} from chartwright why")


def test_why_leads_to_the_container_that_crashes(raw, cluster, namespace, why):
    raw_chart.create(cluster, namespace, "one", web(2, **{POD_STATE: "crashloop"}))
    text = wait_told(why, "CrashLoopBackOff", "2 of 2 pods")
    lines = text.splitlines()
    assert lines[0].startswith(f"Widget.e2e.chartwright.io {namespace}/one: ")
    paragraph = lines[lines.index("") + 1 :]
    assert paragraph[0].startswith(
        f"Deployment.apps {namespace}/one: 2 of 2 pods: CrashLoopBackOff (exit 1"
    )
    assert any(line.startswith(f"  Pod {namespace}/one-") for line in paragraph)
    assert paragraph[-1].startswith("→ kubectl logs one-")
    assert paragraph[-1].endswith(f" --namespace {namespace} --all-containers --previous")


def test_why_names_a_storage_class_that_is_not_there(raw, cluster, namespace, why):
    raw_chart.create(cluster, namespace, "one", CLAIM)
    text = wait_told(why, f"PersistentVolumeClaim {namespace}/data", "nowhere")
    assert f"→ kubectl describe persistentvolumeclaim data --namespace {namespace}" in text


def test_why_in_json_has_the_chain(raw, cluster, namespace, why):
    raw_chart.create(cluster, namespace, "one", web(1, **{POD_STATE: "crashloop"}))
    wait_told(why, "CrashLoopBackOff")
    done = why("widget", "one", "-o", "json")
    assert done.returncode == 0, done.stderr
    [item] = json.loads(done.stdout)["items"]
    assert (item["kind"], item["name"], item["ready"]) == ("Widget", "one", "False")
    [child] = item["children"]
    assert (child["kind"], child["name"], child["gaps"]) == ("Deployment", "one", [])
    cause = child["causes"][0]
    assert cause["reason"] == "PodCrashLooping"
    assert cause["object"]["kind"] == "Pod"
    assert [link["object"]["kind"] for link in cause["chain"]][-1] == "Pod"


def test_why_says_what_a_viewer_may_not_see(raw, cluster, namespace, why):
    """Someone who may read the custom resource and the Deployment, but no pod."""
    raw_chart.create(cluster, namespace, "one", web(1, **{POD_STATE: "crashloop"}))
    wait_told(why, "CrashLoopBackOff")
    account = {"metadata": {"name": "viewer", "namespace": namespace}}
    cluster.kube.create({"apiVersion": "v1", "kind": "ServiceAccount", **account})
    rules = [
        {"apiGroups": ["e2e.chartwright.io"], "resources": ["widgets"], "verbs": ["get"]},
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]},
    ]
    rbac = {"apiVersion": "rbac.authorization.k8s.io/v1", **account}
    cluster.kube.create({**rbac, "kind": "Role", "rules": rules})
    cluster.kube.create(
        {
            **rbac,
            "kind": "RoleBinding",
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "Role",
                "name": "viewer",
            },
            "subjects": [{"kind": "ServiceAccount", "name": "viewer", "namespace": namespace}],
        }
    )
    done = why("widget/one", kubeconfig=cluster.service_account_kubeconfig(namespace, "viewer"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "no right to list Pods" in done.stdout
    assert "CrashLoopBackOff" not in done.stdout


def test_why_of_one_that_is_ready_and_of_none(raw, cluster, namespace, why):
    raw_chart.create(cluster, namespace, "one", web(1)).wait_ready()
    assert why("widget/one").stdout == (
        f"Widget.e2e.chartwright.io {namespace}/one: ready, in revision 1\n"
    )
    done = why("widget/two")
    assert (done.returncode, done.stdout) == (1, "")
    assert '"two" not found' in done.stderr
