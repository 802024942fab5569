# SPDX-License-Identifier: Apache-2.0
"""Expectations come from Helm and Go and are the same on every machine.

They do not depend on the toolchain that built the oracle (test/oracle/run gives it a version that
no Go has), the time zone, the locale or the number of CPUs.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from harness.paths import REPOSITORY

CASES = REPOSITORY / "test" / "cases"
# An unusual machine.
ELSEWHERE = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "GOMAXPROCS": "1"}
# Cases whose answers depend on the order of Go maps, and why.
UNSTABLE = {"additional properties": "names two keys in the order of a Go map"}


def answered_by_default_helm(path: pathlib.Path) -> bool:
    """Reports whether the oracle of Helm 3.22 answers a case file."""
    head = path.read_text(encoding="utf-8", errors="surrogateescape").partition("\n===")[0]
    other = re.search(r"^# helm: (?!3\.22$)", head, re.MULTILINE)
    return (
        re.search(r"^# engine: (yaml|go|helm|kstatus|lint|plural)$", head, re.MULTILINE)
        and not other
    )


def cases_of(path: pathlib.Path) -> dict[str, str]:
    """Returns the cases of a file by title, and its header under an empty title."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    parts = re.split(r"^=== (.*)\n", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


@pytest.fixture(name="answered", scope="module")
def answer_all(tmp_path_factory):
    """A copy of all case files with new answers."""
    folder = tmp_path_factory.mktemp("cases")
    copies = {}
    for path in filter(answered_by_default_helm, sorted(CASES.rglob("*.txt"))):
        copies[path] = folder / "__".join(path.relative_to(CASES).parts)
        shutil.copy(path, copies[path])
    subprocess.run(
        [REPOSITORY / "test" / "oracle" / "run", "cases", *copies.values()],
        env={**os.environ, **ELSEWHERE},
        check=True,
    )
    return copies


def test_expectations_do_not_depend_on_the_machine(answered):
    """Every committed answer equals the oracle's answer on this machine."""
    assert len(answered) > 50, "the case files were not found"
    differing = []
    for path, copy in answered.items():
        committed, anew = cases_of(path), cases_of(copy)
        assert committed.keys() == anew.keys()
        differing += [
            f"{path.relative_to(CASES)}: {title or 'the head'}\n{anew[title]}"
            for title, text in committed.items()
            if text != anew[title] and title not in UNSTABLE
        ]
    assert not differing, "\n".join(differing)


def test_no_expectation_shows_the_go_that_built_the_oracle(answered):
    """Templates that print the version of Go print that of Helm's release."""
    shown = [path for path, copy in answered.items() if b"go0.0" in copy.read_bytes()]
    assert not shown
