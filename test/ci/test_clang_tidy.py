# SPDX-License-Identifier: Apache-2.0
"""clang-tidy is not asked again about a source that was clean, and is about one that changed."""

import json
import os
import subprocess
import sys

import pytest

from ci import scripts
from harness.paths import REPOSITORY

# Finds fault with a source that contains "bad".
TIDY = """#!/bin/sh
[ "$1" = --version ] && { echo 14; exit 0; }
for last; do :; done
echo "$last" >> asked
! grep -H bad "$last"
"""

# Finds no fault.
IWYU = """#!/bin/sh
for last; do :; done
echo "($last has correct #includes/fwd-decls)" >&2
"""


@pytest.fixture(name="tidy")
def fixture_tidy(tmp_path, monkeypatch):
    """The script, over a tree with one source and a clang-tidy that remembers what it was asked."""
    module = scripts.load("clang-tidy", monkeypatch)
    build = tmp_path / "build"
    build.mkdir()
    command = (
        f"/usr/bin/ccache {sys.executable} fake.py -MD -MT a.o -MF a.d -o a.o -c {tmp_path}/a.cc"
    )
    (build / "compile_commands.json").write_text(
        json.dumps([{"file": f"{tmp_path}/a.cc", "command": command}])
    )
    (build / "fake.py").write_text("import sys; print(sys.argv[1:], open(sys.argv[1]).read())")
    program = tmp_path / "clang-tidy"
    program.write_text(TIDY)
    program.chmod(0o755)
    includes = tmp_path / "include-what-you-use"
    includes.write_text(IWYU)
    includes.chmod(0o755)
    monkeypatch.setattr(module.unused_includes, "IWYU", str(includes))
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


def test_an_analysis_writes_no_file(tidy):
    command = [
        "ccache",
        "c++",
        "-I",
        "src",
        "-MD",
        "-MT",
        "a.o",
        "-MF",
        "a.o.d",
        "-o",
        "a.o",
        "-c",
        "a.cc",
    ]
    assert tidy.analysis(command) == ["c++", "-I", "src", "a.cc"]


@pytest.mark.parametrize(("lines", "refused"), [(70, False), (71, True)])
def test_a_function_that_is_too_long_is_refused(tmp_path, lines, refused):
    source = tmp_path / "a.cc"
    source.write_text("void g();\nvoid f() {\n" + "  g();\n" * (lines - 1) + "}\n")
    command = (
        "clang-tidy-14",
        f"--config-file={REPOSITORY}/.clang-tidy",
        "--quiet",
        str(source),
        "--",
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if refused else 0), done.stdout
    assert ("[readability-function-size" in done.stdout) == refused


HOUR = 3600
START = 1_700_000_000


@pytest.fixture(name="history")
def fixture_history(tmp_path, monkeypatch):
    """Returns the script, and a function that commits changes of files at an hour."""
    module = scripts.load("clang-tidy", monkeypatch)
    monkeypatch.setattr(module, "ROOT", tmp_path)

    def git(*arguments, hour=0):
        date = f"{START + hour * HOUR} +0000"
        identity = {
            f"GIT_{who}_{what}": "x@x"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        environment = {**os.environ, **identity, **dates, "GIT_CONFIG_GLOBAL": "/dev/null"}
        done = subprocess.run(
            ("git", *arguments),
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(hour, *names):
        for name in names:
            (tmp_path / name).write_text(str(hour))
        git("add", "--all")
        git("commit", "--message", "x", hour=hour)
        return git("rev-parse", "HEAD")

    git("init", "--quiet", "--initial-branch", "main")
    module.git, module.commit = git, commit
    return module


def recent(module, *files) -> list[str]:
    """Returns the sources that `--recent` chooses among `files`."""
    base = module.recent_base()
    return module.newest(module.chosen(list(files), base), base)


def test_a_fresh_clone_looks_at_the_last_day_of_commits_whenever_it_is_made(history):
    history.commit(0, "old.cc", "a.h", "a.cc")
    history.commit(30, "b.cc")
    history.git("update-ref", "refs/remotes/origin/main", history.commit(50, "a.h"))
    assert recent(history, "a.cc", "b.cc", "old.cc") == ["a.cc", "b.cc"]


def test_a_branch_looks_at_what_origin_main_lacks(history):
    history.commit(0, "old.cc")
    history.git("update-ref", "refs/remotes/origin/main", history.commit(99, "a.cc"))
    history.commit(100, "b.cc")
    assert recent(history, "a.cc", "b.cc", "old.cc") == ["b.cc"]


def test_the_newest_sources_are_looked_at_when_too_many_changed(history, monkeypatch):
    monkeypatch.setattr(history, "RECENT_MAX", 2)
    history.commit(0, "old.cc")
    history.commit(30, "a.cc")
    history.commit(31, "b.cc")
    history.commit(32, "c.cc")
    assert recent(history, "a.cc", "b.cc", "c.cc", "old.cc") == ["c.cc", "b.cc"]
    (history.ROOT / "a.h").write_text("not committed")
    assert recent(history, "a.cc", "b.cc", "c.cc", "old.cc") == ["a.cc", "c.cc"]


def test_a_young_history_is_looked_at_since_its_first_commit(history):
    history.commit(0, "old.cc")
    history.commit(1, "a.cc")
    assert recent(history, "a.cc", "old.cc") == ["a.cc"]
