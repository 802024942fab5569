# SPDX-License-Identifier: Apache-2.0
"""The image that was built runs, and is a base for projects that bring only their charts.

Skipped unless CHARTWRIGHT_IMAGE names the image: `make image-test` builds it and sets that.
"""

import contextlib
import dataclasses
import os
import pathlib
import shutil
import urllib.parse

import pytest

from e2e import session
from e2e.custom_resource import BOOKSTORE, CustomResource
from harness.cluster import Cluster
from harness.kube import Kube
from harness.operator import STOP_TIMEOUT_SECONDS, Exit, Operator, OperatorOptions
from harness.paths import REPOSITORY
from image import engine as engines
from image.engine import Engine, Start

IMAGE = os.environ.get("CHARTWRIGHT_IMAGE", "")
pytestmark = pytest.mark.skipif(not IMAGE, reason="needs an image: make image-test")

# As `operator-sdk init --plugins=helm` of v1.42.3 writes it, but for the name of the base.
DOCKERFILE = """\
# Build the manager binary
FROM {base}

ENV HOME=/opt/helm
COPY watches.yaml ${{HOME}}/watches.yaml
COPY helm-charts  ${{HOME}}/helm-charts
WORKDIR ${{HOME}}
"""
WATCHES = """\
# Use the 'create api' subcommand to add watches to this file.
- group: blog.velotio.com
  version: v1alpha1
  kind: BookStore
  chart: helm-charts/bookstore
# +kubebuilder:scaffold:watch
"""
# /var/run is a link to it in the image; buildah would follow that of the machine.
ACCOUNT_FOLDER = "/run/secrets/kubernetes.io/serviceaccount"
# The grace period of operator-sdk's Deployment.
STOP_SECONDS_MAX = 10.0


class Contained(Operator):
    """The operator as an image's entry point, in a container."""

    def __init__(self, engine: Engine, start: Start, options: OperatorOptions):
        super().__init__(options)
        self._engine = engine
        self._start = start
        self._container = contextlib.ExitStack()

    def stop(self, *, timeout_seconds: float = STOP_TIMEOUT_SECONDS) -> Exit:
        self._engine.terminate(self.pid)
        return self.wait_exit(timeout_seconds=timeout_seconds)

    def close(self) -> None:
        super().close()
        self._container.close()

    def _command(self) -> list[str]:
        arguments = (*self._addresses(), *self.options.arguments)
        start = dataclasses.replace(self._start, arguments=arguments)
        return self._container.enter_context(self._engine.container(start))


@pytest.fixture(scope="module")
def engine():
    """The program that built the image."""
    return engines.find()


@pytest.fixture(scope="module")
def cluster():
    """A cluster with the shipped CRDs and rights."""
    with Cluster.start() as running:
        session.install(running)
        yield running


@pytest.fixture
def namespace(cluster):
    """A new namespace."""
    name = cluster.create_namespace("image")
    yield name
    cluster.kube.delete("v1/Namespace", name)


@pytest.fixture
def pod(cluster, tmp_path) -> dict:
    """The way of a pod to reach the API server: options of `Start`."""
    path = cluster.service_account_kubeconfig(session.SYSTEM, session.OPERATOR)
    access = Kube.from_kubeconfig(path, cluster.kubectl.binary).connection.access
    folder = tmp_path / "serviceaccount"
    folder.mkdir()
    files = {
        "token": access.token.encode(),
        "ca.crt": access.ca,
        "namespace": session.SYSTEM.encode(),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    server = urllib.parse.urlsplit(access.server)
    environment = {
        "KUBERNETES_SERVICE_HOST": server.hostname,
        "KUBERNETES_SERVICE_PORT": str(server.port),
    }
    return {"environment": environment, "folders": {ACCOUNT_FOLDER: folder}}


@pytest.fixture
def build(engine):
    """`build(DOCKERFILE, FOLDER, TAG)` builds an image, which is removed after the test, and
    returns its name.
    """
    built = []

    def build_one(dockerfile: pathlib.Path, folder: pathlib.Path, tag: str) -> str:
        engine.build(dockerfile, folder, tag)
        built.append(tag)
        return tag

    yield build_one
    for tag in built:
        engine.remove(tag)


@pytest.fixture
def project(build, tmp_path) -> str:
    """The image of a project as operator-sdk lays it out, with one chart."""
    folder = tmp_path / "project"
    shutil.copytree(REPOSITORY / "charts" / "bookstore", folder / "helm-charts" / "bookstore")
    (folder / "watches.yaml").write_text(WATCHES, encoding="utf-8")
    (folder / "Dockerfile").write_text(DOCKERFILE.format(base=IMAGE), encoding="utf-8")
    return build(folder / "Dockerfile", folder, "chartwright-test-project:latest")


def shell(engine: Engine, image: str, script: str) -> str:
    """Returns what a script prints in a container, as the image's own user."""
    return engine.output(Start(image, command=("sh", "-c", script))).strip()


def run_and_stop(operator: Operator) -> None:
    """Ends an operator as Kubernetes ends a pod."""
    ended = operator.stop()
    assert ended.code == 0
    assert ended.seconds < STOP_SECONDS_MAX
    # The default folder can be written, without a volume.
    assert "State directory cannot be used" not in operator.log_path.read_text(encoding="utf-8")


def test_user_folder_and_entry_point_are_those_of_helm_operator(engine):
    configuration = engine.configuration(IMAGE)
    assert configuration["User"] == "1001"
    assert configuration["WorkingDir"] == "/opt/helm"
    assert configuration["Entrypoint"] == [
        "/usr/local/bin/helm-operator",
        "run",
        "--watches-file=./watches.yaml",
    ]
    assert {"HOME=/opt/helm", "USER_NAME=helm", "USER_UID=1001"} <= set(configuration["Env"])
    assert (
        shell(engine, IMAGE, "id --user --name && id --user && id --group && pwd")
        == "helm\n1001\n0\n/opt/helm"
    )


def test_there_are_no_charts_and_no_compiler(engine):
    assert shell(engine, IMAGE, "ls -A /opt/helm") == ""
    assert (
        shell(
            engine,
            IMAGE,
            "command -v gcc g++ cc c++ clang make cmake ninja git python3 perl5; true",
        )
        == ""
    )
    assert int(shell(engine, IMAGE, "grep --count BEGIN /etc/ssl/certs/ca-certificates.crt")) > 100


def test_both_names_start_the_binary(engine):
    assert shell(engine, IMAGE, "chartwright version") != ""
    assert shell(engine, IMAGE, "helm-operator version").startswith(
        'helm-operator version: "v1.42.3+chartwright.'
    )


def test_a_project_brings_only_its_charts(engine, cluster, namespace, project, pod):
    start = Start(project, **pod)
    options = OperatorOptions(cluster.kubeconfig, arguments=("--reconcile-period=0",))
    with Contained(engine, start, options) as operator:
        sample = REPOSITORY / "deploy" / "samples" / "bookstore.yaml"
        cluster.kubectl("apply", "-n", namespace, "-f", str(sample))
        resource = CustomResource(cluster, BOOKSTORE, namespace, "example-bookstore")
        resource.wait_ready()
        resource.patch({"bookApp": {"tag": "v2"}})
        resource.wait_revision(2)
        resource.wait_ready()
        resource.delete()
        resource.wait_gone()
        run_and_stop(operator)


def test_the_shipped_charts_have_an_image_of_their_own(engine, cluster, build, pod):
    built = build(
        REPOSITORY / "charts" / "Dockerfile", REPOSITORY, "chartwright-test-charts:latest"
    )
    with Contained(engine, Start(built, **pod), OperatorOptions(cluster.kubeconfig)) as operator:
        for kind in ("bookstore", "demovolume", "podset", "pet"):
            assert f'controller_runtime_active_workers{{controller="{kind}' in operator.exposition()
        run_and_stop(operator)
