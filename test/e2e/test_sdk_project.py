# SPDX-License-Identifier: Apache-2.0
"""operator-sdk's own sample project under Chartwright, as it is: layout, CRD, roles, arguments."""

import json
import shutil
import subprocess

import pytest

import yaml
from e2e import meters
from e2e.custom_resource import SERVICE, STATEFULSET
from e2e.releases import deployed
from e2e.test_migration import check_with_helm, identity, managers, remove, wait_at_rest
from harness import oracle
from harness.operator import Operator, OperatorOptions, default_binary

SYSTEM = "memcached-operator-system"
MEMCACHED = "cache.example.com/v1alpha1/Memcached"
NAME = "memcached-sample"
BUDGET = "policy/v1/PodDisruptionBudget"
CHILDREN = [(STATEFULSET, NAME), (SERVICE, NAME), (BUDGET, NAME)]
# Which the cluster does not serve, and which runs a container.
NOT_APPLIED = {"ServiceMonitor", "Deployment"}
# Of the arguments in the manifests: the tests choose ports of their own, and read metrics without a
# token.
CHOSEN_BY_TESTS = ("--health-probe-bind-address", "--metrics-")


class SdkProject:
    """A copy of the project, with its manifests applied as `make deploy` does."""

    def __init__(self, cluster, folder):
        self._cluster = cluster
        self._folder = folder
        shutil.copytree(oracle.sdk_sample_project(), folder)
        text = cluster.kubectl("kustomize", str(folder / "config" / "default"))
        manifests = [one for one in yaml.safe_load_all(text) if one]
        (manager,) = [one for one in manifests if one["kind"] == "Deployment"]
        arguments = manager["spec"]["template"]["spec"]["containers"][0]["args"]
        self.arguments = tuple(one for one in arguments if not one.startswith(CHOSEN_BY_TESTS))
        self._applied = yaml.safe_dump_all(
            one for one in manifests if one["kind"] not in NOT_APPLIED
        )
        cluster.kubectl("apply", "-f", "-", input=self._applied)
        account = manager["spec"]["template"]["spec"]["serviceAccountName"]
        self._kubeconfig = cluster.service_account_kubeconfig(SYSTEM, account)

    def remove(self) -> None:
        """Removes what was applied."""
        self._cluster.kubectl("delete", "--wait=false", "-f", "-", input=self._applied)

    def sample(self) -> dict:
        """Returns the spec of the project's sample."""
        path = self._folder / "config" / "samples" / "cache_v1alpha1_memcached.yaml"
        sample = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert sample["metadata"]["name"] == NAME
        return sample["spec"]

    def helm_operator(self) -> Operator:
        """Returns helm-operator with the project's account and arguments, not started."""
        return self._operator(
            "--reconcile-period=1s", binary=oracle.build_helm_operator(), has_state_dir=False
        )

    def chartwright(self) -> Operator:
        """Returns Chartwright with the same account and arguments, not started."""
        return self._operator("--reconcile-period=0")

    def migrate_check(self, *arguments: str) -> list[dict]:
        """Returns the findings of `migrate --check --live` with the project's account."""
        done = subprocess.run(
            [
                str(default_binary()),
                *("migrate", "--check", "--live", str(self._folder), "-o", "json"),
                *("--kubeconfig", str(self._kubeconfig), *arguments),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 2, done
        return json.loads(done.stdout)["items"]

    def _operator(self, *more: str, **options) -> Operator:
        # Outside of a pod, nothing else says where the lease is.
        arguments = (*self.arguments, f"--leader-election-namespace={SYSTEM}", *more)
        return Operator(
            OperatorOptions(self._kubeconfig, cwd=self._folder, arguments=arguments, **options)
        )


@pytest.fixture(name="project")
def deployed_project(own_cluster, tmp_path):
    """operator-sdk's sample project, without an operator."""
    made = SdkProject(own_cluster, tmp_path / "memcached-operator")
    yield made
    made.remove()


def identities(resource) -> list[tuple]:
    """Returns what must not change of each child."""
    return [identity(resource.child(*child)) for child in CHILDREN]


def forbidden(process: Operator) -> list[dict]:
    """Returns the log lines that speak of a missing right."""
    return [line for line in process.logs() if "forbidden" in str(line) or line["level"] == "error"]


def check_before_the_switch(project, memcached) -> None:
    """`migrate --check --live` finds that the release goes on, with the rights of the manager."""
    before = memcached.get()
    findings = project.migrate_check("-n", memcached.namespace)
    assert {one["result"] for one in findings} == {"OK", "WARN"}, findings
    assert [one["check"] for one in findings if one["result"] == "WARN"] == ["Dockerfile"]
    [release] = [one for one in findings if one["check"] == "release"]
    assert release["finding"].endswith(f"/{NAME} goes on, and no object changes")
    assert memcached.get() == before


def test_the_sample_of_operator_sdk_moves_over_and_back(project, declare, helm):
    assert "--leader-elect" in project.arguments
    memcached = declare(MEMCACHED, NAME)

    def move() -> None:
        if memcached.kube.find(MEMCACHED, NAME, memcached.namespace):  # Of another try.
            with project.chartwright():
                remove(memcached)
        move_over_and_back(project, memcached, helm)

    oracle.try_again(move)


def move_over_and_back(project, memcached, helm) -> None:
    """Has helm-operator, Chartwright, and both again, work on the release, which is new."""
    with project.helm_operator() as process:
        memcached.create(project.sample())
        wait_at_rest(process, memcached, 1)
        assert process.stop().code == 0
    memcached.kube.wait(BUDGET, NAME, memcached.namespace, lambda obj: obj is not None)
    before = identities(memcached)
    check_before_the_switch(project, memcached)

    with project.chartwright() as process:
        memcached.wait_ready()
        meters.wait_at_rest(process)
        assert identities(memcached) == before
        assert managers(memcached.child(STATEFULSET, NAME)) == {(memcached.manager(), "Apply")}
        assert deployed(memcached) == [1]
        check_with_helm(helm, memcached, 1)
        memcached.patch({"image": "memcached:1.6.0", "replicaCount": 2})
        memcached.wait_revision(2)
        memcached.wait_ready()
        check_with_helm(helm, memcached, 2)
        assert forbidden(process) == []
        assert process.stop().code == 0

    with project.helm_operator() as process:
        memcached.patch({"replicaCount": 1})
        wait_at_rest(process, memcached, 3)
        check_with_helm(helm, memcached, 3)
        assert memcached.child(STATEFULSET, NAME)["metadata"]["uid"] == before[0][0]
        assert process.stop().code == 0

    with project.chartwright() as process:
        memcached.wait_revision(3)
        memcached.wait_ready()
        assert forbidden(process) == []
        remove(memcached)
