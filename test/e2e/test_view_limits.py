# SPDX-License-Identifier: Apache-2.0
"""Flow control of views: what a server answers that has more to do than it can."""

import contextlib
import json

import pytest

from e2e import farm as farms
from e2e.farm import ROOT
from e2e.test_farm import ask, connect
from harness.cluster import Cluster
from harness.kube import wait_until

ADMIN = {"X-Remote-User": "admin", "X-Remote-Group": "system:masters"}
WATCHES_MAX = 500


@pytest.fixture(name="plane")
def fixture_plane():
    """A control plane of our own, with the farm's account and rights."""
    with Cluster.start() as cluster:
        farms.install(cluster)
        yield cluster


@pytest.fixture(name="farm")
def fixture_farm(plane):
    """The farm, serving."""
    with farms.declared(plane) as server:
        yield farms.ensure_serving(server)


def test_a_watch_beyond_the_limit_is_told_when_to_come_back(plane, farm):
    with contextlib.ExitStack() as stack:

        def watch():
            connection = connect(plane, farm.port, "front-proxy-client")
            stack.callback(connection.close)
            query = "watch=true&allowWatchBookmarks=true&timeoutSeconds=300"
            connection.request("GET", f"{ROOT}/farmpods?{query}", headers=ADMIN)
            return connection, connection.getresponse()

        # A few may be those of the cluster itself.
        attempts = [watch()]
        while attempts[-1][1].status == 200 and len(attempts) <= WATCHES_MAX:
            attempts.append(watch())
        assert len(attempts) > WATCHES_MAX - 20
        refused = attempts[-1][1]
        status = json.loads(refused.read())
        assert (refused.status, refused.getheader("Retry-After")) == (429, "1")
        assert (status["kind"], status["reason"]) == ("Status", "TooManyRequests")
        # Other requests are answered, by the aggregator's connection too.
        assert ask(plane, farm.port, f"{ROOT}/farmpods", ADMIN, "front-proxy-client")[0] == 200
        assert plane.kube.request("GET", f"{ROOT}/farmpods")["kind"] == "FarmPodList"
        for closed in reversed(attempts[0]):
            closed.close()
        wait_until(lambda: watch()[1].status == 200, what="room for a watch")
