# SPDX-License-Identifier: Apache-2.0
"""The description of an attack: its chart, the command under attack, the expected outcome."""

import dataclasses
import pathlib
from collections.abc import Callable

CHART = "apiVersion: v2\nname: hostile\nversion: 0.1.0\n"
TEMPLATE = "templates/t.yaml"
# A render may build 512 MiB of values (base/budget.h), and growing a buffer copies it.
RSS_MIB = 1100


@dataclasses.dataclass(frozen=True)
class Vector:
    """One attack.

    `make` writes its files into an empty folder, where the command runs, and returns the path of
    the chart.
    """

    name: str
    make: Callable[[pathlib.Path], pathlib.Path]
    error: str | None  # A regular expression for the output; None: it renders and is harmless.
    output: str | None = None  # The rendered output, if relevant.
    arguments: tuple[str, ...] = ()
    cpu_seconds: float = 10
    rss_mib: int = RSS_MIB
    command: str = "template"
    code: int | None = None  # The exit code; default: 1 for an error, else 0.
    deadline_seconds: float | None = (
        None  # SIGTERM follows after this time, for commands without a time limit.
    )
    secret: str | None = None  # A string that must not be printed.
    defect: str | None = None  # The reason why the attack still succeeds.
    reconciled: bool = (
        False  # Also run with an operator, where only its own custom resource may fail.
    )

    @property
    def exit_code(self) -> int:
        """Returns the expected exit code."""
        return self.code if self.code is not None else int(self.error is not None)


@dataclasses.dataclass(frozen=True)
class Growth:
    """An attack by long input: twice the size may take little more than twice the time."""

    name: str
    text: Callable[[int], str]  # Returns hostile input of a size.
    # The template that reads the file `f`; or "values" or "schema" if the input is that file.
    reads: str
    size: int
    error: str | None = None  # See Vector.
    arguments: Callable[[str], tuple[str, ...]] = lambda _text: ()  # Returns flags with the input.
    defect: str | None = None

    def vector(self, times: int) -> Vector:
        """Returns the attack at a multiple of its size."""
        text = self.text(times * self.size)
        flags = self.arguments(text)
        whole = {"values": "values.yaml", "schema": "values.schema.json"}
        if self.reads in whole:
            files = {whole[self.reads]: text, TEMPLATE: "a: 1\n"}
        else:
            files = {"f": "" if flags else text, TEMPLATE: self.reads}
        return Vector(
            f"{times} x {self.name}", chart(files), self.error, arguments=flags, cpu_seconds=20
        )


def chart(files: dict[str, str | bytes]) -> Callable[[pathlib.Path], pathlib.Path]:
    """Returns a function that writes a chart folder with these files; Chart.yaml has a default."""

    def make(folder: pathlib.Path) -> pathlib.Path:
        for path, text in {"Chart.yaml": CHART, **files}.items():
            file = folder / "hostile" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder / "hostile"

    make.files = files
    return make


def template(name: str, text: str, error: str, **rest) -> Vector:
    """An attack by one template; the error must have its position."""
    values = rest.pop("values", "")
    make = chart({TEMPLATE: text, "values.yaml": values})
    return Vector(name, make, rf"hostile/templates/t\.yaml:\d+(:\d+)?.*{error}", **rest)


def values(name: str, text: str, error: str | None, **rest) -> Vector:
    """An attack by values.yaml."""
    return Vector(name, chart({"values.yaml": text, TEMPLATE: "a: 1\n"}), error, **rest)


def render(name: str, text: str, output: str | None = None, **rest) -> Vector:
    """An attack by one template without any effect."""
    if output is not None:
        output = f"---\n# Source: hostile/{TEMPLATE}\n{output}"
    return Vector(name, chart({TEMPLATE: text}), None, output=output, **rest)


def linted(name: str, files: dict[str, str | bytes], error: str | None, **rest) -> Vector:
    """An attack on `chartwright lint`; `error` is one of its findings or its final error."""
    return Vector(name, chart(files), error, command="lint", **rest)
