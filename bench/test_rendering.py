# SPDX-License-Identifier: Apache-2.0
"""Tests how the rendering benchmark evaluates its figures."""

import pathlib

import pytest

from bench import rendering
from bench.renderer.process import RendererError, Timing
from harness.paths import REPOSITORY


class Side:
    """A renderer with fixed answers, which takes `ns` nanoseconds for any work."""

    def __init__(self, text: bytes, ns: int = 1000):
        self.value, self.ns, self.closed = text, ns, False

    def text(self, _work):
        """Returns the fixed answer."""
        return self.value

    def time(self, _work, count):
        """Returns `count` equal times."""
        return Timing([self.ns] * count, self.ns * count)

    def close(self):
        """Records the call."""
        self.closed = True


def figures(chart, warm, cold=9.0):
    """Returns the figures of a chart with given warm and cold ratios; the others are nine."""
    ratios = dict.fromkeys(rendering.GOALS, 9.0) | {"warm": warm, "cold": cold}
    return rendering.Figures(chart, ratios, {"ours": [1], "peer": [9]}, {"ours": 1.0, "peer": 3.0})


def test_percentiles_are_values_that_were_measured():
    values = list(range(1, 101))
    assert rendering.percentile(values, 0.5) == 51
    assert rendering.percentile(values, 0.99) == 100
    assert rendering.percentile([7], 0.99) == 7


def test_sides_that_differ_are_not_timed():
    with pytest.raises(RendererError, match="differ in cold"):
        rendering.same_texts(pathlib.Path("x"), {"ours": Side(b"a"), "peer": Side(b"b")})


def test_a_chart_without_text_is_left_out():
    sides = {"ours": Side(b""), "peer": Side(b"")}
    assert not rendering.same_texts(pathlib.Path("library"), sides)
    assert all(side.closed for side in sides.values())


def test_where_chance_rules_all_rounds_count_and_elsewhere_the_middle_one():
    def timings(*times):
        return [Timing([ns], ns) for ns in times]

    rounds = {"ours": timings(10, 10, 100), "peer": timings(20, 30, 100)}
    assert rendering.median_ratio(rounds) == 2.0
    assert rendering.ratio_of_means(rounds) == 150 / 120


def test_both_sides_take_turns_in_batches_of_like_length():
    timings = rendering.take_turns({"ours": Side(b"", 10_000), "peer": Side(b"", 10**9)}, "warm", 3)
    assert [len(t.cpu) for t in timings["ours"]] == [2000] * 3
    assert [len(t.cpu) for t in timings["peer"]] == [1] * 3


def test_the_slowest_chart_decides():
    goals = rendering.engine_goals([figures("a", 8.0), figures("b", 4.9), figures("c", 6.0, 2.0)])
    missed = {(goal.what, goal.where) for goal in goals if not goal.passes()}
    assert missed == {("warm, CPU time", "b"), ("cold, CPU time", "c")}


def test_beside_an_earlier_build_all_charts_count_together():
    goals = rendering.unchanged_goals([figures("a", 0.5, 0.9), figures("b", 2.0, 1.0)])
    assert {goal.what for goal in goals if not goal.passes()} == {"cold, CPU time"}
    by_chance = rendering.unchanged_goals([figures("a", 1.0), figures("operatorkit", 0.1)])
    assert all(goal.passes() for goal in by_chance)


def test_an_earlier_build_that_is_not_there_is_named(tmp_path):
    with pytest.raises(RendererError, match="run bench/render in"):
        rendering.before(tmp_path)


def test_prescribed_work_has_a_goal_of_its_own():
    goals = rendering.engine_goals([figures("a", 8.0), figures("operatorkit", 1.1, 1.1)])
    assert all(goal.passes() for goal in goals)
    assert any("RSA" in goal.what for goal in goals)


def test_work_of_a_first_render_has_a_goal_of_its_own():
    missed = {
        goal.what
        for goal in rendering.engine_goals([figures("a", 8.0), figures("sqlstore", 4.0, 0.7)])
        if not goal.passes()
    }
    assert missed == {"warm, CPU time", "cold, CPU time, scrypt"}


def test_a_chart_whose_golden_cases_are_without_text_is_not_measured(monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    # The chart of pets has no objects, and refuses its default values.
    assert [chart.name for chart in rendering.charts(["pet", "podset"])] == ["podset"]


def test_values_are_those_of_the_golden_defaults(monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    found = rendering.values_of(pathlib.Path("test/charts/webshop"))
    assert found == pathlib.Path("test/golden/webshop/defaults/values.yaml")
    assert rendering.values_of(pathlib.Path("test/charts/kit")) is None
