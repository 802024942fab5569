# SPDX-License-Identifier: Apache-2.0
"""The table of sizes in docs/CONTRIBUTING.md follows the code, and keeps the coverage that was
measured; long functions are refused.
"""

import subprocess

import pytest

from ci import scripts

TEXT = "Before.\n\n{head}\n|---|\n{rows}\n\nAfter.\n"
OLD = ["base | 4 | 1000 | 30 | 4 | 20 | 43 | 95.7 %", "gone | 1 | 10 | 1 | 4 | 4 | 4 | 90.0 %"]


@pytest.fixture(name="rooms")
def fixture_rooms(monkeypatch):
    return scripts.load("rooms", monkeypatch)


def page(rooms, rows):
    return TEXT.format(head=rooms.HEAD, rows="\n".join(f"| {row} |" for row in rows))


def sizes(lines):
    return {"base": ["base", "5", str(lines), "31", "4", "20", "43"]}


def test_a_room_that_is_missing_gone_or_a_tenth_off_makes_the_table_stale(rooms):
    assert rooms.stale(page(rooms, OLD[:1]), sizes(1110)) == []
    assert rooms.stale(page(rooms, OLD[:1]), sizes(1120)) == ["base"]
    assert rooms.stale(page(rooms, OLD), sizes(1000)) == ["gone"]
    assert rooms.stale(page(rooms, OLD[1:]), sizes(1000)) == ["base", "gone"]


def test_an_update_keeps_the_text_around_the_table_and_the_coverage(rooms):
    new = rooms.updated(page(rooms, OLD), sizes(1120))
    assert "| base | 5 | 1120 | 31 | 4 | 20 | 43 | 95.7 % |\n\nAfter.\n" in new
    assert new.startswith("Before.\n\n| room |")
    assert rooms.stale(new, sizes(1120)) == []


def test_an_update_takes_coverage_that_was_measured_now(rooms):
    measured = {"base": [*sizes(1000)["base"], "97.0 %"]}
    assert rooms.documented(rooms.updated(page(rooms, OLD), measured))["base"][-1] == "97.0 %"


@pytest.mark.parametrize(
    ("lines", "told"), [(62, ""), (63, "src/base/a.cc:3: f has 63 lines; the limit is 62\n")]
)
def test_a_function_that_is_too_long_is_refused(rooms, tmp_path, monkeypatch, capsys, lines, told):
    source = tmp_path / "src" / "base" / "a.cc"
    source.parent.mkdir(parents=True)
    source.write_text("namespace a {\n\nint f() {\n" + "  g();\n" * (lines - 2) + "}\n\n}\n")
    (tmp_path / "page.md").write_text(page(rooms, []))
    for command in (("init", "--quiet"), ("add", "src")):
        subprocess.run(("git", *command), cwd=tmp_path, check=True)
    monkeypatch.setattr(rooms, "ROOT", tmp_path)
    monkeypatch.setattr(rooms, "PAGE", tmp_path / "page.md")
    assert rooms.main(["--update"]) == (1 if told else 0)
    assert capsys.readouterr().err == told
