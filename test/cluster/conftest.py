# SPDX-License-Identifier: Apache-2.0
"""Fixtures: one cluster for the tests of behaviour, and names that last for one test."""

import uuid

import pytest

from cluster import control
from harness.cluster import Cluster


@pytest.fixture(scope="session")
def shared_cluster():
    """A cluster of our own, shared by all tests that do not stop it."""
    with Cluster.start() as running:
        yield running


@pytest.fixture
def namespace(shared_cluster):
    """A namespace that is deleted after the test, without waiting for the deletion."""
    name = shared_cluster.create_namespace()
    yield name
    shared_cluster.kube.delete("v1/Namespace", name)


@pytest.fixture
def name():
    """An unused cluster name; a cluster that the test leaves under it is stopped."""
    unique = f"test-{uuid.uuid4().hex[:8]}"
    yield unique
    control.down(unique)
