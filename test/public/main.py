# SPDX-License-Identifier: Apache-2.0
"""The command line of test/public/run, and the table of what became of each chart."""

import argparse
import json
import pathlib
import tempfile
import time

from harness.cluster import Cluster
from public.trial import Trial


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run charts as operators, beside Helm.")
    parser.add_argument("charts", nargs="+", type=pathlib.Path, help="folder of a chart")
    parser.add_argument("--report", type=pathlib.Path, help="file for one JSON object per chart")
    return parser.parse_args()


def outcome(result: dict) -> str:
    """Returns the group of the summary that a chart belongs to."""
    if "template" in result:
        return "does not render with its defaults"
    helm, ours = result["helm"] == "ok", result.get("installed") == "ok"
    if helm and ours:
        same = result["upgraded"] in ("ok", "-") or result["helm_upgrade"] != "ok"
        good = not result["unrepaired"] and same and result.get("deleted")
        return "installed by both, repaired, upgraded, deleted" if good else "installed, but…"
    if not helm and not ours:
        return "refused by both"
    return "refused here alone" if helm else "refused by Helm alone"


def upgrade_of(result: dict) -> str:
    """Returns what became of the upgrade of a value, beside Helm's."""
    ours = result.get("upgraded", "-")
    if ours in ("ok", "-"):
        return ours
    return "fails" if result["helm_upgrade"] == "ok" else "fails with Helm, too"


def row(chart: pathlib.Path, result: dict) -> str:
    """Returns the row of a chart in the table."""
    if "template" in result:
        return f"| {chart.name} | does not render | | | | | {result['template'][:120]} |"
    repaired = result.get("changed", 0) - len(result.get("unrepaired", []))
    note = result.get("error") or "; ".join(result.get("warnings", []))
    if upgrade_of(result).startswith("fails"):
        note = f"upgrade: {result['upgraded']}"
    if result["helm"] != "ok":
        note = f"Helm: {result['helm'][:120]}; here: {note}"
    cells = (
        chart.name,
        "ok" if result["helm"] == "ok" else "fails",
        result.get("installed", "fails"),
        f"{repaired}/{result.get('changed', 0)}",
        upgrade_of(result),
        "ok" if result.get("deleted") else "-",
        note[:300].replace("|", "\\|").replace("\n", " "),
    )
    return f"| {' | '.join(cells)} |"


def main() -> int:
    options = arguments()
    totals: dict[str, int] = {}
    print("| chart | helm install | here | fields repaired | upgrade | deletion | note |")
    print("|---|---|---|---|---|---|---|")
    with Cluster.start() as cluster:
        for number, chart in enumerate(options.charts):
            started = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="chartwright-public-") as folder:
                result = Trial(cluster, chart, number, pathlib.Path(folder)).run()
            print(row(chart, result), flush=True)
            group = outcome(result)
            totals[group] = totals.get(group, 0) + 1
            if options.report:
                seconds = round(time.monotonic() - started, 1)
                line = json.dumps({"chart": str(chart), "seconds": seconds, **result})
                with options.report.open("a", encoding="utf-8") as out:
                    out.write(line + "\n")
    print()
    for group, count in sorted(totals.items(), key=lambda item: -item[1]):
        print(f"{count:4} {group}")
    alone = ("refused here alone", "installed, but…")
    return 1 if any(group in totals for group in alone) else 0
