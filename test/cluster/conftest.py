# SPDX-License-Identifier: Apache-2.0
"""Fixtures: one cluster for the tests of behaviour, and names that end with their test."""

import uuid

import pytest

from cluster import control
from harness.cluster import Cluster


@pytest.fixture(scope="session")
def shared_cluster():
    """A cluster of our own for all tests that do not end it."""
    with Cluster.start() as running:
        yield running


@pytest.fixture
def namespace(shared_cluster):
    """A namespace that is deleted, without waiting for that, after the test."""
    name = shared_cluster.create_namespace()
    yield name
    shared_cluster.kube.delete("v1/Namespace", name)


@pytest.fixture
def name():
    """A cluster name not used before; whatever the test leaves under it is ended."""
    unique = f"test-{uuid.uuid4().hex[:8]}"
    yield unique
    control.down(unique)
