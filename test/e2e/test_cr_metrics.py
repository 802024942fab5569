# SPDX-License-Identifier: Apache-2.0
"""The metrics about custom resources follow their statuses, and end with them."""

import subprocess

from e2e import meters, session
from e2e import traffic as expect
from e2e.custom_resource import WIDGET
from harness.kube import wait_until


def info_of(operator, made) -> dict[str, str] | None:
    """Returns the labels of the information about a custom resource; None if there is none."""
    names = {"name": made.name, "namespace": made.namespace}
    for sample in operator.metrics():
        labels = meters.labels_of(sample)
        if sample.startswith("chartwright_cr_info{") and names.items() <= labels.items():
            return labels
    return None


def ready_of(operator, made) -> list[float]:
    """Returns the samples of the readiness of a custom resource."""
    names = {"name": made.name, "namespace": made.namespace}
    return [
        value
        for sample, value in operator.metrics().items()
        if sample.startswith("chartwright_cr_ready{")
        and names.items() <= meters.labels_of(sample).items()
    ]


def test_series_follow_the_status_and_end_with_the_custom_resource(cluster, declare, namespace):
    with session.widget_operator(cluster, namespaces=(namespace,)) as operator:
        made = declare(WIDGET, "one").create({"text": "red"})
        made.wait_ready()
        wait_until(lambda: ready_of(operator, made) == [1.0], what="a sample of readiness")
        info = info_of(operator, made)
        assert info["revision"] == "1" and info["chart"].startswith("widget-")
        assert (info["reason"], info["paused"], info["stalled"]) == ("Ready", "false", "false")
        made.annotate(paused="a test")
        wait_until(lambda: info_of(operator, made)["paused"] == "true", what="a pause")
        made.annotate(paused=None)
        made.patch({"text": "blue"})
        made.wait_revision(2)
        wait_until(lambda: info_of(operator, made)["revision"] == "2", what="a new revision")
        # A template fails with this value.
        bad = declare(WIDGET, "bad").create({"element": 7})
        bad.wait_condition("Stalled", "True")
        wait_until(lambda: ready_of(operator, bad) == [0.0], what="a sample that is not ready")
        assert info_of(operator, bad)["stalled"] == info_of(operator, bad)["failed"] == "true"
        kind = {"group": "e2e.chartwright.io", "kind": "Widget"}
        samples = operator.metrics()
        assert meters.total_of(samples, "chartwright_crs", **kind, ready="true") == 1
        assert meters.total_of(samples, "chartwright_crs", **kind, ready="false") == 1
        stalled = meters.total_of(samples, "chartwright_cr_conditions", **kind, condition="Stalled")
        assert stalled == 1
        assert meters.total_of(samples, "chartwright_record_bytes_count", kind="Widget") >= 2
        bad.delete()
        wait_until(lambda: not ready_of(operator, bad), what="the end of the series")
        assert info_of(operator, bad) is None
        check_form(operator.exposition())


def check_form(exposition: str) -> None:
    """Checks an exposition as Prometheus reads it."""
    done = subprocess.run(
        ["promtool", "check", "metrics"],
        input=exposition,
        capture_output=True,
        text=True,
        check=False,
    )
    complaints = [line for line in done.stderr.splitlines() if line.startswith("chartwright_")]
    # It exits with 3 for names that it would choose otherwise: those of helm-operator are given.
    assert done.returncode in (0, 3) and not complaints, done.stdout + done.stderr


def test_with_more_than_the_limit_none_has_series_of_its_own(cluster, declare, namespace):
    limit = "--metrics-per-cr-max=1"
    with session.widget_operator(cluster, limit, namespaces=(namespace,)) as operator:
        one = declare(WIDGET, "one").create()
        one.wait_ready()
        wait_until(lambda: ready_of(operator, one) == [1.0], what="a sample of readiness")
        declare(WIDGET, "two").create().wait_ready()
        wait_until(lambda: not ready_of(operator, one), what="the end of the series")
        samples = operator.metrics()
        assert samples["chartwright_crs_left_out"] == 2
        assert meters.total_of(samples, "chartwright_crs", kind="Widget") == 2


def test_a_scrape_sends_no_request(cluster, declare, namespace, widgets, widget_traffic):
    declare(WIDGET, "one").create().wait_ready()
    meters.wait_at_rest(widgets)
    mark = widget_traffic.mark()
    for _ in range(5):
        assert "chartwright_cr_ready" in widgets.exposition()
    widget_traffic.check(mark, expect.nothing)
