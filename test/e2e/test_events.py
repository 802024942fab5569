# SPDX-License-Identifier: Apache-2.0
"""The Events that `kubectl describe` shows."""

from e2e import session
from e2e.custom_resource import WIDGET
from e2e.session import WIDGET_FILES
from harness.kube import wait_until


def events_about(cluster, widget) -> list[dict]:
    """Returns the Events about a custom resource."""
    fields = f"involvedObject.uid={widget.uid()}"
    return cluster.kube.list("v1/Event", widget.namespace, fields=fields)


def test_overrides_in_use_are_reported_at_install_and_upgrade(cluster, namespace, declare):
    overriding = {
        "watches_file": WIDGET_FILES / "overrides.yaml",
        "environment": {"WIDGET_TEXT": 'from "above"'},
    }
    widget = declare(WIDGET, "one")
    with session.widget_operator(cluster, **overriding):
        widget.create({"text": "mine"}).wait_ready()
        [event] = wait_until(lambda: events_about(cluster, widget), what="an Event")
        assert event["type"] == "Warning"
        assert event["reason"] == "OverrideValuesInUse"
        assert event["message"] == (
            'Chart value "text" overridden to "from \\"above\\"" by operator\'s watches.yaml'
        )
        assert event["source"]["component"] == "widget-controller"
        assert event["count"] == 1
        widget.patch({"count": 2})
        widget.wait_revision(2)
        # The same event again: one Event, counted twice.
        wait_until(
            lambda: [e["count"] for e in events_about(cluster, widget)] == [2],
            what="the second count",
        )
    with session.widget_operator(cluster, "--suppress-override-values", **overriding):
        widget.patch({"count": 3})
        widget.wait_revision(3)
        wait_until(
            lambda: any('to "****" by' in e["message"] for e in events_about(cluster, widget)),
            what="a masked Event",
        )
