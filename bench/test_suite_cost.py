# SPDX-License-Identifier: Apache-2.0
"""Tests that the comparison with helm-unittest sees what is equal, and what is not."""

from bench import suite_cost
from harness.paths import REPOSITORY

SUITES = REPOSITORY / "test" / "suites"


def test_the_suites_of_two_charts_are_equal(capsys):
    charts = [f"{SUITES}/documents/chart=tests/**/*_test.yaml", f"{SUITES}/assertions/chart"]
    assert suite_cost.main(charts) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[5] for row in rows] == ["yes", "yes"]
    assert all(int(row[3]) > 0 for row in rows)


def test_an_answer_that_differs_is_told(tmp_path, monkeypatch, capsys):
    binary = tmp_path / "chartwright"
    binary.write_text("#!/bin/sh\necho 'Tests:       1 passed, 1 total'\n")
    binary.chmod(0o755)
    monkeypatch.setattr(suite_cost, "default_binary", lambda: binary)
    assert suite_cost.main([f"{SUITES}/documents/chart"]) == 1
    assert " NO " in capsys.readouterr().out
