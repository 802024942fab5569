# SPDX-License-Identifier: Apache-2.0
"""Reads C++ source as far as the rules of tidy.py need it."""

import dataclasses
import functools
import json
import pathlib
import re
import subprocess
from collections.abc import Iterator

# A comment or a literal.
TOKEN = re.compile(
    r'R"(?P<d>[^ ()\\\t\v\f\n]*)\(.*?\)(?P=d)"'  # A raw string.
    r"|(?P<comment>//[^\n]*)|/\*.*?\*/"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'",  # Not a digit separator.
    re.DOTALL,
)


@functools.cache
def code_only(text: str) -> str:
    """Returns the C++ source with comments and literals blanked; every position stays the same."""
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def line_comments(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields line, column and text of each // comment."""
    line, counted = 1, 0
    for match in TOKEN.finditer(text):
        if match["comment"]:
            start = match.start()
            line, counted = line + text.count("\n", counted, start), start
            yield line, start - text.rfind("\n", 0, start), match["comment"].lstrip("/<")


def nested_ternaries(code: str) -> Iterator[int]:
    """Yields the offset of each `?` in an operand of another one.

    Arguments of a call are no operands.
    """
    # For each bracket that is open: whether a `?` precedes in the same expression.
    open_ternary = [False]
    for match in re.finditer(r"^\s*#.*|[?,;(){}\[\]]", code, re.MULTILINE):
        mark, start = match.group(), match.start()
        if mark == "?":
            if open_ternary[-1]:
                yield start
            open_ternary[-1] = True
        elif mark in (",", ";"):
            open_ternary[-1] = False
        elif mark in ("(", "{", "["):
            groups = mark == "(" and not re.search(
                r"[\w>\])]\s*$", code[max(0, start - 80) : start]
            )
            open_ternary.append(groups and open_ternary[-1])
        elif mark in (")", "}", "]") and len(open_ternary) > 1:
            open_ternary.pop()


@dataclasses.dataclass(frozen=True)
class Function:
    """A function or constructor that is declared or defined."""

    path: str
    line: int
    name: str
    parameters: int


def functions(root: pathlib.Path, files: list[str]) -> Iterator[Function]:
    """Yields the functions that ctags finds in these files, sorted by file."""
    if not files:
        return
    command = (
        "ctags",
        "--output-format=json",
        "--fields=+nS",
        "--kinds-c++=fp",
        "--languages=C++",
        "-o",
        "-",
        *files,
    )
    tags = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout
    for tag in map(json.loads, tags.splitlines()):
        yield Function(
            tag["path"], tag["line"], tag["name"], parameters_in(tag.get("signature", ""))
        )


@dataclasses.dataclass(frozen=True)
class Variable:
    """A variable that lives as long as the process or a thread, and that can change."""

    path: str
    line: int
    name: str


def mutable_globals(root: pathlib.Path, files: list[str]) -> Iterator[Variable]:
    """Yields the mutable variables of namespaces, and the static or thread-local ones of functions
    and classes.
    """
    if not files:
        return
    command = (
        "ctags",
        "--output-format=json",
        "--fields=+nK",
        "--kinds-c++=vlmx",
        "--languages=C++",
        "--sort=no",
        "-o",
        "-",
        *files,
    )
    tags = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout
    path, code, starts = "", "", [0]
    # All tags of a file follow each other.
    for tag in map(json.loads, tags.splitlines()):
        if tag["path"] != path:
            path = tag["path"]
            code = code_only((root / path).read_text(encoding="utf-8"))
            starts = [0, *(match.end() for match in re.finditer("\n", code))]
        declared = declaration_of(code, starts[tag["line"] - 1], tag["name"])
        lasting = re.search(r"\b(static|thread_local)\b", declared)
        # Tests are macros, whose bodies ctags takes for namespaces.
        everywhere = tag["kind"] in ("variable", "externvar") and path.startswith("src/")
        if (lasting or everywhere) and not is_constant(declared):
            yield Variable(path, tag["line"], tag["name"])


def declaration_of(code: str, line_start: int, name: str) -> str:
    """Returns what stands before the name that is declared in a line, from the end of the statement
    before.
    """
    named = re.compile(rf"\b{re.escape(name)}\b").search(code, line_start)
    end = named.start() if named else line_start
    start = max(code.rfind(mark, 0, end) for mark in ";{}") + 1
    declared = re.sub(
        r"^\s*#.*$|\b(public|private|protected):", "", code[start:end], flags=re.MULTILINE
    )
    # Template arguments from the inside out: a constant among them says nothing about the variable.
    while (plain := re.sub(r"<[^<>]*>", "", declared)) != declared:
        declared = plain
    return declared


def is_constant(declared: str) -> bool:
    """Reports whether a variable with these words before its name can not change, though what it
    points to may.
    """
    return bool(re.search(r"\bconstexpr\b|\bconst\b(?!.*\*)", declared, re.DOTALL))


def parameters_in(signature: str) -> int:
    """Returns the number of parameters of "(int a,std::map<A,B> b)"."""
    inside = signature[1 : signature.rfind(")")]
    while True:
        # Brackets from the inside out: the commas within are not between parameters.
        plain = re.sub(r"<[^<>()]*>|\([^<>()]*\)|\{[^{}]*\}", " ", inside)
        if plain == inside:
            return inside.count(",") + 1 if inside.strip() else 0
        inside = plain
