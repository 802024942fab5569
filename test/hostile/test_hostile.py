# SPDX-License-Identifier: Apache-2.0
"""Hostile input ends in a clear error, soon and with little memory."""

import concurrent.futures
import dataclasses
import os
import re

import pytest

from hostile.catalogue import GROUPS, GROWTHS, LINTED
from hostile.measure import TIMES, assert_within, attack, growth_seconds

VECTORS = [vector for group in GROUPS.values() for vector in group]
# A quadratic algorithm takes four times as long; so does a busy machine occasionally.
RATIO_MAX = 3
TRIES = 3
# At these sizes less than this is negligible, and mostly the start of the process.
FLOOR_SECONDS = 0.3


def cases(attacks) -> list:
    """Returns the attacks as parameters; a known defect must fail, so that its fix is noticed."""
    return [
        pytest.param(
            a,
            id=a.name,
            marks=[pytest.mark.xfail(strict=True, reason=a.defect)] if a.defect else [],
        )
        for a in attacks
    ]


@pytest.fixture(scope="module", name="outcomes")
def _outcomes(request):
    """The outcome of each selected attack; as many run at once as there are processors."""
    selected = [
        item.callspec.params["vector"]
        for item in request.session.items
        if getattr(item, "originalname", "")
        in (test_a_hostile_chart_is_contained.__name__, test_lint_contains_a_hostile_chart.__name__)
    ]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {
            (vector.command, vector.name): pool.submit(attack, vector) for vector in selected
        }
        yield running
        for outcome in running.values():
            outcome.cancel()


@pytest.mark.parametrize("vector", cases(VECTORS))
def test_a_hostile_chart_is_contained(outcomes, vector):
    outcome = outcomes[vector.command, vector.name].result()
    assert outcome.code == vector.exit_code, (outcome.err + outcome.out)[:1000]
    if vector.error is None or vector.command != "template":
        assert re.search(vector.error or "", outcome.err + outcome.out, re.DOTALL), (
            outcome.err + outcome.out
        )[:1000]
    else:
        assert outcome.err.startswith("Error: ")
        assert re.search(vector.error, outcome.err, re.DOTALL), outcome.err[:1000]
        assert outcome.out == ""
    if vector.output is not None:
        assert outcome.out == vector.output
    within_bounds(outcome, vector)


def by_lint(vector):
    """Lint renders a chart for Helm's rules, and again for its own with each set of values."""
    return dataclasses.replace(vector, command="lint", cpu_seconds=2 * vector.cpu_seconds)


@pytest.mark.parametrize("vector", cases([by_lint(vector) for vector in LINTED]))
def test_lint_contains_a_hostile_chart(outcomes, vector):
    """A chart that does not render is a finding or an error; one that renders may have findings."""
    outcome = outcomes[vector.command, vector.name].result()
    if vector.error is None:
        assert outcome.code in (0, 1), (outcome.err + outcome.out)[:1000]
        assert "chart(s) linted" in outcome.out + outcome.err
    else:
        assert outcome.code == 1
        assert re.search(vector.error, outcome.err + outcome.out, re.DOTALL), (
            outcome.err + outcome.out
        )[:1000]
    within_bounds(outcome, vector)


def within_bounds(outcome, vector):
    if vector.secret is not None:
        assert vector.secret not in outcome.err + outcome.out
    assert_within(outcome.cpu_seconds, vector.cpu_seconds, outcome.slowness)
    assert outcome.rss_mib <= TIMES * vector.rss_mib


@pytest.mark.parametrize("growth", cases(GROWTHS))
def test_twice_the_text_takes_twice_the_time(growth):
    for _ in range(TRIES):
        once, twice = growth_seconds(growth)
        if twice < max(FLOOR_SECONDS, RATIO_MAX * once):
            return
    raise AssertionError(f"{once:.2f} s, and {twice:.2f} s for twice the size")


def test_names_are_distinct():
    names = [vector.name for vector in [*VECTORS, *GROWTHS]]
    assert len(names) == len(set(names))
