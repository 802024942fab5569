# SPDX-License-Identifier: Apache-2.0
"""The reference lists the metrics of a real scrape; CW_WRITE_DOCS=1 writes the list."""

import dataclasses
import os

from e2e import meters
from e2e.custom_resource import WIDGET
from harness.paths import REPOSITORY

DOCUMENT = REPOSITORY / "docs" / "reference" / "reference.md"
BEGIN, END = "<!-- metrics -->\n", "<!-- end -->"


@dataclasses.dataclass
class Family:
    """A metric: type, help, and the names of all labels of its series."""

    type: str = ""
    help: str = ""
    labels: set[str] = dataclasses.field(default_factory=set)


def families(exposition: str) -> dict[str, Family]:
    """Returns the metrics of an exposition by name."""
    found: dict[str, Family] = {}
    current = Family()
    for line in exposition.splitlines():
        if line.startswith(("# HELP ", "# TYPE ")):
            _, keyword, name, rest = line.split(" ", 3)
            current = found.setdefault(name, Family())
            setattr(current, keyword.lower(), rest)
        else:
            current.labels.update(meters.labels_of(line))
    for family in found.values():
        if family.type == "histogram":
            family.labels.discard("le")
    return found


def table(metrics: dict[str, Family]) -> str:
    """Returns the metrics as Markdown, sorted by name."""
    rows = ["| metric | type | labels | help |", "|---|---|---|---|"]
    for name, family in sorted(metrics.items()):
        labels = ", ".join(f"`{label}`" for label in sorted(family.labels))
        rows.append(f"| `{name}` | {family.type} | {labels} | {family.help} |")
    return "\n" + "\n".join(rows) + "\n\n"


def test_the_reference_lists_the_metrics_of_a_scrape(widgets, declare):
    declare(WIDGET, "one").create().wait_ready()
    scraped = table(families(widgets.exposition()))
    text = DOCUMENT.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    listed, end, after = rest.partition(END)
    assert begin and end
    if os.environ.get("CW_WRITE_DOCS") and not os.environ.get("CI"):
        DOCUMENT.write_text(before + begin + scraped + end + after, encoding="utf-8")
    else:
        assert listed == scraped, "docs/reference/reference.md is out of date: run `make reference`"
