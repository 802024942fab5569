# SPDX-License-Identifier: Apache-2.0
"""Partial objects: fields written into objects of others, which are watched by name."""

import pytest

from e2e import meters, session
from e2e import traffic as expect
from e2e.custom_resource import CONFIGMAP, WIDGET, condition, remove_all

PATCH = """
apiVersion: v1
kind: ConfigMap
metadata: {name: theirs}
data: {text: {{ .Values.text | quote }}}
"""
RELATED = """
related:
  chosen: {apiVersion: v1, kind: ConfigMap, selector: {patched: "yes"}}
"""
PATCH_OF_RELATED = """
{{ range .Related.chosen }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .metadata.name }}}
data: {text: {{ $.Values.text | quote }}}
{{ end }}
"""


BY_NAME = {"patches/theirs.yaml": PATCH}
BY_LABEL = {"operator.yaml": RELATED, "patches/theirs.yaml": PATCH_OF_RELATED}


@pytest.fixture
def patching(cluster, namespace, tmp_path, request):
    """An operator whose chart has the files of the parameter in operator/.

    The default patches the ConfigMap `theirs`, which no `related` entry selects.
    """
    files = {f"operator/{name}": text for name, text in getattr(request, "param", BY_NAME).items()}
    project = session.widget_project(tmp_path, files)
    with session.widget_operator(cluster, namespaces=(namespace,), **project) as operator:
        yield operator
        remove_all(cluster, WIDGET, namespace)


def write_theirs(cluster, namespace: str, text: str, **labels: str) -> None:
    """Creates the target, as another writer."""
    cluster.kube.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "theirs", "namespace": namespace, "labels": labels},
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


def managers_of(obj: dict) -> list[str]:
    """Returns the managers of the object's fields."""
    return [entry["manager"] for entry in obj["metadata"]["managedFields"]]


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


@pytest.mark.parametrize("patching", [BY_LABEL], indirect=True, ids=["by label"])
def test_a_target_that_is_no_longer_selected_is_given_up(cluster, patching, declare, namespace):
    assert patching.running()
    write_theirs(cluster, namespace, "stranger", patched="yes")
    widget = declare(WIDGET, "patcher").create({"text": "ours"})
    widget.wait_ready()
    assert widget.manager() in managers_of(wait_text(cluster, namespace, "ours"))

    cluster.kube.patch(CONFIGMAP, "theirs", namespace, {"metadata": {"labels": {"patched": "no"}}})
    given_up = cluster.kube.wait(
        CONFIGMAP,
        "theirs",
        namespace,
        lambda obj: "text" not in obj["data"],
        what="the field being given up",
    )
    assert given_up["data"] == {"own": "kept"}
    assert widget.manager() not in managers_of(given_up)


def test_a_deletion_gives_the_fields_up(cluster, patching, declare, namespace):
    assert patching.running()
    write_theirs(cluster, namespace, "stranger")
    widget = declare(WIDGET, "patcher").create({"text": "ours"})
    widget.wait_ready()
    wait_text(cluster, namespace, "ours")
    manager = widget.manager()
    widget.delete()
    widget.wait_gone()
    target = cluster.kube.get(CONFIGMAP, "theirs", namespace)
    assert target["data"] == {"own": "kept"}
    assert manager not in managers_of(target)
