# SPDX-License-Identifier: Apache-2.0
"""The sizes of rooms are printed as a table; long functions are refused."""

import subprocess

import pytest

from ci import scripts


@pytest.fixture(name="rooms")
def fixture_rooms(monkeypatch):
    return scripts.load("rooms", monkeypatch)


@pytest.fixture(name="repository")
def fixture_repository(rooms, tmp_path, monkeypatch):
    """A repository with one room, of one function of two lines; `add` adds another file."""

    def add(name, lines):
        source = tmp_path / name
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("namespace a {\n\nint f() {\n" + "  g();\n" * (lines - 2) + "}\n\n}\n")
        subprocess.run(("git", "add", name), cwd=tmp_path, check=True)

    subprocess.run(("git", "init", "--quiet"), cwd=tmp_path, check=True)
    monkeypatch.setattr(rooms, "ROOT", tmp_path)
    add("src/base/a.cc", 2)
    return add


def test_each_room_has_a_row_and_all_together_have_one(rooms, repository, capsys):
    repository("src/base/b.cc", 12)
    repository("src/helm/funcs/c.cc", 4)
    assert rooms.main([]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "room        files  lines  functions  median  p95  longest",
        "base            2     22          2       7   12       12",
        "helm/funcs      1      8          1       4    -        4",
        "all             3     30          3       4   11       12",
    ]


def test_the_coverage_is_that_of_the_stage_asan(rooms, repository, capsys, monkeypatch):
    repository("src/helm/funcs/c.cc", 4)
    monkeypatch.setattr(rooms, "coverage", lambda: {"base": (9, 10)})
    assert rooms.main(["--coverage"]) == 0
    assert [line.split()[7:] for line in capsys.readouterr().out.splitlines()] == [
        ["coverage"],
        ["90.0", "%"],
        ["-"],
        ["90.0", "%"],
    ]


@pytest.mark.parametrize(
    ("lines", "told"), [(62, ""), (63, "src/base/a.cc:3: f has 63 lines; the limit is 62\n")]
)
def test_a_function_that_is_too_long_is_refused(rooms, repository, capsys, lines, told):
    repository("src/base/a.cc", lines)
    assert rooms.main([]) == (1 if told else 0)
    assert capsys.readouterr().err == told
