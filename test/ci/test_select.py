# SPDX-License-Identifier: Apache-2.0
"""Any test can be run by name, and a commit message that breaks the rules is refused."""

import subprocess

import pytest

from ci import scripts
from harness.paths import REPOSITORY

UNIT = ["yaml:yaml/quirks.txt", "tmpl:a break ends its loop"]
PYTHON = ["test/e2e/test_drift.py::test_a_deleted_child_comes_back"]


@pytest.fixture(name="select")
def load_select(monkeypatch):
    """Loads .ci/select as a module that knows these tests and runs none."""
    module = scripts.load("select", monkeypatch)
    monkeypatch.setattr(module, "unit_tests", lambda: UNIT)
    monkeypatch.setattr(module, "python_tests", lambda: PYTHON)
    monkeypatch.setattr(module, "build", lambda *_: True)
    return module


@pytest.mark.parametrize(
    "text, unit, cases, python",
    [
        ("ends its loop", UNIT[1:], [], []),
        ("quirks.txt", UNIT[:1], [], []),
        ("deleted_child", [], [], PYTHON),
        ("no test has this name", [], [], []),
    ],
)
def test_tests_are_found_by_part_of_their_name(select, text, unit, cases, python):
    found = select.select(text)
    assert found == select.Selection(tuple(unit), tuple(cases), tuple(python))


def test_a_case_is_found_by_its_title(select, tmp_path, monkeypatch):
    path = tmp_path / "test" / "cases" / "yaml" / "quirks.txt"
    path.parent.mkdir(parents=True)
    path.write_text("=== a tab is no indentation\n--- input\nx\n", encoding="utf-8")
    (path.parent / "untested.txt").write_text("=== a tab is no indentation\n", encoding="utf-8")
    monkeypatch.setattr(select, "ROOT", tmp_path)
    assert select.select("tab is no").cases == ("yaml/quirks.txt",)


def test_no_match_is_an_error(select, capsys):
    assert select.main(["no test has this name"]) == 2
    assert "no test's name contains 'no test has this name'" in capsys.readouterr().err


def test_a_failure_of_any_kind_counts(select, monkeypatch):
    ran = []
    monkeypatch.setattr(select, "ctest", lambda names, environment: ran.append(names) or False)
    monkeypatch.setattr(select, "pytest", lambda names: ran.append(names) or True)
    monkeypatch.setattr(select, "PYTHON_FOLDERS", ())
    assert not select.run(select.Selection((UNIT[1],), (), tuple(PYTHON)), "x")
    assert ran == [(UNIT[1],), tuple(PYTHON)]


@pytest.mark.parametrize(
    "message, fault",
    [
        ("base: Add a clock\n\nBecause.\n", None),
        ("base: Add a clock", None),
        ("# a comment\nbase: Add a clock\n", None),
        ("Merge branch 'x'\n", None),
        ("base: " + "A" * 67 + "\n", "at most 72"),
        ("Add a clock\n", "module: Imperative summary"),
        ("base: Add a clock.\n", "module: Imperative summary"),
        ("base: Add a clock\nBecause.\n", "not blank"),
    ],
)
def test_a_commit_message_is_checked(tmp_path, message, fault):
    path = tmp_path / "message"
    path.write_text(message, encoding="utf-8")
    done = subprocess.run(
        [REPOSITORY / ".ci" / "message", path], capture_output=True, text=True, check=False
    )
    assert done.returncode == (0 if fault is None else 1)
    assert (fault or "") in done.stdout
