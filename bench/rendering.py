# SPDX-License-Identifier: Apache-2.0
"""The command line of the rendering benchmark: us and a peer in turn on every chart, then ratios.

Ratios are of CPU time, which other processes of the machine disturb little; what disturbs it all
the same meets both sides, since they take turns within a fraction of a second.
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

# What is measured, and how many times faster than Helm it has to be on every chart.
GOALS = {"warm": 5.0, "cold": 3.0, "parse": 1.0, "encode": 1.0, "decode": 1.0}
# Charts whose time is what cryptography prescribes, on both sides: hashes that are slow on purpose,
# and the search for primes, which takes as long as chance has it.
PRESCRIBED = {"encoders": "bcrypt", "operatorkit": "RSA and DSA keys"}
# Where chance has it, only means over many rounds can be compared: one key may take five times as
# long as the next.
BY_CHANCE = {"operatorkit"}
_CHANCE_ROUNDS = 8
_SMALL_CHART = "charts/podset"
_PROCESS_GOAL = 5.0
# Beside an earlier build of ours: on the whole no slower than the error of measurement.
_BEFORE_GOAL = 0.97
_BATCH_NS = 30_000_000
_BATCH_MAX = 2000
_SIDES = ("ours", "peer")


@dataclasses.dataclass(frozen=True)
class Peer:
    """What we are measured beside: the program that renders, the command, and how they are called."""

    name: str
    renderer: pathlib.Path
    command: pathlib.Path


@dataclasses.dataclass(frozen=True)
class Figures:
    """A chart's ratios by work, its warm timings by side, and the peak memory by side."""

    chart: str
    ratios: dict[str, float]
    warm: dict[str, list[int]]
    memory: dict[str, float]

    def cells(self) -> tuple[str, ...]:
        """The texts of its line."""
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
    """A line of the verdict: how many times better than the peer we are, and have to be."""

    what: str
    ratio: float
    least: float
    where: str = ""

    def passes(self) -> bool:
        """Whether it is met."""
        return self.ratio >= self.least

    def cells(self) -> tuple[str, ...]:
        """The texts of the line."""
        verdict = "pass" if self.passes() else "FAIL"
        return self.what, f"{self.ratio:.2f}", self.where, f">= {self.least:g}", verdict


def percentile(values: list[int], share: float) -> int:
    """The value that the given share of all does not exceed."""
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
    """Helm, built here."""
    return Peer("Helm", build.helms(), build.helm_command())


def before(checkout: pathlib.Path) -> Peer:
    """Another checkout of the project, where bench/render has run and so has built it."""
    release = checkout / "build" / "release"
    peer = Peer("before", release / "bench" / "renderer" / "bench_render", release / "chartwright")
    for program in (peer.renderer, peer.command):
        if not os.access(program, os.X_OK):
            raise RendererError(f"{program} is not there: run bench/render in {checkout} first")
    return peer


def charts(chosen: list[str]) -> list[pathlib.Path]:
    """The charts of the repository, or those chosen of them by name."""
    found = sorted(path.parent for path in pathlib.Path().glob("charts/*/Chart.yaml"))
    found += sorted(path.parent for path in pathlib.Path().glob("test/charts/*/Chart.yaml"))
    return [chart for chart in found if not chosen or chart.name in chosen]


def values_of(chart: pathlib.Path) -> pathlib.Path | None:
    """The values of the chart's golden case "defaults", or of its first that needs no flags."""
    cases = sorted(pathlib.Path("test/golden", chart.name).glob("*/values.yaml"))
    usable = [
        case
        for case in cases
        if (case.parent / "want.yaml").exists() and not (case.parent / "flags").exists()
    ]
    usable.sort(key=lambda case: case.parent.name != "defaults")
    return usable[0] if usable else None


def measure(programs: dict, chart: pathlib.Path, rounds: int) -> Figures | None:
    """Measures a chart; None if there is nothing in it to render, as in a library."""
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
    """The peer's time to ours in the middle round: what disturbs one does not count."""
    rounds = zip(timings["ours"], timings["peer"])
    return statistics.median(peer.mean / ours.mean for ours, peer in rounds)


def ratio_of_means(timings: dict[str, list[Timing]]) -> float:
    """The peer's time to ours over all rounds."""
    ours, peer = (sum(t.mean for t in timings[side]) for side in _SIDES)
    return peer / ours


def same_texts(chart: pathlib.Path, sides: dict[str, Renderer]) -> bool:
    """Whether there is a text. Both sides must give the same one, cold, warm and warm again."""
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
    """Batches of a work, in turn; the first is not counted but tells how large the others are."""
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
    """The worst chart for each work, and for memory."""
    goals = []
    for work, least in GOALS.items():
        free = [f for f in figures if f.chart not in PRESCRIBED or work not in ("warm", "cold")]
        worst = min(free, key=lambda f: f.ratios[work])
        goals.append(Goal(f"{work}, CPU time", worst.ratios[work], least, worst.chart))
    for figure in figures:
        if figure.chart in PRESCRIBED:
            what = f"warm, CPU time, {PRESCRIBED[figure.chart]}"
            goals.append(Goal(what, figure.ratios["warm"], 0.9, figure.chart))
    worst = min(figures, key=lambda f: f.memory["peer"] / f.memory["ours"])
    ratio = worst.memory["peer"] / worst.memory["ours"]
    goals.append(Goal("peak memory", ratio, 1.0, worst.chart))
    return goals


def unchanged_goals(figures: list[Figures]) -> list[Goal]:
    """The mean of all charts for each work, but for time by chance, and for memory."""
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
    """Whole processes of `template`, in turn, on a small chart."""
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
    for what, field, unit, scale in (
        ("wall time", "wall", "ms", 1000),
        ("CPU time", "cpu", "ms", 1000),
        ("peak memory", "memory", "MB", 1),
    ):
        shown, times = ratio(field, unit, scale)
        name = f"process, {what} ({shown})"
        goals.append(Goal(name, times, least, pathlib.Path(_SMALL_CHART).name))
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
        help="instead of Helm, another checkout of the project: the mean of all charts may be 3 %% worse",
    )
    parser.add_argument("--processes", type=int, default=40, help="runs of each command")
    return parser.parse_args(arguments)
