# SPDX-License-Identifier: Apache-2.0
"""Tests how the benchmark of views measures, and that it runs on a real control plane."""

import json
import threading

import pytest

from bench import serving
from bench.side import Follower, Side, in_turn
from cluster.components import Options
from harness.cluster import Cluster
from harness.connection import ApiError
from harness.operator import default_binary


class Pages:
    """A connection that serves three pages, and events that a test releases."""

    def __init__(self):
        self.queries = []
        self.released = threading.Event()

    def fetch(self, path, query, _timeout=0):
        """Returns the page that the token names."""
        self.queries.append((path, query))
        number = int(query.get("continue", "0"))
        metadata = {"continue": str(number + 1)} if number < 2 else {}
        return json.dumps({"metadata": metadata, "items": []}).encode()

    def stream(self, _path, query, _timeout):
        """Yields an event, and then that the history is gone."""
        assert query["resourceVersion"] == "5"
        self.released.wait(10)
        yield {"type": "MODIFIED", "object": {"metadata": {"resourceVersion": "6"}}}
        yield {"type": "ERROR", "object": {"code": 410, "reason": "Expired"}}


@pytest.fixture(name="side")
def fixture_side():
    """A side with that connection."""
    return Side("view", Pages(), "/notes")


def test_a_list_in_pages_asks_until_there_is_no_token(side):
    assert len(side.pages()) == 3
    queries = [query for _, query in side._connection.queries]
    assert [query.get("continue") for query in queries] == [None, "1", "2"]
    assert {query["limit"] for query in queries} == {500}
    assert {query["labelSelector"] for query in queries} == {"bench=note"}


def test_a_follower_says_when_a_version_came_and_what_ended_it(side):
    follower = Follower(side, "5")
    side._connection.released.set()
    assert follower.arrival("6") > 0
    with pytest.raises(TimeoutError) as caught:
        follower.arrival("7")
    assert isinstance(caught.value.__cause__, ApiError) and caught.value.__cause__.code == 410


def test_the_sides_take_turns_to_begin():
    calls = []
    taken = in_turn(("a", "b"), 3, lambda side, number: calls.append((side, number)))
    assert calls == [("a", 0), ("b", 0), ("b", 1), ("a", 1), ("a", 2), ("b", 2)]
    assert [len(times) for times in taken] == [3, 3]


def test_a_limit_is_one_of_the_ratio_or_of_the_view_alone():
    row = serving.Row("list", [10.0, 20.0, 90.0], [40.0, 60.0, 50.0], "ms", 2.4)
    assert row.value() == 2.5 and not row.passes()
    assert row.cells() == (
        "list",
        "20.00 ms (p95 90.00)",
        "50.00 ms (p95 60.00)",
        "2.50",
        "<= 2.4",
        "FAIL",
    )
    memory = serving.Row("memory", [], [80.0], "MB", 80.0)
    assert memory.passes()
    assert memory.cells() == ("memory", "", "80.00 MB", "", "<= 80 MB", "pass")
    assert serving.Row("size", [], [1.0], "MB").cells()[4:] == ("", "")


def test_a_few_sources_are_measured_on_a_control_plane():
    options = serving._parse(["--count=30", "--rounds=2", "--reads=5", "--writes=5"])
    assert default_binary().exists(), "make build"
    with Cluster.start(options=Options(pods=False)) as cluster:
        rows = {row.what: row for row in serving.run(cluster, options)}
    size = rows["list of 30 objects, size"]
    # The view has neither the managed fields nor anything else to add.
    assert 0.5 < size.value() < 1.2
    assert len(rows["list of 30 objects"].view) == 2
    events = rows["write to event, from the request"]
    assert len(events.view) == 5 and all(0 < one < 5000 for one in events.view)
    assert rows["resident memory, ready"].view[0] > 5
