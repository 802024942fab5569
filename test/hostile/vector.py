# SPDX-License-Identifier: Apache-2.0
"""What an attack is: how its chart is made, which command meets it, and what must come of it."""

import dataclasses
import pathlib
from collections.abc import Callable

CHART = "apiVersion: v2\nname: hostile\nversion: 0.1.0\n"
TEMPLATE = "templates/t.yaml"
# A render may build 512 MiB of values (base/budget.h), and a buffer that grows is copied into a larger one.
RSS_MIB = 1100


@dataclasses.dataclass(frozen=True)
class Vector:
    """One attack. `make` writes what it needs into an empty folder, where the command runs, and returns the chart."""

    name: str
    make: Callable[[pathlib.Path], pathlib.Path]
    error: str | None  # A regular expression for what is printed; None: it renders, harmlessly.
    output: str | None = None  # What it renders to, where that is of interest.
    arguments: tuple[str, ...] = ()
    cpu_seconds: float = 10
    rss_mib: int = RSS_MIB
    command: str = "template"
    code: int | None = None  # The exit code, where it is not 1 for an error and else 0.
    deadline_seconds: float | None = None  # After which SIGTERM ends what may take as long as it likes.
    secret: str | None = None  # What must not be printed.
    defect: str | None = None  # Why the attack succeeds today.
    reconciled: bool = False  # An operator meets it, too: it fails its own custom resource and nothing else.

    @property
    def exit_code(self) -> int:
        """The expected exit code."""
        return self.code if self.code is not None else int(self.error is not None)


@dataclasses.dataclass(frozen=True)
class Growth:
    """An attack by length: twice the size may take little more than twice the time."""

    name: str
    text: Callable[[int], str]  # The hostile text of a size.
    reads: str  # The template that reads the file `f`, or "values", "schema": the text is that file.
    size: int
    error: str | None = None  # As in a Vector.
    arguments: Callable[[str], tuple[str, ...]] = lambda _text: ()  # Flags made of the text.
    defect: str | None = None

    def vector(self, times: int) -> Vector:
        """The attack at a multiple of its size."""
        text = self.text(times * self.size)
        flags = self.arguments(text)
        whole = {"values": "values.yaml", "schema": "values.schema.json"}
        if self.reads in whole:
            files = {whole[self.reads]: text, TEMPLATE: "a: 1\n"}
        else:
            files = {"f": "" if flags else text, TEMPLATE: self.reads}
        return Vector(f"{times} x {self.name}", chart(files), self.error, arguments=flags, cpu_seconds=20)


def chart(files: dict[str, str | bytes]) -> Callable[[pathlib.Path], pathlib.Path]:
    """Makes a chart folder of texts by path; Chart.yaml is there unless given."""

    def make(folder: pathlib.Path) -> pathlib.Path:
        for path, text in {"Chart.yaml": CHART, **files}.items():
            file = folder / "hostile" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder / "hostile"

    make.files = files
    return make


def template(name: str, text: str, error: str, **rest) -> Vector:
    """An attack by one template; the error must name its place."""
    values = rest.pop("values", "")
    make = chart({TEMPLATE: text, "values.yaml": values})
    return Vector(name, make, rf"hostile/templates/t\.yaml:\d+(:\d+)?.*{error}", **rest)


def values(name: str, text: str, error: str | None, **rest) -> Vector:
    """An attack by values.yaml."""
    return Vector(name, chart({"values.yaml": text, TEMPLATE: "a: 1\n"}), error, **rest)


def render(name: str, text: str, output: str | None = None, **rest) -> Vector:
    """An attack by one template that finds nothing to attack."""
    if output is not None:
        output = f"---\n# Source: hostile/{TEMPLATE}\n{output}"
    return Vector(name, chart({TEMPLATE: text}), None, output=output, **rest)


def linted(name: str, files: dict[str, str | bytes], error: str | None, **rest) -> Vector:
    """An attack on `chartwright lint`; the error is one of its findings, or what it ends with."""
    return Vector(name, chart(files), error, command="lint", **rest)
