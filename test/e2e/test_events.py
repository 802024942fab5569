# SPDX-License-Identifier: Apache-2.0
"""The Events that `kubectl describe` shows."""

import base64

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, SECRET, WIDGET
from e2e.session import WIDGET_FILES
from harness.kube import wait_until


def events_about(widget, uid: str = "") -> list[dict]:
    """Returns the Events about a custom resource; `uid` is that of one that is gone."""
    fields = f"involvedObject.uid={uid or widget.uid()}"
    return widget.kube.list("v1/Event", widget.namespace, fields=fields)


def overrides_about(widget) -> list[dict]:
    """Returns the Events about overrides in use."""
    return [e for e in events_about(widget) if e["reason"] == "OverrideValuesInUse"]


def test_overrides_in_use_are_reported_at_install_and_upgrade(cluster, namespace, declare):
    overriding = {
        "watches_file": WIDGET_FILES / "overrides.yaml",
        "environment": {"WIDGET_TEXT": 'from "above"'},
    }
    widget = declare(WIDGET, "one")
    with session.widget_operator(cluster, **overriding):
        widget.create({"text": "mine"}).wait_ready()
        [event] = wait_until(lambda: overrides_about(widget), what="an Event")
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
            lambda: [e["count"] for e in overrides_about(widget)] == [2],
            what="the second count",
        )
    with session.widget_operator(cluster, "--suppress-override-values", **overriding):
        widget.patch({"count": 3})
        widget.wait_revision(3)
        wait_until(
            lambda: any('to "****" by' in e["message"] for e in overrides_about(widget)),
            what="a masked Event",
        )


UNINSTALL_WAIT = "helm.sdk.operatorframework.io/uninstall-wait"


def news(widget, uid: str = "") -> dict[str, list[tuple]]:
    """Returns (message, count) of each Event about a custom resource, by type and reason."""
    found: dict[str, list[tuple]] = {}
    for event in events_about(widget, uid):
        key = f"{event['type']} {event['reason']}"
        found.setdefault(key, []).append((event["message"], event["count"]))
    return found


def wait_news(widget, key: str) -> list[tuple]:
    """Waits for Events of a type and reason."""
    return wait_until(lambda: news(widget).get(key), what=f"an Event {key}")


def apply_as(widget, manager: str, kind: str, name: str, data: dict) -> None:
    """Another client sets data of a child, by force."""
    api_version, _, kind_name = kind.rpartition("/")
    metadata = {"name": name, "namespace": widget.namespace}
    body = {"apiVersion": api_version, "kind": kind_name, "metadata": metadata, "data": data}
    widget.kube.apply(body, manager=manager)


def test_each_outcome_is_one_event(widgets, declare):
    widget = declare(WIDGET, "one").create({"text": "a", "count": 1})
    widget.wait_ready()
    deployed = "Revision {} of release one is deployed, by chart widget-0.1.0".format
    assert wait_news(widget, "Normal Installed") == [(deployed(1), 1)]
    widget.patch({"text": "b"})
    widget.wait_revision(2)
    assert wait_news(widget, "Normal Upgraded") == [(deployed(2), 1)]
    widget.annotate(rollback_to="1")
    widget.wait_revision(3)
    assert wait_news(widget, "Normal RolledBack") == [
        (deployed(3) + ", because a rollback is asked for", 1)
    ]
    widget.annotate(rollback_to=None)
    widget.wait_revision(4)
    widget.kube.delete(CONFIGMAP, "one-0", widget.namespace)
    missing = f"ConfigMap {widget.namespace}/one-0 was missing, and is created again"
    assert wait_news(widget, "Normal Repaired") == [(missing, 1)]
    widget.patch({"element": 99})
    error = widget.wait_error("ReconcileError")
    [(message, count)] = wait_news(widget, "Warning ReconcileError")
    assert (message, count) == (error, 1)
    # Another attempt that fails with the same text is not news.
    widget.touch()
    meters.wait_at_rest(widgets)
    assert {key: len(found) for key, found in news(widget).items()} == {
        "Normal Installed": 1,
        "Normal Upgraded": 2,
        "Normal RolledBack": 1,
        "Normal Repaired": 1,
        "Warning ReconcileError": 1,
    }


def test_an_uninstallation_is_an_event(widgets, declare):
    widget = declare(WIDGET, "gone").create({"text": "a"}, annotations={UNINSTALL_WAIT: "true"})
    widget.wait_ready()
    uid = widget.uid()
    widget.delete()
    widget.wait_gone()
    told = [("Release gone is uninstalled", 1)]
    wait_until(lambda: news(widget, uid).get("Normal Uninstalled") == told, what="an Event")


def test_a_repair_names_field_values_and_manager(widgets, declare):
    widget = declare(WIDGET, "two").create({"text": "right", "count": 1})
    widget.wait_ready()
    for _ in range(2):
        apply_as(widget, "foo", CONFIGMAP, "two-0", {"text": "wrong"})
        widget.wait_child(CONFIGMAP, "two-0", lambda obj: obj["data"]["text"] == "right")
    told = f'ConfigMap {widget.namespace}/two-0: data.text: "wrong" → "right" (managed by foo)'
    wait_until(
        lambda: news(widget).get("Normal Repaired") == [(told, 2)],
        what="one Event, counted twice",
    )
    child = f"ConfigMap {widget.namespace}/two-0"
    line = widgets.wait_log(
        lambda line: line.get("msg") == "Repaired field" and line["object"] == child
    )
    shown = {key: line[key] for key in ("field", "from", "to", "managers")}
    assert shown == {"field": "data.text", "from": '"wrong"', "to": '"right"', "managers": "foo"}
    drifted = 'chartwright_repairs_total{child="ConfigMap",kind="Widget",reason="drifted"}'
    assert widgets.metrics()[drifted] >= 2


def test_the_value_of_a_secret_is_told_nowhere(widgets, declare):
    def encoded(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    widget = declare(WIDGET, "three").create({"password": "quite-right-4711"})
    widget.wait_ready()
    values = ["terribly-wrong-4711", encoded("terribly-wrong-4711"), encoded("quite-right-4711")]
    apply_as(widget, "foo", SECRET, "three", {"password": values[1]})
    widget.wait_child(SECRET, "three", lambda obj: obj["data"]["password"] == values[2])
    told = f"Secret {widget.namespace}/three: data.password: *** → *** (managed by foo)"
    assert wait_news(widget, "Normal Repaired") == [(told, 1)]
    written = (
        widgets.log_path.read_text(encoding="utf-8") + str(news(widget)) + str(widget.status())
    )
    assert not [value for value in values if value in written]
