# SPDX-License-Identifier: Apache-2.0
"""Tables that Markdown understands."""

from collections.abc import Sequence


def print_cells(cells: Sequence[Sequence[str]]) -> None:
    """Prints rows of texts, of which the first is the head, in columns of one width each."""
    widths = [max(map(len, column)) for column in zip(*cells)]
    for number, row in enumerate(cells):
        print("| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
