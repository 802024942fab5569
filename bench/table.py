# SPDX-License-Identifier: Apache-2.0
"""Markdown tables."""

from collections.abc import Sequence


def print_cells(cells: Sequence[Sequence[str]]) -> None:
    """Prints rows of cells in aligned columns; the first row is the header."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        padded = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        print("| " + " | ".join(padded) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
