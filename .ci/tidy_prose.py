# SPDX-License-Identifier: Apache-2.0
"""Finds comments, docstrings and paragraphs, and expressions in them that are hard to read."""

import ast
import dataclasses
import io
import re
import tokenize
from collections.abc import Iterator

from tidy_cpp import line_comments


@dataclasses.dataclass(frozen=True)
class Prose:
    """A comment, docstring or paragraph; its text keeps the line breaks."""

    line: int
    text: str


@dataclasses.dataclass(frozen=True)
class Advice:
    pattern: re.Pattern[str]
    instead: str


ADVICE = [
    Advice(
        re.compile(r"(?:\A|(?<=[.!?])\s+)(?P<words>What\s)(?![^.!]*\?)"),
        'a noun phrase: "The fields that …", or a question',
    ),
    Advice(re.compile(r"\btold\s+apart\b", re.IGNORECASE), '"distinguished"'),
    Advice(
        re.compile(r"\btells?\s+(?:\w+\s+){1,3}apart\b", re.IGNORECASE),
        '"identifies", "distinguishes"',
    ),
    Advice(
        re.compile(
            r"\b(?<!there )is\s+no\s+"
            r"(?!longer\b|more\b|less\b|other\b|way\b|need\b|such\b|better\b|worse\b|\w+er\b)",
            re.IGNORECASE,
        ),
        '"is not a …"',
    ),
    Advice(re.compile(r"\bof\s+late\b", re.IGNORECASE), '"recently"'),
    Advice(
        re.compile(r"(?<!here )(?<!here\n)\bis\s+none\b"),
        '"is not one", "is not a …", or "there is none"',
    ),
    Advice(
        re.compile(r"\bthat\s+(?:is|are)\s+no\s+(?!longer\b)", re.IGNORECASE),
        '"that is not a …", "that are not …"',
    ),
    Advice(re.compile(r"\bwhoever\b", re.IGNORECASE), '"anyone who", or the caller by name'),
    Advice(re.compile(r"\bgives\s+way\b", re.IGNORECASE), '"is dropped", "is replaced", "yields"'),
    Advice(re.compile(r"\bmend(s|ed|ing)?\b", re.IGNORECASE), '"fix"'),
]


def faults(prose: Prose) -> Iterator[tuple[int, str]]:
    """Yields the line and the advice of each expression in `prose` that has a plainer form."""
    for advice in ADVICE:
        for match in advice.pattern.finditer(prose.text):
            group = "words" if "words" in advice.pattern.groupindex else 0
            line = prose.line + prose.text.count("\n", 0, match.start(group))
            yield line, f'"{" ".join(match[group].split())}": write {advice.instead}'


def of_lines(lines: list[tuple[int, int, str]]) -> Iterator[Prose]:
    """Joins (line, column, text) of comments that continue each other; a blank one ends a
    paragraph.
    """
    start, last, text = 0, (0, 0), ""
    for line, column, content in lines:
        if text and content.strip() and last == (line - 1, column):
            text += "\n" + content.strip()
        else:
            if text:
                yield Prose(start, text)
            start, text = line, content.strip()
        last = (line, column)
    if text:
        yield Prose(start, text)


def of_cpp(text: str) -> Iterator[Prose]:
    """Yields the // comments of C++ code."""
    yield from of_lines(list(line_comments(text)))


def of_cpp_tests(text: str) -> Iterator[Prose]:
    """Yields the names of test cases, each a claim of its own."""
    for match in re.finditer(
        r'\b(?:TEST_CASE(?:_METHOD)?|SECTION)\((?:\s*\w+,)?\s*"((?:\\.|[^"\\\n])*)"', text
    ):
        name = match[1]
        yield Prose(text.count("\n", 0, match.start(1)) + 1, name[:1].upper() + name[1:])


def of_case_file(text: str) -> Iterator[Prose]:
    """Yields the titles of the cases of a case file, each a claim of its own."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("=== "):
            title = line.removeprefix("=== ")
            yield Prose(number, title[:1].upper() + title[1:])


def of_hashes(text: str) -> Iterator[Prose]:
    """Yields the comments of shell scripts and Makefiles that have a line of their own, and the
    help of targets.
    """
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"(\s*)#+ (?!SPDX)(.*)|[\w-]+:[^#]*## (.*)", line)
        if match:
            lines.append(
                (
                    number,
                    len(match[1] or "") if match[1] is not None else -number,
                    match[2] or match[3] or "",
                )
            )
    yield from of_lines(lines)


def of_python(text: str) -> Iterator[Prose]:
    """Yields the comments and docstrings of Python code."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    yield from of_lines(
        [(*t.start, t.string.lstrip("#")) for t in tokens if t.type == tokenize.COMMENT]
    )
    for node in ast.walk(ast.parse(text)):
        if isinstance(
            node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        ) and ast.get_docstring(node):
            first = node.body[0]
            text_lines = (ast.get_docstring(node, clean=False) or "").splitlines()
            yield Prose(first.lineno, "\n".join(line.strip() for line in text_lines))


def markdown_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the numbered lines of Markdown that are outside code fences."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def of_markdown(text: str) -> Iterator[Prose]:
    """Yields the paragraphs and list items of Markdown; headings are titles, not sentences."""
    lines = []
    part = 0  # Stands for the column: lines of one paragraph or item have the same.
    for number, line in markdown_lines(text):
        if line.startswith("#"):
            continue
        item = re.match(r"\s*([-*]|\d+\.)\s+|\s*\|\s*", line)
        part += 1 if item else 0
        lines.append((number, part, line[item.end() :] if item else line))
    yield from of_lines(lines)
