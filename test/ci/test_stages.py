# SPDX-License-Identifier: Apache-2.0
"""CI counts correctly: its stages print what the reports say, and zero tests are a failure."""

import math
import pathlib
import subprocess
import sys
import time

import pytest

from ci import scripts

AMPLE = 300
JUNIT = """<?xml version="1.0"?>
<testsuite name="x" tests="3" failures="1" disabled="0" skipped="1">
  <testcase name="a" classname="a" time="0" status="run"/>
  <testcase name="b" classname="b" time="0" status="fail">
    <failure message="expected 1"/>
  </testcase>
  <testcase name="c" classname="c" time="0" status="notrun"><skipped message="x"/></testcase>
</testsuite>"""
PYTEST = """<?xml version="1.0"?>
<testsuites><testsuite errors="1" failures="0" skipped="0" tests="2">
  <testcase classname="t" name="good" time="0"/>
  <testcase classname="t" name="bad" time="0"><error message="setup"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture(name="ci")
def load_ci(tmp_path, monkeypatch):
    """Loads .ci/stages as a module that writes its reports into a folder of the test."""
    module = scripts.load("stages", monkeypatch)
    monkeypatch.setattr(module, "REPORTS", tmp_path)
    return module


def stage(ci, text, code=0):
    """Returns a stage whose command writes `text` as its report and exits with `code`."""
    path = str(ci.REPORTS / "report.xml")
    program = f"import pathlib, sys; pathlib.Path({path!r}).write_text({text!r}); sys.exit({code})"
    return ci.Stage("name", "what", ((sys.executable, "-c", program),), "report.xml")


@pytest.mark.parametrize("text, counts", [(JUNIT, (1, 1, 1)), (PYTEST, (1, 1, 0)), ("", (0, 0, 0))])
def test_reports_are_counted(ci, tmp_path, text, counts):
    report = tmp_path / "report.xml"
    report.write_text(text)
    counted = ci.count(report)
    assert (counted.passed, counted.failed, counted.skipped) == counts


def test_reports_of_test_programs_are_counted(ci, tmp_path):
    (tmp_path / "programs").write_text("a_test\nb_test\nc_test\nd_test\n")
    (tmp_path / "a_test.txt").write_text("\nPassed all 26 test cases with 136 assertions.\n\n")
    (tmp_path / "b_test.txt").write_text(
        "x.cc:1: failed: 1 == 2\nFailed 3 test cases, failed 4 assertions.\n"
    )
    (tmp_path / "c_test.txt").write_text("Passed both 2 test cases with 3 assertions.\nit aborted")
    (tmp_path / "former_test.txt").write_text("Passed 1 test case with 1 assertion.\n")
    assert ci.count(tmp_path) == ci.Count(passed=26, failed=3)


def test_the_tests_of_one_room_are_built_run_and_counted_alone(ci, tmp_path):
    [unit] = [one for one in ci.stages("helm/funcs") if one.name == "unit"]
    build = " ".join(unit.commands[-1])
    assert "--preset dev --target helm_funcs_test_passed --" in build
    assert unit.report.name == "helm_funcs_test.txt"
    (tmp_path / "a_test.txt").write_text("Passed all 26 test cases with 136 assertions.\n")
    assert ci.count(tmp_path / "a_test.txt") == ci.Count(passed=26)
    assert ci.count(tmp_path / "b_test.txt") == ci.Count()


def test_a_room_without_tests_is_refused_with_those_that_have_some(ci, capsys):
    with pytest.raises(SystemExit):
        ci.parse(["--room", "helm/func", "unit"])
    told = capsys.readouterr().err
    assert "no tests of a room 'helm/func'; rooms: apiserver, archive, " in told
    assert " helm/funcs, " in told


def test_a_stage_succeeds_with_its_commands(ci):
    succeeded, counted = ci.run_stage(stage(ci, PYTEST), time.monotonic() + AMPLE)
    assert succeeded and counted.passed == 1


def test_a_stage_fails_with_a_command_and_names_the_test(ci, capfd):
    succeeded, counted = ci.run_stage(stage(ci, JUNIT, code=8), time.monotonic() + AMPLE)
    assert not succeeded and counted.failed == 1
    assert "-- FAILED: b: b\n" in capfd.readouterr().out


def test_the_unit_tests_run_once_by_default_and_a_named_stage_always(ci):
    usual = [one.name for one in ci.stages() if ci.is_chosen(one, [])]
    assert "asan" in usual and "unit" not in usual
    assert [one.name for one in ci.stages() if ci.is_chosen(one, ["unit"])] == ["unit"]


def test_clang_tidy_looks_at_what_is_new_unless_a_commit_is_named(ci, monkeypatch):
    monkeypatch.delenv("BASE", raising=False)
    commands = {one.name: one.commands for one in ci.stages()}
    assert commands["clang-tidy"] == ((".ci/clang-tidy", "--recent"),)
    monkeypatch.setenv("BASE", "v1")
    commands = {one.name: one.commands for one in ci.stages()}
    assert commands["clang-tidy"] == ((".ci/clang-tidy", "--since", "v1"),)


def test_a_stage_without_a_test_fails(ci, capfd):
    succeeded, _ = ci.run_stage(stage(ci, "<testsuite/>"), time.monotonic() + AMPLE)
    assert not succeeded
    assert "no test ran" in capfd.readouterr().out


def test_a_report_of_an_earlier_run_does_not_count(ci):
    (ci.REPORTS / "report.xml").write_text(PYTEST)
    silent = ci.Stage("name", "what", ((sys.executable, "-c", ""),), "report.xml")
    succeeded, counted = ci.run_stage(silent, time.monotonic() + AMPLE)
    assert not succeeded and counted.passed == 0


HANGS = """
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path({pids!r}).write_text(f"{{os.getpid()}} {{child.pid}}")
while True:
    try:
        time.sleep(600)
    except KeyboardInterrupt:
        pass
"""


def alive(pid):
    """Reports whether a process runs; one that ended and waits for its parent does not."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_command_that_hangs_is_ended_with_its_children(ci, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(ci, "INTERRUPT_PATIENCE_SECONDS", 0.1)
    pids = tmp_path / "pids"
    command = (sys.executable, "-c", HANGS.format(pids=str(pids)))
    patience = 1
    while not ci.run(command, time.monotonic() + patience) and not pids.exists():
        patience *= 2  # a busy machine: it was ended before it had started
    assert "out of time, ended: " in capfd.readouterr().out
    assert not any(alive(pid) for pid in pids.read_text("ascii").split())


def test_a_run_has_a_limit_if_asked(ci, monkeypatch):
    deadlines = []
    one = stage(ci, PYTEST)
    monkeypatch.setattr(ci, "stages", lambda *_room: (one,))
    monkeypatch.setattr(
        ci, "run_stage", lambda _, deadline: deadlines.append(deadline) or (True, ci.Count(1))
    )
    began = time.monotonic()
    assert ci.main([]) == 0 and ci.main(["--limit", "2"]) == 0
    assert deadlines[0] == math.inf
    assert began + 120 <= deadlines[1] <= time.monotonic() + 120


def test_a_command_without_a_deadline_runs(ci, tmp_path):
    assert ci.run(("touch", str(tmp_path / "ran")), math.inf)
    assert (tmp_path / "ran").exists()


def test_test_programs_that_passed_run_again(ci, tmp_path, monkeypatch):
    monkeypatch.setattr(ci, "ROOT", tmp_path)
    folder = tmp_path / "build" / "asan" / "tested"
    folder.mkdir(parents=True)
    for name in ("a_test.passed", "a_test.txt", "data", "programs"):
        (folder / name).touch()
    subprocess.run(ci.forget("asan"), check=True)
    assert sorted(path.name for path in folder.iterdir()) == ["data", "programs"]


def test_no_command_starts_after_the_deadline(ci, tmp_path, capfd):
    assert not ci.run(("touch", str(tmp_path / "ran")), time.monotonic() - 1)
    assert not (tmp_path / "ran").exists()
    assert "no time left for: touch" in capfd.readouterr().out


def test_a_python_test_that_hangs_fails_with_its_name(ci, tmp_path, monkeypatch):
    monkeypatch.setattr(ci, "PYTHON_TEST_SECONDS", 1)
    test = tmp_path / "test_it.py"
    test.write_text(
        "import threading\n\ndef test_waits():\n    threading.Event().wait()\n\ndef test_after():\n"
        "    pass\n"
    )
    assert not ci.run(ci.pytest("report.xml", str(test)), time.monotonic() + AMPLE)
    counted = ci.count(tmp_path / "report.xml")
    assert (counted.passed, counted.failed) == (1, 1)


def test_the_last_line_is_the_sum(ci, capfd, monkeypatch):
    monkeypatch.setattr(ci, "stages", lambda *_room: (stage(ci, PYTEST), stage(ci, JUNIT, code=8)))
    assert ci.main([]) == 1
    assert capfd.readouterr().out.splitlines()[-1] == "2 passed, 2 failed, 1 skipped"


def test_an_unknown_stage_is_refused(ci, capfd):
    with pytest.raises(SystemExit) as ended:
        ci.main(["nonsense"])
    assert ended.value.code == 2
    assert "no stage nonsense" in capfd.readouterr().err
