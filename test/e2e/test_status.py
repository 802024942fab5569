# SPDX-License-Identifier: Apache-2.0
"""`chartwright status` on the real control plane."""

import json

from e2e import console
from e2e.custom_resource import WIDGET


def test_a_page_of_one_that_is_ready(cluster, widgets, namespace, declare):
    widget = declare(WIDGET, "one").create({"text": "a"})
    widget.wait_ready()
    widget.patch({"text": "b"})
    widget.wait_revision(2)
    widget.wait_ready()
    done = console.run(cluster, namespace, "status", "widget/one")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        f"Widget.e2e.chartwright.io {namespace}/one\n  Ready:      True\n"
    )
    assert "  Revision:   2 of " in done.stdout
    assert "  Spec:       generation 2, changed by " in done.stdout
    assert "\nConditions\n" not in done.stdout and "\nRevisions\n" in done.stdout
    assert "\nEvents\n" in done.stdout and "→" not in done.stdout
    whole = console.run(cluster, namespace, "status", "widget/one", "-v")
    assert "\nDeployed " in whole.stdout and "ConfigMap/" in whole.stdout


def test_one_that_is_not_ready_has_another_exit_code(cluster, widgets, namespace, declare):
    widget = declare(WIDGET, "broken").create({"element": 99})
    widget.wait_condition("Stalled", "True")
    done = console.run(cluster, namespace, "status", "widget/broken", "-o", "json")
    assert (done.returncode, done.stderr) == (3, "")
    (item,) = json.loads(done.stdout)["items"]
    assert item["problem"]["reason"] == "Stalled"
    failed = next(line for line in item["conditions"] if line["type"] == "ReleaseFailed")
    assert failed["message"] and item["problem"]["message"] == failed["message"]
    assert {line["type"] for line in item["conditions"]} >= {"Ready", "Stalled", "ReleaseFailed"}
    text = console.run(cluster, namespace, "status", "widget/broken").stdout
    assert f"→ chartwright why widget.e2e.chartwright.io/broken --namespace {namespace}\n" in text


def test_who_may_read_the_custom_resource_alone_sees_it(cluster, widgets, namespace, declare):
    declare(WIDGET, "one").create().wait_ready()
    kubeconfig = console.viewer(cluster, namespace, ("e2e.chartwright.io", "widgets", "get"))
    done = console.run(cluster, namespace, "status", "widget/one", kubeconfig=kubeconfig)
    assert done.returncode == 0
    assert "no right to list Events in " + namespace in done.stderr
    missing = console.run(cluster, namespace, "status", "widget/nobody")
    assert missing.returncode == 1 and '"nobody" not found' in missing.stderr
    assert console.run(cluster, namespace, "status").returncode == 1
