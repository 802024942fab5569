# SPDX-License-Identifier: Apache-2.0
"""From a chart to a custom resource that runs, is upgraded and rolled back: no line by hand."""

import os
import shutil
import subprocess

import pytest

from cluster import build
from e2e import pages, session
from e2e.custom_resource import CustomResource
from e2e.test_examples import run
from harness.cluster import Cluster
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions, default_binary
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


def test_the_program_is_installed_with_what_it_opens(tmp_path):
    # The build itself is not repeated.
    subprocess.run(
        ["make", "-o", "build", "install", f"PREFIX={tmp_path}"], cwd=REPOSITORY, check=True
    )
    for name in ("chartwright", "helm-operator"):
        done = subprocess.run(
            [tmp_path / "bin" / name, "version"], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith(name)
    library = tmp_path / "lib" / "chartwright" / "libchartwright-grpc.so"
    assert (
        library.read_bytes() == (REPOSITORY / "build/release/libchartwright-grpc.so").read_bytes()
    )


# The pages that lead from a chart to an operator in a cluster: from a heading to the next one.
FIRST_STEPS = [
    ("README.md", "## From your chart to a running resource"),
    ("docs/start/deploy.md", "# Running the operator in a cluster"),
    ("docs/start/deploy.md", "## While you write the chart"),
]


def test_the_first_steps_work_as_they_are_copied(tmp_path):
    programs = {"chartwright": default_binary().absolute(), **build.ensure(["kubectl", "helm"])}
    (tmp_path / "bin").mkdir()
    for name, path in programs.items():
        (tmp_path / "bin" / name).symlink_to(path)
    project = tmp_path / "project"
    project.mkdir()
    ran = set()
    with Cluster.start() as cluster:
        environment = {
            **os.environ,
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "KUBECONFIG": str(cluster.kubeconfig),
        }
        operator = Operator(OperatorOptions(cluster.kubeconfig, cwd=project))
        steps = [step for part in FIRST_STEPS for step in pages.steps_in(pages.section(*part))]
        for step in steps:
            program = step.command.split()[0]
            if step.command.startswith("chartwright run"):
                operator.start()
            elif program not in ("make", "docker"):
                done = subprocess.run(
                    ["bash", "-c", step.command],
                    cwd=project,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, step.command + "\n" + done.stdout + done.stderr
                printed = [pages.words(line) for line in done.stdout.splitlines()]
                missing = [line for line in step.printed if pages.words(line) not in printed]
                assert not missing, step.command + "\n" + done.stdout
            ran.add(program)
        sample = CustomResource(cluster, "example.com/v1alpha1/Shop", "default", "shop-sample")
        sample.wait_ready()
        assert operator.stop().code == 0
    assert ran == {"make", "mkdir", "chartwright", "kubectl", "helm", "docker"}
