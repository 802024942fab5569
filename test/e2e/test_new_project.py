# SPDX-License-Identifier: Apache-2.0
"""From a chart to a running, upgraded and rolled-back custom resource, without a line by hand."""

import shutil

import pytest

from e2e import session
from e2e.custom_resource import CustomResource, condition
from e2e.test_examples import run
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions
from harness.paths import REPOSITORY

GROUP = "new.example.com"
KIND = "NewProject"
# What a user changes first in each chart.
UPGRADES = {
    "backups": {},
    "casc": {},
    "fileserver": {},
    "legacyweb": {},
    "migrator": {},
    "pipes": {},
    "platform": {},
    "queues": {},
    "scaffold": {"replicaCount": 2},
    "strictapp": {},
    "webshop": {},
}


@pytest.fixture
def project(own_cluster, tmp_path, request):
    """A folder with a copy of the chart of the parameter, and what `init` writes for it, applied.

    Yields the folder and the account of the operator.
    """
    chart = request.param
    account = f"new-{chart}"
    shutil.copytree(REPOSITORY / "test" / "charts" / chart, tmp_path / chart)
    done = run("init", chart, "--group", GROUP, "--kind", KIND, "--name", account, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    own_cluster.kubectl("apply", "-k", str(tmp_path / "deploy"))
    yield tmp_path, account
    own_cluster.kubectl("delete", "-k", str(tmp_path / "deploy" / "crd"))
    own_cluster.kubectl("delete", "-k", str(tmp_path / "deploy" / "rbac"))
    own_cluster.kubectl("delete", "deployment", account, "-n", session.SYSTEM)


@pytest.mark.parametrize("project", UPGRADES, indirect=True)
def test_a_chart_becomes_an_operator(own_cluster, project, namespace):
    import time
    t=time.time()
    cluster = own_cluster
    folder, account = project
    kind = f"{GROUP}/v1alpha1/{KIND}"
    wait_until(lambda: session.is_served(cluster, kind), what="kind being served")
    mark = cluster.audit.mark()
    kubeconfig = cluster.service_account_kubeconfig(session.SYSTEM, account)
    with Operator(OperatorOptions(kubeconfig, cwd=folder)) as op:
        sample = folder / "deploy" / "samples" / f"{KIND.lower()}.yaml"
        cluster.kubectl("apply", "-n", namespace, "-f", str(sample))
        resource = CustomResource(cluster, kind, namespace, f"{KIND.lower()}-sample")
        try:
            resource.wait_ready()
        except BaseException:
            print(resource.get()); raise
        print("READY", time.time()-t)
        resource.patch(UPGRADES[folder.name if False else account[4:]])
        resource.delete()
        resource.wait_gone()
    assert not list(cluster.audit.requests(mark, user=session.user_of(account), code=403))
