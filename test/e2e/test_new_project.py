# SPDX-License-Identifier: Apache-2.0
"""From a chart to a custom resource that runs, is upgraded and rolled back, without a line by hand."""

import shutil

import pytest

from e2e import session
from e2e.custom_resource import CustomResource
from e2e.test_examples import run
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions
from harness.paths import REPOSITORY

GROUP = "new.example.com"
KIND = "NewProject"
# Charts that can be installed as they stand, and a value to upgrade. `scaffold` is that of
# `helm create`.
UPGRADES = {
    "casc": {"controller": {"casc": {"configScripts": {"welcome-message": "server: {}"}}}},
    "pipes": {"sample": "[x=9]"},
    "scaffold": {"image": {"tag": "9.9"}},
    "webshop": {"replicaCount": 3},
}


@pytest.fixture(params=UPGRADES)
def chart(request):
    """The name of the chart."""
    return request.param


@pytest.fixture
def account(chart):
    """The name of the operator's account and roles."""
    return f"new-{chart}"


@pytest.fixture
def project(own_cluster, chart, account, tmp_path):
    """A folder with a copy of the chart, and with what `init` writes for it, which is applied."""
    shutil.copytree(REPOSITORY / "test" / "charts" / chart, tmp_path / chart)
    done = run("init", chart, "--group", GROUP, "--kind", KIND, "--name", account, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    deploy = tmp_path / "deploy"
    own_cluster.kubectl("apply", "-k", str(deploy))
    yield tmp_path
    # The namespace of the operator is that of other tests, too.
    own_cluster.kubectl("delete", "deployment", account, "-n", session.SYSTEM)
    for folder in ("crd", "rbac"):
        own_cluster.kubectl("delete", "-k", str(deploy / folder))


def contents(resource: CustomResource) -> dict:
    """Returns what the chart says of each child, by kind and name."""
    found = {}
    for child in resource.status()["resources"]:
        kind = "/".join(filter(None, (child.get("group"), child["version"], child["kind"])))
        live = resource.child(kind, child["name"])
        found[kind, child["name"]] = live.get("spec") or live.get("data")
    return found


def test_a_chart_becomes_an_operator(own_cluster, chart, account, project, namespace):
    cluster = own_cluster
    kind = f"{GROUP}/v1alpha1/{KIND}"
    wait_until(lambda: session.is_served(cluster, kind), what="kind being served")
    mark = cluster.audit.mark()
    kubeconfig = cluster.service_account_kubeconfig(session.SYSTEM, account)
    with Operator(OperatorOptions(kubeconfig, cwd=project)):
        sample = project / "deploy" / "samples" / f"{KIND.lower()}.yaml"
        cluster.kubectl("apply", "-n", namespace, "-f", str(sample))
        resource = CustomResource(cluster, kind, namespace, f"{KIND.lower()}-sample")
        resource.wait_ready()
        installed = contents(resource)
        resource.patch(UPGRADES[chart])
        resource.wait_revision(2)
        resource.wait_ready()
        assert contents(resource) != installed
        resource.annotate(rollback_to="previous")
        resource.wait_revision(3)
        resource.wait_ready()
        assert contents(resource) == installed
        resource.delete()
        resource.wait_gone()
    assert cluster.audit.requests(mark, user=session.user_of(account), code=403) == []
