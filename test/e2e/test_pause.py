# SPDX-License-Identifier: Apache-2.0
"""Pauses: one custom resource is left as it is, for as long as its annotations say."""

import datetime

import pytest

from e2e import meters
from e2e.custom_resource import CONFIGMAP, WIDGET, CustomResource, condition

UNINSTALL_WAIT = "helm.sdk.operatorframework.io/uninstall-wait"
PAUSE_SECONDS = 3


@pytest.fixture(name="widget")
def ready_widget(widgets, declare):
    """A Widget with a child and a finalizer, Ready."""
    assert widgets.running()
    widget = declare(WIDGET, "w").create({"text": "old"}, annotations={UNINSTALL_WAIT: "true"})
    widget.wait_ready()
    return widget


def paused_with(widget: CustomResource, text: str) -> dict:
    """Blocks until the condition Paused has `text` in its message; returns the custom resource."""
    return widget.wait(
        lambda obj: text in condition(obj, "Paused").get("message", ""), what=f"Paused: {text}"
    )


def test_nothing_is_repaired_or_upgraded_until_the_pause_ends(widget, widgets):
    widget.annotate(paused="restoring a backup")
    paused_with(widget, "restoring a backup")
    widget.kube.delete(CONFIGMAP, "w-0", widget.namespace)
    widget.patch({"text": "new"})
    meters.wait_at_rest(widgets)
    widgets.stop()
    widgets.start()
    meters.wait_at_rest(widgets)
    paused = widget.get()
    assert not widget.kube.find(CONFIGMAP, "w-0", widget.namespace)
    assert paused["status"]["observedGeneration"] < paused["metadata"]["generation"]
    assert condition(paused, "Ready")["status"] == "True"
    widget.annotate(paused=None)
    widget.wait_ready()
    assert widget.child(CONFIGMAP, "w-0")["data"]["text"] == "new"
    widget.wait_condition("Paused", None)


def test_a_deletion_waits_for_the_end_of_the_pause(widget, widgets):
    widget.annotate(paused="incident 7")
    paused_with(widget, "incident 7")
    widget.delete()
    paused_with(widget, "incident 7; the deletion waits")
    meters.wait_at_rest(widgets)
    assert widget.child(CONFIGMAP, "w-0")["data"]["text"] == "old"
    widget.annotate(paused=None)
    widget.wait_gone()
    assert not widget.kube.find(CONFIGMAP, "w-0", widget.namespace)


def test_a_pause_ends_at_its_time(widget):
    end = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=PAUSE_SECONDS)
    widget.annotate(paused="maintenance", paused_until=end.strftime("%Y-%m-%dT%H:%M:%SZ"))
    widget.patch({"text": "new"})
    widget.wait_ready()
    assert datetime.datetime.now(datetime.UTC) >= end.replace(microsecond=0)
    assert widget.child(CONFIGMAP, "w-0")["data"]["text"] == "new"
    widget.wait_condition("Paused", None)
