# SPDX-License-Identifier: Apache-2.0
"""clang-tidy is not asked again about a source that was clean, and is about one that changed."""

import json
import sys

import pytest

from ci import scripts

# Finds fault with a source that contains "bad".
TIDY = """#!/bin/sh
[ "$1" = --version ] && { echo 14; exit 0; }
for last; do :; done
echo "$last" >> asked
! grep -H bad "$last"
"""


@pytest.fixture(name="tidy")
def fixture_tidy(tmp_path, monkeypatch):
    """The script, over a tree with one source and a clang-tidy that remembers what it was asked."""
    module = scripts.load("clang-tidy", monkeypatch)
    build = tmp_path / "build"
    build.mkdir()
    command = f"/usr/bin/ccache {sys.executable} fake.py -MD -MT a.o -MF a.d -o a.o -c {tmp_path}/a.cc"
    (build / "compile_commands.json").write_text(json.dumps([{"file": f"{tmp_path}/a.cc", "command": command}]))
    (build / "fake.py").write_text("import sys; print(sys.argv[1:], open(sys.argv[1]).read())")
    program = tmp_path / "clang-tidy"
    program.write_text(TIDY)
    program.chmod(0o755)
    (tmp_path / ".clang-tidy").write_text("Checks: x")
    (tmp_path / "a.cc").write_text("good")
    (tmp_path / "asked").touch()
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "BUILD", build)
    monkeypatch.setattr(module, "TIDY", str(program))
    monkeypatch.setenv("CHARTWRIGHT_CACHE", str(tmp_path / "cache"))
    return module


def asked(tidy) -> int:
    """Returns how often clang-tidy was asked."""
    return len((tidy.ROOT / "asked").read_text().splitlines())


def test_a_clean_source_is_looked_at_once(tidy):
    for _ in range(3):
        assert tidy.findings("a.cc", tidy.Clean.open(tidy.compile_commands())) == ""
    assert asked(tidy) == 1


@pytest.mark.parametrize("name", ["a.cc", ".clang-tidy"])
def test_a_change_is_looked_at(tidy, name):
    assert tidy.findings("a.cc", tidy.Clean.open(tidy.compile_commands())) == ""
    (tidy.ROOT / name).write_text("changed")
    assert tidy.findings("a.cc", tidy.Clean.open(tidy.compile_commands())) == ""
    assert asked(tidy) == 2


def test_a_finding_is_told_until_it_is_gone(tidy):
    (tidy.ROOT / "a.cc").write_text("bad")
    for _ in range(2):
        assert "bad" in tidy.findings("a.cc", tidy.Clean.open(tidy.compile_commands()))
    assert asked(tidy) == 2
    (tidy.ROOT / "a.cc").write_text("good")
    assert tidy.findings("a.cc", tidy.Clean.open(tidy.compile_commands())) == ""


def test_preprocessing_writes_no_file(tidy):
    command = "ccache c++ -I src -MD -MT a.o -MF a.o.d -o a.o -c a.cc".split()
    assert tidy.preprocessing(command) == ["c++", "-I", "src", "a.cc", "-E"]
