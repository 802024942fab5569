# SPDX-License-Identifier: Apache-2.0
"""The console blocks of a page of the documentation: commands as a user copies them, and what they
print.
"""

import dataclasses
import pathlib
import re
import subprocess
from collections.abc import Callable

from harness.kube import WaitTimeout, wait_until
from harness.paths import REPOSITORY

BLOCK = re.compile(
    r"^(?:<!-- until: (?P<until>.*?) -->\n)?```console\n(?P<lines>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
# Times, ages, counts that grow, and the parts of names that the cluster makes up.
MADE_UP = "[bcdf-hj-np-tv-xz24-9]"
VOLATILE = (
    (re.compile(r"\b\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}\b"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "TIME"),
    (re.compile(r"\b\d+[smhd](\d+[smh])?\b"), "AGE"),
    (re.compile(r"\d+\+? restarts?"), "N restarts"),
    (re.compile(rf"-{MADE_UP}{{8,10}}(-{MADE_UP}{{5}})?\b"), "-HASH"),
    (re.compile(rf"(EndpointSlice/\S+)-{MADE_UP}{{5}}\b"), r"\1-HASH"),
    (re.compile(r"\bchartwright-[0-9a-f]{12}\b"), "chartwright-HASH"),
)
# A command that changes something runs once. The others are repeated until they print what is
# expected, since a cluster gets there by and by.
CHANGES = re.compile(r"kubectl (?!get|wait)|chartwright (pause|resume|rollback|reconcile|report)\b")


@dataclasses.dataclass
class Step:
    """A command of a page, the lines that the page says it prints, and words that are among them
    once what it asks about has happened.
    """

    command: str
    printed: list[str]
    until: tuple[str, ...] = ()

    def is_seen_in(self, lines: list[str]) -> bool:
        """Reports whether the lines have all words; a command that changes something need not."""
        text = "\n".join(lines)
        return bool(CHANGES.match(self.command)) or all(w in text for w in self.until)


def steps_in(text: str) -> list[Step]:
    """Returns the commands of a text, in order."""
    steps: list[Step] = []
    for block in BLOCK.finditer(text):
        for line in block["lines"].splitlines():
            if line.startswith("$ "):
                until = tuple((block["until"] or "").split("; "))
                steps.append(Step(line.removeprefix("$ "), [], until))
            elif line != "…":
                steps[-1].printed.append(line)
    return steps


def section(page: str, heading: str) -> str:
    """Returns the text from a heading to the next one of the second level."""
    text = "\n" + (REPOSITORY / page).read_text(encoding="utf-8")
    return text.partition(f"\n{heading}\n")[2].partition("\n## ")[0]


def words(line: str) -> list[str]:
    """Returns a line without the width of its columns, and without what no two runs share."""
    for volatile, name in VOLATILE:
        line = volatile.sub(name, line)
    return line.split()


@dataclasses.dataclass
class Terminal:
    """A shell in a folder, whose environment has the programs and the cluster of a test."""

    folder: pathlib.Path
    environment: dict[str, str]

    def __call__(self, command: str) -> subprocess.CompletedProcess:
        """Runs a command; what it prints and its errors are in `stdout`, as on a terminal."""
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )


def play(step: Step, terminal: Terminal, expected: Callable[[list[str]], bool]) -> list[str]:
    """Runs the command of a step until it prints what is expected. Returns the lines."""
    printed: list[str] = []

    def run() -> bool:
        printed[:] = terminal(step.command).stdout.splitlines()
        return expected(printed)

    if CHANGES.match(step.command):
        assert run(), "\n".join([f"$ {step.command}", *printed])
    else:
        try:
            wait_until(run, what=f"what the page has of: {step.command}")
        except WaitTimeout as error:
            raise AssertionError("\n".join([f"$ {step.command}", *printed])) from error
    return printed


def recorded(text: str, answers: list[list[str]]) -> str:
    """Returns a text whose commands, in order, print these lines."""
    remaining = iter(answers)

    def block(found: re.Match) -> str:
        until = f"<!-- until: {found['until']} -->\n" if found["until"] else ""
        lines = []
        for line in found["lines"].splitlines():
            if line.startswith("$ "):
                lines += [line, *next(remaining)]
        return f"{until}```console\n" + "\n".join(lines) + "\n```"

    return BLOCK.sub(block, text)
