# SPDX-License-Identifier: Apache-2.0
"""Tests how many requests a BookStore costs, counted as the benchmark counts them."""

import pytest

from bench import recording
from bench.main import open_bench
from bench.measure import Bench

ROOM = "room"


@pytest.fixture(name="bench", scope="module")
def one_custom_resource():
    """A benchmark of one custom resource, with its namespace."""
    with open_bench(1) as bench:
        bench.prepare(ROOM)
        yield bench


def test_a_bookstore_costs_no_more_requests_than_promised(bench):
    with bench.operator(ROOM) as operator:
        # Its kinds are watched from then on.
        Bench(bench.cluster, 1, "first").install(operator, ROOM)
        install = bench.install(operator, ROOM)
        assert install.requests_each == install.writes_each
        assert install.writes_each - install.status_writes_each == recording.WRITES - 2
        # The fields of status.yaml show a child once a watch has: on a busy machine that is after
        # the end of the install, and costs one more write.
        assert install.status_writes_each in (2, 3)
        assert bench.upgrade(ROOM) <= 5
    assert bench.rest(ROOM) == 0
