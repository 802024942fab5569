# SPDX-License-Identifier: Apache-2.0
"""What an attack is: how its chart is made, how it is rendered, and what must come of it."""

import dataclasses
import pathlib
from collections.abc import Callable

CHART = "apiVersion: v2\nname: hostile\nversion: 0.1.0\n"
TEMPLATE = "templates/t.yaml"
# A render may build 512 MiB of values (tmpl/budget.h), and a buffer that grows is copied into a larger one.
RSS_MIB = 1100


@dataclasses.dataclass(frozen=True)
class Vector:
    """One attack. `make` writes the chart into an empty folder and returns the path to render."""

    name: str
    make: Callable[[pathlib.Path], pathlib.Path]
    error: str | None  # A regular expression for standard error; None: it renders, harmlessly.
    output: str | None = None  # What it renders to, where that is of interest.
    arguments: tuple[str, ...] = ()
    cpu_seconds: float = 10
    rss_mib: int = RSS_MIB


def chart(files: dict[str, str]) -> Callable[[pathlib.Path], pathlib.Path]:
    """Makes a chart folder of texts by path; Chart.yaml is there unless given."""

    def make(folder: pathlib.Path) -> pathlib.Path:
        for path, text in {"Chart.yaml": CHART, **files}.items():
            file = folder / "hostile" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return folder / "hostile"

    return make


def template(name: str, text: str, error: str, **rest) -> Vector:
    """An attack by one template; the error must name its place."""
    values = rest.pop("values", "")
    make = chart({TEMPLATE: text, "values.yaml": values})
    return Vector(name, make, rf"hostile/templates/t\.yaml:\d+(:\d+)?.*{error}", **rest)


def values(name: str, text: str, error: str | None, **rest) -> Vector:
    """An attack by values.yaml."""
    return Vector(name, chart({"values.yaml": text, TEMPLATE: "a: 1\n"}), error, **rest)
