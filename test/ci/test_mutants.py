# SPDX-License-Identifier: Apache-2.0
"""Each planted mistake still fits the sources, and names a program that there is."""

import subprocess

import pytest

from harness.paths import REPOSITORY

PATCHES = sorted((REPOSITORY / "test" / "mutants").glob("*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_mistake_fits_the_sources(patch):
    done = subprocess.run(
        ("git", "apply", "--check", str(patch)),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"make it anew: {done.stderr}"


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_mistake_names_the_program_that_catches_it(patch):
    lines = patch.read_text().splitlines()
    (named,) = (line for line in lines if line.startswith("Caught by: "))
    room, _, program = named.removeprefix("Caught by: ").rpartition("/")
    assert program in (REPOSITORY / "test" / room / "CMakeLists.txt").read_text()
