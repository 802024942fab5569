# SPDX-License-Identifier: Apache-2.0
"""deploy/integrations, judged by the tools that it is for: the Go tests of this folder."""

import json
import pathlib
import re
import subprocess

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
NAMES = [
    name
    for path in sorted(FOLDER.glob("*_test.go"))
    for name in re.findall(r"^func (Test\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.fixture(scope="module", name="outcomes")
def run_go_tests() -> dict[str, tuple[str, str]]:
    """The outcome and the output of each test by its name; those of "" are about all."""
    command = (FOLDER / "run", "-json", "-count=1")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = {"": ("", done.stderr)}
    for line in filter(lambda text: text.startswith("{"), done.stdout.splitlines()):
        event = json.loads(line)
        name = event.get("Test", "")
        outcome, output = found.get(name, ("", ""))
        if event["Action"] in ("pass", "fail", "skip"):
            outcome = event["Action"]
        found[name] = (outcome, output + event.get("Output", ""))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_judge(outcomes, name):
    """One of the Go tests has passed."""
    outcome, output = outcomes.get(name, ("", outcomes[""][1]))
    assert outcome == "pass", output
