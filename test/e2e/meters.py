# SPDX-License-Identifier: Apache-2.0
"""Reads the operator's metrics."""

import re
import time

from harness.kube import wait_until
from harness.operator import Operator

RECONCILES = "controller_runtime_reconcile_total"
ERRORS = "controller_runtime_reconcile_errors_total"
ACTIVE = "controller_runtime_active_workers"
EVENTS_WAITING = "chartwright_events_waiting"

# An answer of the operator takes a few milliseconds where nothing else runs.
QUIET_SCRAPES = 20

_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def labels_of(sample: str) -> dict[str, str]:
    """Returns the labels of a sample by name."""
    return dict(_LABEL.findall(sample.partition("{")[2]))


def total(operator: Operator, name: str, /, **labels: str) -> float:
    """Returns the sum of the samples of a metric that have all the given labels."""
    return total_of(operator.metrics(), name, **labels)


def total_of(samples: dict, name: str, /, **labels: str) -> float:
    """Like `total`, for samples that were read before."""
    found = 0.0
    for sample, value in samples.items():
        if sample.partition("{")[0] == name and labels.items() <= labels_of(sample).items():
            found += value
    return found


def wait_at_rest(
    operator: Operator, *, quiet_seconds: float = 0.7, timeout_seconds: float = 60
) -> None:
    """Blocks until no controller has run a reconcile for a while, and no Event waits to be written.

    All changes before have been processed by then. A key that waits for its retry also counts as
    idle. A busy machine takes longer for everything, and so has to be quiet for longer: by what
    scrapes take since the last change, for one that was slow says nothing about those after it.
    """
    seen, since, scrapes, spent = None, time.monotonic(), 0, 0.0

    def quiet() -> bool:
        nonlocal seen, since, scrapes, spent
        asked = time.monotonic()
        samples = operator.metrics()
        answered = time.monotonic()
        now = (total_of(samples, RECONCILES), total_of(samples, "workqueue_depth"))
        if now != seen or total_of(samples, ACTIVE) + total_of(samples, EVENTS_WAITING) > 0:
            seen, since, scrapes, spent = now, answered, 0, 0.0
        scrapes, spent = scrapes + 1, spent + answered - asked
        return answered - since >= max(quiet_seconds, QUIET_SCRAPES * spent / scrapes)

    wait_until(quiet, timeout_seconds=timeout_seconds, what="rest of all controllers")
