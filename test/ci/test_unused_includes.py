# SPDX-License-Identifier: Apache-2.0
"""A header that a source includes and does not need is named; one that it needs is not."""

import sys

import pytest

from harness.paths import REPOSITORY

HEADERS = {
    "a.h": "#pragma once\nint own();\n",
    "type.h": "#pragma once\nstruct Type {\n  int member;\n};\n",
    "function.h": "#pragma once\nint function();\n",
    "both.h": '#pragma once\n#include "room/type.h"\nType* both();\n',
}


@pytest.fixture(name="includes")
def fixture_includes(tmp_path, monkeypatch):
    """Returns a function that looks at src/room/a.cc with a text."""
    monkeypatch.syspath_prepend(str(REPOSITORY / ".ci"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = __import__("unused_includes")
    room = tmp_path / "src" / "room"
    room.mkdir(parents=True)
    for name, text in HEADERS.items():
        (room / name).write_text(text)

    def look(text: str) -> str:
        (room / "a.cc").write_text(text)
        command = ["clang++-14", "-std=c++20", "-I", str(tmp_path / "src"), str(room / "a.cc")]
        return module.unused_includes(command, tmp_path, tmp_path, "src/room/a.cc")

    return look


OWN = '#include "room/a.h"\n'


def test_a_header_that_nothing_needs_is_named(includes):
    text = OWN + '#include "room/function.h"\n#include "room/type.h"\nint own() { return 1; }\n'
    assert includes(text) == (
        'src/room/a.cc:2: #include "room/function.h" is not used\n'
        'src/room/a.cc:3: #include "room/type.h" is not used\n'
    )


@pytest.mark.parametrize(
    ("header", "use"),
    [
        ("function.h", "int own() { return function(); }"),
        ("type.h", "int own() { return Type{1}.member; }"),
        # A declaration would do; the source includes what it names.
        ("type.h", "int own(Type* t) { return t == nullptr; }"),
        ("both.h", "int own() { return both() == nullptr; }"),
    ],
)
def test_a_header_that_is_needed_is_not(includes, header, use):
    assert includes(f'{OWN}#include "room/{header}"\n{use}\n') == ""


def test_no_answer_is_a_finding(includes):
    assert "src/room/a.cc: no answer of" in includes(OWN + "int own() { return }\n")


def test_the_header_of_a_source_may_stand_alone(includes):
    assert includes(OWN + "int other() { return 1; }\n") == ""
