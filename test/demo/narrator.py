# SPDX-License-Identifier: Apache-2.0
"""The output of the demo: titles, commands with their output, verified claims."""

import os
import shlex
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TextIO

_WIDTH = 100
_BOLD, _DIM, _GREEN, _RED = "1", "2", "32", "31"


class Narrator:
    """Writes to a stream, with colour only on a terminal and if NO_COLOR is not set."""

    def __init__(self, stream: TextIO | None = None):
        self._stream = stream or sys.stdout
        self._colour = self._stream.isatty() and not os.environ.get("NO_COLOR")

    def title(self, number: int, total: int, text: str) -> None:
        """Prints the title of a step."""
        self._line(self._paint(_BOLD, f"\n[{number}/{total}] {text}"))

    def say(self, text: str) -> None:
        """Prints an explanation."""
        self._line(textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  "))

    def command(self, words: Sequence[str], output: str = "") -> None:
        """Prints a command as a user would type it, and its output."""
        self._line(self._paint(_BOLD, "  $ " + shlex.join(words)))
        for line in output.rstrip().splitlines():
            self._line(self._paint(_DIM, "    " + line))

    def table(self, rows: Iterable[Iterable[object]]) -> None:
        """Prints rows of cells in columns."""
        texts = [[str(cell) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        for row in texts:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self._line(self._paint(_DIM, "    " + "  ".join(cells).rstrip()))

    def verified(self, claim: str) -> None:
        """Prints a claim that was verified."""
        self._line(self._paint(_GREEN, "  ok: ") + claim)

    def end(self, text: str) -> None:
        """Prints the end of the demo or of a part of it."""
        self._line("\n" + self._paint(_BOLD, text))

    def failed(self, text: str) -> None:
        """Prints a failure."""
        self._line(self._paint(_RED, text))

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text

    def _line(self, text: str) -> None:
        print(text, file=self._stream, flush=True)
