# SPDX-License-Identifier: Apache-2.0
"""Partial objects: fields written into objects of others, which are watched by name."""

import shutil

import pytest

from e2e import meters, session, traffic as expect
from e2e.custom_resource import CONFIGMAP, WIDGET, condition
from harness.paths import REPOSITORY

PATCH = """
apiVersion: v1
kind: ConfigMap
metadata: {name: theirs}
data: {text: {{ .Values.text | quote }}}
"""
WATCH = "- {group: e2e.chartwright.io, version: v1, kind: Widget, chart: chart}\n"


@pytest.fixture
def patching(cluster, widget_process, namespace, tmp_path):
    """An operator whose chart patches the ConfigMap `theirs`, which no `related` entry selects."""
    if widget_process.running():
        widget_process.stop()
    shutil.copytree(REPOSITORY / "test" / "e2e" / "charts" / "widget", tmp_path / "chart")
    patches = tmp_path / "chart" / "operator" / "patches"
    patches.mkdir(parents=True)
    (patches / "theirs.yaml").write_text(PATCH, encoding="utf-8")
    (tmp_path / "watches.yaml").write_text(WATCH, encoding="utf-8")
    with session.widget_operator(
        cluster,
        namespaces=(namespace,),
        cwd=tmp_path,
        watches_file=tmp_path / "watches.yaml",
    ) as operator:
        yield operator


def write_theirs(cluster, namespace: str, text: str) -> None:
    """Creates the target, as another writer."""
    cluster.kube.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "theirs", "namespace": namespace},
            "data": {"text": text, "own": "kept"},
        }
    )


def wait_text(cluster, namespace: str, text: str) -> dict:
    """Waits until the target has that text; returns it."""
    return cluster.kube.wait(
        CONFIGMAP,
        "theirs",
        namespace,
        lambda obj: obj is not None and obj["data"].get("text") == text,
        what=f"the text {text!r}",
    )


def test_a_missing_target_is_a_condition_and_patched_when_it_comes(
    cluster, patching, declare, namespace
):
    widget = declare(WIDGET, "patcher").create({"text": "ours"})
    ready = widget.wait_condition("Ready", "False", "TargetMissing")
    assert ready["message"] == (
        f"ConfigMap {namespace}/theirs does not exist; its patch waits for it"
    )
    assert condition(widget.get(), "Reconciling")["status"] == "True"

    write_theirs(cluster, namespace, "stranger")
    target = wait_text(cluster, namespace, "ours")
    assert target["data"]["own"] == "kept"
    assert "ownerReferences" not in target["metadata"]
    widget.wait_ready()


def test_a_patched_target_is_repaired_and_at_rest_costs_nothing(
    cluster, patching, declare, namespace
):
    write_theirs(cluster, namespace, "stranger")
    widget = declare(WIDGET, "patcher").create({"text": "ours"})
    widget.wait_ready()
    wait_text(cluster, namespace, "ours")
    meters.wait_at_rest(patching)

    watched = expect.Traffic(cluster.audit, session.user_of(session.WIDGETS), namespace)
    mark = watched.mark()
    widget.touch()
    meters.wait_at_rest(patching)
    watched.check(mark, expect.no_write)

    cluster.kube.patch(CONFIGMAP, "theirs", namespace, {"data": {"text": "edited"}})
    wait_text(cluster, namespace, "ours")
    cluster.kube.delete(CONFIGMAP, "theirs", namespace)
    widget.wait_condition("Ready", "False", "TargetMissing")
