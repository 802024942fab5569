# SPDX-License-Identifier: Apache-2.0
"""Tests how the benchmark evaluates its figures and the writes that it records."""

import json

import pytest

from bench import recording
from bench.main import Row, print_table


def event(verb, resource, name=None, subresource=None, second=0):
    """Returns an audit event of a completed write by the operator."""
    reference = {"resource": resource, "namespace": recording.NAMESPACE, "name": name}
    if subresource:
        reference["subresource"] = subresource
    return {
        "stage": "ResponseComplete",
        "verb": verb,
        "userAgent": "chartwright/1",
        "requestURI": f"/namespaces/{recording.NAMESPACE}/{resource}/{name}",
        "requestReceivedTimestamp": f"2026-01-01T00:00:{second:02}.000000Z",
        "objectRef": reference,
        "requestObject": {
            "apiVersion": "v1",
            "metadata": {"uid": "old", "name": name, "resourceVersion": "1"},
        },
    }


INSTALL = [
    event("patch", "bookstores", recording.NAME, "status", 1),
    event("patch", "services", "a", second=2),
    event("patch", "services", "b", second=3),
    event("patch", "deployments", "a", second=4),
    event("patch", "statefulsets", "b", second=5),
    event("create", "secrets", None, second=6),
    event("patch", "bookstores", recording.NAME, "status", 7),
]


def write_log(path, events):
    """Writes events as an audit log."""
    path.write_text("".join(json.dumps(one) + "\n" for one in events))
    return path


def test_an_install_is_recorded_in_its_order(tmp_path):
    requests = recording.read(write_log(tmp_path / "log", reversed(INSTALL)), "chartwright/")
    assert [r.method for r in requests] == ["PATCH"] * 5 + ["POST", "PATCH"]
    assert requests[0].content_type == "application/apply-patch+yaml"
    assert requests[5].content_type == "application/json"


def test_statuses_are_replayed_over_any_version(tmp_path):
    requests = recording.read(write_log(tmp_path / "log", INSTALL), "chartwright/")
    versions = ["resourceVersion" in request.body["metadata"] for request in requests]
    assert versions == [False, *[True] * 5, False]


def test_events_are_no_part_of_the_floor(tmp_path):
    more = [*INSTALL, event("create", "events", None, second=8)]
    requests = recording.read(write_log(tmp_path / "log", more), "chartwright/")
    assert len(requests) == recording.WRITES


def test_writes_that_repeat_do_not_raise_the_floor(tmp_path):
    more = [
        *INSTALL,
        event("patch", "services", "a", second=8),
        event("patch", "bookstores", recording.NAME, "status", 9),
    ]
    requests = recording.read(write_log(tmp_path / "log", more), "chartwright/")
    assert len(requests) == recording.WRITES


def test_an_install_with_other_writes_is_refused(tmp_path):
    with pytest.raises(recording.RecordingError, match="5 writes install a BookStore, not 7"):
        recording.read(write_log(tmp_path / "log", INSTALL[:5]), "chartwright/")


def test_a_replay_speaks_of_the_other_resource():
    path = f"/{recording.NAMESPACE}/{recording.NAME}"
    recorded = [recording.Request("PATCH", path, "x", {"uid": "u1"})]
    store = {"metadata": {"name": "store-1", "uid": "u2"}}
    replayed = recording.replay(recorded, "room-1", store, "u1")
    assert replayed == [recording.Request("PATCH", "/room-1/store-1", "x", {"uid": "u2"})]


def test_a_figure_over_its_limit_fails(capsys):
    lines = [Row("time", 1.0, "s"), Row("ratio", 2.1, "", 2.0), Row("memory", 20.0, "MB", 20.0)]
    assert [row.passes() for row in lines] == [True, False, True]
    print_table(lines)
    table = capsys.readouterr().out
    assert "| ratio  | 2.10     | <= 2     | FAIL |" in table
