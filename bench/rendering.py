# SPDX-License-Identifier: Apache-2.0
"""The command line of the rendering benchmark: runs us and a peer in turn on every chart.

It reports ratios of CPU time, which other processes hardly disturb. The sides take turns within a
fraction of a second, so any remaining disturbance affects both.
"""

import argparse
import dataclasses
import os
import pathlib
import statistics
import sys

from bench.renderer import build
from bench.renderer.process import Renderer, RendererError, Run, Timing, run
from bench.table import print_cells
from harness.operator import default_binary
from harness.paths import REPOSITORY

# The works, and how many times faster than Helm each must be on every chart.
GOALS = {"warm": 5.0, "cold": 3.0, "parse": 1.0, "encode": 1.0, "decode": 1.0}
# Charts whose time is dominated by cryptography on both sides: hashes that are slow by design, and
# the search for primes, which takes a random time.
PRESCRIBED = {"encoders": "bcrypt", "operatorkit": "RSA and DSA keys"}
# The work that takes nearly all of the time of a first render, and the least ratio. A loaded chart
# keeps its results. scrypt is prescribed; RE2 builds the automaton of \pL for UTF-8, both ways.
FIRST_TIME = {
    "sqlstore": ("scrypt", 0.8),
    "webshop": ("scrypt", 0.8),
    "pipes": ("automata of all letters", 0.25),
}
# Charts that have goals of their own, by work.
_ELSEWHERE = {"warm": {*PRESCRIBED}, "cold": {*PRESCRIBED, *FIRST_TIME}}
# Charts with random times, where only means over many rounds can be compared: one key may take five
# times as long as the next.
BY_CHANCE = {"operatorkit"}
_CHANCE_ROUNDS = 8
_SMALL_CHART = "charts/podset"
_PROCESS_GOAL = 5.0
# Resident memory includes the pages of files that the kernel maps around those in use. They differ
# between copies of one binary: by a tenth was seen.
_PROCESS_MEMORY_GOAL = 4.0
# Compared with an earlier build of ours: not slower than that, within the measurement error.
_BEFORE_GOAL = 0.97
_BATCH_NS = 30_000_000
_BATCH_MAX = 2000
_SIDES = ("ours", "peer")


@dataclasses.dataclass(frozen=True)
class Peer:
    """The peer of a comparison: its name, its rendering program and its command."""

    name: str
    renderer: pathlib.Path
    command: pathlib.Path


@dataclasses.dataclass(frozen=True)
class Figures:
    """The ratios of a chart by work, and its warm timings and peak memory by side."""

    chart: str
    ratios: dict[str, float]
    warm: dict[str, list[int]]
    memory: dict[str, float]

    def cells(self) -> tuple[str, ...]:
        """Returns the cells of its row."""
        percentiles = (
            f"{percentile(self.warm[side], share) / 1000:.0f}"
            for side in _SIDES
            for share in (0.5, 0.99)
        )
        ratios = (f"{self.ratios[work]:.1f}" for work in GOALS)
        memory = (f"{self.memory[side]:.1f}" for side in _SIDES)
        return (self.chart, *ratios, *percentiles, *memory)


@dataclasses.dataclass(frozen=True)
class Goal:
    """A row of the verdict: the actual and the required ratio to the peer."""

    what: str
    ratio: float
    least: float
    where: str = ""

    def passes(self) -> bool:
        """Reports whether the goal is met."""
        return self.ratio >= self.least

    def cells(self) -> tuple[str, ...]:
        """Returns the cells of the row."""
        verdict = "pass" if self.passes() else "FAIL"
        return self.what, f"{self.ratio:.2f}", self.where, f">= {self.least:g}", verdict


def percentile(values: list[int], share: float) -> int:
    """Returns the value that the given share of all values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main(arguments: list[str]) -> int:
    """Runs the benchmark; returns 0 if every goal is met, else 1."""
    options = _parse(arguments)
    os.chdir(REPOSITORY)
    try:
        peer = before(options.before) if options.before else helm()
        programs = {"ours": build.ours("bench_render"), "peer": peer.renderer}
        figures = []
        for chart in charts(options.chart):
            if measured := measure(programs, chart, options.rounds):
                figures.append(measured)
        if options.before:
            least, goals = _BEFORE_GOAL, unchanged_goals(figures)
        else:
            least, goals = _PROCESS_GOAL, engine_goals(figures)
        goals += process_goals(peer.command, options.processes, least)
    except RendererError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    works = (f"{work}, times" for work in GOALS)
    names = ("ours", peer.name)
    percentiles = (f"{name} {share}, µs" for name in names for share in ("p50", "p99"))
    memory = (f"{name}, MB" for name in names)
    print_cells([("chart", *works, *percentiles, *memory), *(f.cells() for f in figures)])
    print()
    head = (f"{peer.name} / ours", "least", "chart", "goal", "")
    print_cells([head, *(goal.cells() for goal in goals)])
    return 0 if all(goal.passes() for goal in goals) else 1


def helm() -> Peer:
    """Builds Helm and returns it as the peer."""
    return Peer("Helm", build.helms(), build.helm_command())


def before(checkout: pathlib.Path) -> Peer:
    """Returns another checkout, in which bench/render has already run, as the peer."""
    release = checkout / "build" / "release"
    peer = Peer("before", release / "bench" / "renderer" / "bench_render", release / "chartwright")
    for program in (peer.renderer, peer.command):
        if not os.access(program, os.X_OK):
            raise RendererError(f"{program} is not there: run bench/render in {checkout} first")
    return peer


def charts(chosen: list[str]) -> list[pathlib.Path]:
    """Returns the charts of the repository that render text, or those with the given names."""
    found = sorted(path.parent for path in pathlib.Path().glob("charts/*/Chart.yaml"))
    found += sorted(path.parent for path in pathlib.Path().glob("test/charts/*/Chart.yaml"))
    return [c for c in found if (not chosen or c.name in chosen) and renders_text(c)]


def renders_text(chart: pathlib.Path) -> bool:
    """Reports whether a golden case of the chart has text, or the chart has no such case."""
    wanted = list(pathlib.Path("test/golden", chart.name).glob("*/want.yaml"))
    return not wanted or any(want.read_text(encoding="utf-8").strip() for want in wanted)


def values_of(chart: pathlib.Path) -> pathlib.Path | None:
    """Returns the values of the golden case "defaults", else of the first case without flags."""
    cases = sorted(pathlib.Path("test/golden", chart.name).glob("*/values.yaml"))
    usable = [
        case
        for case in cases
        if (case.parent / "want.yaml").exists() and not (case.parent / "flags").exists()
    ]
    usable.sort(key=lambda case: case.parent.name != "defaults")
    return usable[0] if usable else None


def measure(programs: dict, chart: pathlib.Path, rounds: int) -> Figures | None:
    """Measures a chart; returns None if it renders nothing, as a library does."""
    values = values_of(chart)
    sides = {side: Renderer(programs[side], chart, values) for side in _SIDES}
    if not same_texts(chart, sides):
        return None
    ratios, warm = {}, {}
    for work in GOALS:
        by_chance = work == "warm" and chart.name in BY_CHANCE
        timings = take_turns(sides, work, rounds * (_CHANCE_ROUNDS if by_chance else 1))
        ratios[work] = (ratio_of_means if by_chance else median_ratio)(timings)
        if work == "warm":
            warm = {side: [ns for t in timings[side] for ns in t.cpu] for side in _SIDES}
    memory = {side: sides[side].close() for side in _SIDES}
    shown = ", ".join(f"{work} {ratio:.1f}" for work, ratio in ratios.items())
    print(f"bench: {chart.name}: {shown}", file=sys.stderr, flush=True)
    return Figures(chart.name, ratios, warm, memory)


def median_ratio(timings: dict[str, list[Timing]]) -> float:
    """Returns the median ratio of the peer's time to ours, which ignores outliers."""
    rounds = zip(timings["ours"], timings["peer"], strict=True)
    return statistics.median(peer.mean / ours.mean for ours, peer in rounds)


def ratio_of_means(timings: dict[str, list[Timing]]) -> float:
    """Returns the ratio of the peer's mean time to ours over all rounds."""
    ours, peer = (sum(t.mean for t in timings[side]) for side in _SIDES)
    return peer / ours


def same_texts(chart: pathlib.Path, sides: dict[str, Renderer]) -> bool:
    """Reports whether there is output, which must be equal on both sides, cold and twice warm."""
    for work in ("cold", "warm", "warm", "encode"):
        ours, peers = (sides[side].text(work) for side in _SIDES)
        if ours != peers:
            raise RendererError(f"{chart}: the two sides differ in {work}: no times to compare")
        if not ours.strip():
            for side in sides.values():
                side.close()
            return False
    return True


def take_turns(sides: dict[str, Renderer], work: str, rounds: int) -> dict[str, list[Timing]]:
    """Times batches of a work, in turn; the first one only determines the size of the others."""
    counts = {}
    for side, renderer in sides.items():
        renderer.time(work, 1)
        mean = renderer.time(work, 2).mean
        counts[side] = max(1, min(_BATCH_MAX, int(_BATCH_NS / max(mean, 1))))
    timings: dict[str, list[Timing]] = {side: [] for side in sides}
    for _ in range(rounds):
        for side, renderer in sides.items():
            timings[side].append(renderer.time(work, counts[side]))
    return timings


def engine_goals(figures: list[Figures]) -> list[Goal]:
    """Returns the goals for the worst chart of each work, and for memory."""
    goals = []
    for work, least in GOALS.items():
        apart = _ELSEWHERE.get(work, set())
        worst = min((f for f in figures if f.chart not in apart), key=lambda f: f.ratios[work])
        goals.append(Goal(f"{work}, CPU time", worst.ratios[work], least, worst.chart))
    for figure in figures:
        if figure.chart in PRESCRIBED:
            what = f"warm, CPU time, {PRESCRIBED[figure.chart]}"
            goals.append(Goal(what, figure.ratios["warm"], 0.9, figure.chart))
        if figure.chart in FIRST_TIME:
            reason, least = FIRST_TIME[figure.chart]
            what = f"cold, CPU time, {reason}"
            goals.append(Goal(what, figure.ratios["cold"], least, figure.chart))
    worst = min(figures, key=lambda f: f.memory["peer"] / f.memory["ours"])
    ratio = worst.memory["peer"] / worst.memory["ours"]
    goals.append(Goal("peak memory", ratio, 1.0, worst.chart))
    return goals


def unchanged_goals(figures: list[Figures]) -> list[Goal]:
    """Returns goals for the mean over all charts without random times by work, and for memory."""
    steady = [f for f in figures if f.chart not in BY_CHANCE]
    where = f"{len(steady)} charts"
    goals = []
    for work in GOALS:
        mean = statistics.geometric_mean(f.ratios[work] for f in steady)
        goals.append(Goal(f"{work}, CPU time", mean, _BEFORE_GOAL, where))
    memory = statistics.geometric_mean(f.memory["peer"] / f.memory["ours"] for f in steady)
    goals.append(Goal("peak memory", memory, _BEFORE_GOAL, where))
    return goals


def process_goals(peer: pathlib.Path, count: int, least: float) -> list[Goal]:
    """Measures whole processes of `template` on a small chart, in turn."""
    launch = build.ours("bench_launch")
    commands = {"ours": default_binary(), "peer": peer}
    arguments = ["template", "release-name", _SMALL_CHART]
    runs: dict[str, list[Run]] = {side: [] for side in _SIDES}
    for _ in range(count):
        for side in _SIDES:
            runs[side].append(run(launch, [commands[side], *arguments]))

    def ratio(field: str, unit: str, scale: float) -> tuple[str, float]:
        ours, peers = (statistics.median(getattr(r, field) for r in runs[s]) for s in _SIDES)
        return f"{ours * scale:.1f} : {peers * scale:.1f} {unit}", peers / ours

    goals = []
    for what, field, unit, scale, goal in (
        ("wall time", "wall", "ms", 1000, least),
        ("CPU time", "cpu", "ms", 1000, least),
        ("peak memory", "memory", "MB", 1, min(least, _PROCESS_MEMORY_GOAL)),
    ):
        shown, times = ratio(field, unit, scale)
        name = f"process, {what} ({shown})"
        goals.append(Goal(name, times, goal, pathlib.Path(_SMALL_CHART).name))
    return goals


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/render",
        description="Renders every chart of the repository with the release libraries and with "
        "Helm's Go packages, in turn, and compares CPU times. Exit code 1 if a goal is missed.",
    )
    parser.add_argument("chart", nargs="*", help="names of charts; default: all")
    parser.add_argument("--rounds", type=int, default=5, help="batches of each work and side")
    parser.add_argument(
        "--before",
        type=pathlib.Path,
        metavar="CHECKOUT",
        help=(
            "instead of Helm, another checkout of the project: the mean of all charts may be 3 %%"
            " worse"
        ),
    )
    parser.add_argument("--processes", type=int, default=40, help="runs of each command")
    return parser.parse_args(arguments)
