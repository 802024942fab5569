# SPDX-License-Identifier: Apache-2.0
"""`chartwright test --watch`: what an edit runs again, and how a signal ends it."""

import queue
import signal
import subprocess
import threading

import pytest

from harness.operator import default_binary

SUITE = """suite: {name}
tests:
- it: has a size
  asserts:
  - equal: {{path: size, value: 1}}
"""
WAIT_SECONDS = 60


class Watching:
    """A run of the command, and its lines."""

    def __init__(self, folder, *arguments):
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(
            [str(default_binary()), "test", "--watch", *arguments, "chart"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)

    def run(self) -> str:
        """Returns what the next run prints."""
        text = ""
        while "\nTime:" not in text:
            text += self._lines.get(timeout=WAIT_SECONDS)
        return text

    def end(self, number: signal.Signals) -> int:
        """Returns the exit code after a signal."""
        self.process.send_signal(number)
        return self.process.wait(timeout=WAIT_SECONDS)


@pytest.fixture(name="chart")
def written_chart(tmp_path):
    """A chart with two suites."""
    chart = tmp_path / "chart"
    (chart / "templates").mkdir(parents=True)
    (chart / "tests").mkdir()
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 1.0.0\n")
    (chart / "templates/a.yaml").write_text("kind: A\nsize: 1\n")
    for name in ("first", "second"):
        (chart / f"tests/{name}_test.yaml").write_text(SUITE.format(name=name))
    return chart


@pytest.fixture(name="watching")
def started(chart):
    """The command, which has run all suites once."""
    watching = Watching(chart.parent)
    try:
        assert "Tests:       2 passed, 2 total" in watching.run()
        yield watching
    finally:
        watching.process.kill()
        watching.process.wait()
        watching.process.stdout.close()


def test_an_edit_runs_what_it_concerns(chart, watching):
    suite = chart / "tests/second_test.yaml"
    suite.write_text(SUITE.format(name="renamed"))
    text = watching.run()
    assert "Changed: chart/tests/second_test.yaml\n" in text
    assert " PASS  renamed" in text and "Tests:       1 passed, 1 total" in text
    (chart / "templates/a.yaml").write_text("kind: A\nsize: 2\n")
    text = watching.run()
    assert "Changed: chart/templates/a.yaml\n" in text
    assert "Tests:       2 failed, 0 passed, 2 total" in text
    assert watching.end(signal.SIGINT) == 1


def test_a_chart_that_is_broken_for_a_while_is_run_again(chart, watching):
    values = chart / "Chart.yaml"
    whole = values.read_text()
    values.write_text("apiVersion: v2\n")
    assert "### Error" in watching.run()
    values.write_text(whole)
    assert "Tests:       2 passed, 2 total" in watching.run()
    assert watching.end(signal.SIGTERM) == 0


def test_what_needs_a_run_of_all_suites_is_refused(chart):
    for flag in ("--output-file=x.xml", "--coverage", "--compat"):
        done = subprocess.run(
            [str(default_binary()), "test", "--watch", flag, str(chart)],
            capture_output=True,
            text=True,
            check=False,
            timeout=WAIT_SECONDS,
        )
        name = flag.partition("=")[0]
        assert done.returncode == 1
        assert (
            done.stderr.splitlines()[0]
            == f"Error: --watch cannot be used with {name}, which needs a run of all suites"
        )
