# SPDX-License-Identifier: Apache-2.0
"""One cluster with the shipped manifests installed, but without a running operator."""

import pytest

from harness.cluster import Cluster
from harness.paths import REPOSITORY


@pytest.fixture(scope="session")
def cluster():
    """A cluster after `kubectl apply -k deploy`."""
    with Cluster.start() as running:
        running.kubectl("apply", "-k", str(REPOSITORY / "deploy"))
        running.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        yield running


@pytest.fixture
def namespace(cluster):
    """A namespace that nothing else uses."""
    name = cluster.create_namespace()
    yield name
    cluster.abandon_namespace(name)
