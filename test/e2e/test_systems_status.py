# SPDX-License-Identifier: Apache-2.0
"""SYSTEMS_STATUS.md lists every check once, and its states match the tests."""

import ast
import re

from harness.paths import REPOSITORY

DOCUMENT = REPOSITORY / "test" / "e2e" / "SYSTEMS_STATUS.md"
ROW = re.compile(r"^\| ([A-Z]{2}\d+) \| (.+?) \| (.+) \|$")
RANGE = re.compile(r"\b([A-Z]{2})1–\1(\d+)\b")
CHECK_OF_TEST = re.compile(r"test_([a-z]{2}\d+)_")


def rows() -> list[tuple[str, str]]:
    """Returns (check, state) of every row."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    return [(match[1], match[3]) for line in lines if (match := ROW.match(line))]


def checks_with_tests() -> dict[str, set[str]]:
    """Returns the test functions that are named after a check, by check."""
    found: dict[str, set[str]] = {}
    for path in (REPOSITORY / "test" / "e2e").glob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and (match := CHECK_OF_TEST.match(node.name)):
                found.setdefault(match[1].upper(), set()).add(node.name)
    return found


def test_every_check_has_one_row():
    ranges = RANGE.findall(DOCUMENT.read_text(encoding="utf-8"))
    assert [system for system, _ in ranges] == ["PS", "DV", "BS", "PT", "FM"]
    expected = [f"{system}{n}" for system, last in ranges for n in range(1, int(last) + 1)]
    assert [check for check, _ in rows()] == expected


def test_the_reached_checks_are_those_with_tests():
    existing = checks_with_tests()
    for check, state in rows():
        named = re.findall(r"`(test_\w+)`", state)
        word, _, rest = state.partition(": ")
        assert word in ("reached", "not reached"), check
        assert rest, f"{check}: what proves it, or what is missing?"
        assert set(named) == existing.get(check, set()), check
        assert (word == "reached") == bool(named), check
