# SPDX-License-Identifier: Apache-2.0
"""A room of which much depends, and that is covered too little, is refused."""

import pytest

from ci import scripts

SUMMARY = {
    "go": (19, 20),
    "tmpl": (95, 100),
    "helm/funcs": (1, 1),
    "release": (96, 100),
    "cmd": (1, 10),
}


@pytest.fixture(name="coverage")
def fixture_coverage(monkeypatch):
    """The script; `measured` replaces what it counts."""
    module = scripts.load("coverage", monkeypatch)
    module.measured = lambda rooms: monkeypatch.setattr(module, "measure", lambda: rooms)
    return module


def test_enough_is_accepted_and_other_rooms_are_free(coverage):
    coverage.measured(SUMMARY)
    assert coverage.main([]) == 0


@pytest.mark.parametrize("room", ["go", "tmpl", "helm/funcs", "release"])
def test_a_line_too_few_is_refused(coverage, capsys, room):
    coverage.measured({**SUMMARY, room: (949, 1000)})
    assert coverage.main([]) == 1
    assert (
        f"{room:12}  94.9 %  949 of 1000 lines  below the required 95 %" in capsys.readouterr().out
    )


def test_a_room_that_was_not_counted_is_refused(coverage, capsys):
    coverage.measured({room: counts for room, counts in SUMMARY.items() if room != "tmpl"})
    assert coverage.main([]) == 1
    assert "tmpl         was not counted" in capsys.readouterr().out


def test_nothing_counted_is_refused(coverage):
    coverage.measured({})
    assert coverage.main([]) == 1


def test_the_lines_of_a_report_are_added_up_by_room(coverage, tmp_path, monkeypatch):
    monkeypatch.setattr(coverage, "ROOT", tmp_path)
    for name in ("go/a.cc", "go/b.h", "helm/funcs/a.cc"):
        (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "src" / name).touch()

    def entry(name, covered, count):
        return {"filename": name, "summary": {"lines": {"covered": covered, "count": count}}}

    files = [
        entry("/x/src/go/a.cc", 1, 2),
        entry("./src/go/b.h", 3, 4),
        entry("src/../src/helm/funcs/a.cc", 5, 6),
        entry("/usr/src/go/vendored.h", 7, 8),
    ]
    assert coverage.by_room({"data": [{"files": files}]}) == {"go": (4, 6), "helm/funcs": (5, 6)}
