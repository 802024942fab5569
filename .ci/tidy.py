#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of this repository that no other tool covers.

    .ci/tidy.py              check all files that git tracks or would add
    .ci/tidy.py --self-test  verify that each rule fires

A rule is a function from the repository to findings, registered by @rule. Exemptions have a reason:
long lists of them are in tidy_tables.py, others next to the rule.
"""

import argparse
import dataclasses
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

import tidy_prose
import tidy_rooms  # noqa: F401 (its rules)
from tidy_cpp import code_only, functions, mutable_globals, nested_ternaries
from tidy_repository import DATA_FOLDERS, RULES, Finding, Repository, rule
from tidy_tables import BANS, MANY_PARAMETERS, MAY_END, MUTABLE_GLOBALS, PROCESS_ENDS, Ends

FRAGMENTS = "changelog.d/"
FRAGMENT_LINES_MAX = 6
READMES = ("src/", "charts/", "test/")

MAX_LINES = 700
PARAMETERS_MAX = 5
TEST_CASE_LINES_MAX = 70
MAX_BLOB_BYTES = 512 * 1024

TEXT_SUFFIXES = {
    ".cc",
    ".h",
    ".py",
    ".go",
    ".mod",
    ".patch",
    ".sum",
    ".sh",
    ".txt",
    ".svg",
    ".libsonnet",
    ".lua",
    ".md",
    ".yaml",
    ".yml",
    ".json",
    ".tpl",
    ".in",
    ".cmake",
    ".error",
    ".toml",
    ".proto",
}
BINARY_SUFFIXES = {".tgz"}
ROOT_FILES = {
    ".clang-format",
    ".clang-tidy",
    ".codespellignore",
    ".dockerignore",
    ".editorconfig",
    ".gitignore",
    "CHANGELOG.md",
    "CMakeLists.txt",
    "CMakePresets.json",
    "Dockerfile",
    "LICENSE",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "watches.yaml",
}
BARE_NAMES = {
    "CMakeLists.txt",
    "Makefile",
    "Dockerfile",
    "LICENSE",
    "NOTICE",
    "flags",
    ".gitignore",
    ".gitattributes",
    ".editorconfig",
    ".clang-format",
    ".clang-tidy",
    ".dockerignore",
    ".helmignore",
    ".codespellignore",
}


@rule
def size(repo: Repository) -> Iterator[Finding]:
    """A file is short enough to read at once."""
    for path in repo.sources():
        count = repo.read(path).count(b"\n")
        if count > MAX_LINES:
            yield Finding(
                path,
                MAX_LINES + 1,
                f"{count} lines; the limit is {MAX_LINES}: split it by responsibility",
            )


def python_sources(repo: Repository) -> Iterator[str]:
    """Yields the modules and the scripts."""
    for path in repo.sources():
        if path.endswith(".py") or b"python" in repo.read(path).split(b"\n", 1)[0]:
            yield path


@rule
def python_after_fork(repo: Repository) -> Iterator[Finding]:
    """No Python runs between fork and exec, where a lock of another thread is never released."""
    for path in python_sources(repo):
        for number, line in repo.lines(path):
            if re.search(r"\bpreexec_fn\s*=", line):
                yield Finding(
                    path,
                    number,
                    "preexec_fn can hang: start a command that does this first (setpriv, prlimit)",
                )


@rule
def license_header(repo: Repository) -> Iterator[Finding]:
    """Each source file names its licence."""
    for path in repo.sources():
        if repo.read(path) and not any(
            "SPDX-License-Identifier: Apache-2.0" in line
            for number, line in repo.lines(path)
            if number <= 2
        ):
            yield Finding(path, 1, "begin with the comment SPDX-License-Identifier: Apache-2.0")


@rule
def header_guard(repo: Repository) -> Iterator[Finding]:
    """Headers have an include guard."""
    for path in repo.cpp():
        if path.endswith(".h") and not re.search(r"^#pragma once$", repo.text(path), re.MULTILINE):
            yield Finding(path, 2, "add #pragma once")


@rule
def banned(repo: Repository) -> Iterator[Finding]:
    """Constructs that the project replaces with its own are not used."""
    compiled = [(re.compile(ban.pattern), ban) for ban in BANS]
    for path in repo.cpp():
        bans = [(p, b) for p, b in compiled if not any(fnmatch.fnmatch(path, g) for g in b.allowed)]
        for (number, written), line in zip(
            repo.lines(path), code_only(repo.text(path)).splitlines(), strict=False
        ):
            for pattern, ban in bans:
                match = pattern.search(line)
                if match:
                    yield Finding(
                        path,
                        number,
                        f"`{written[slice(*match.span())].strip()}`: use {ban.instead}",
                    )


@rule
def fragment(repo: Repository) -> Iterator[Finding]:
    """A comment names the thing itself: the name of what follows does not carry the rest."""
    member = re.compile(r"///< (?:(?:Of|That|By|As|Its)\b|The same\.)")
    block = re.compile(r"\s*///? (?:Of|Those|That of|By)\b(?! the way)")
    for path in repo.cpp():
        if not path.startswith("src/"):
            continue
        before = ""
        for number, line in repo.lines(path):
            begins = None if before.lstrip().startswith("//") else block.match(line)
            if match := member.search(line) or begins:
                text = match[0].strip()
                yield Finding(path, number, f'"{text} …": begin with a noun: "The … of …"')
            before = line


@rule
def nested_ternary(repo: Repository) -> Iterator[Finding]:
    """A choice among three or more is a function with early returns, a switch or a table."""
    for path in repo.cpp():
        code = code_only(repo.text(path))
        for start in nested_ternaries(code):
            yield Finding(
                path,
                code.count("\n", 0, start) + 1,
                "`?` inside of another `? :`: return early from a function, or use a switch",
            )


@rule
def test_case_length(repo: Repository) -> Iterator[Finding]:
    """A test case is about one subject; sections of it are views of that."""
    for path in repo.matching("test/*.cc"):
        start = 0
        for number, line in enumerate(code_only(repo.text(path)).splitlines(), 1):
            if line.startswith("TEST_CASE"):
                start = number
            elif line.startswith("}") and start != 0:
                length = number - start + 1
                if length > TEST_CASE_LINES_MAX:
                    text = f"{length} lines; the limit is {TEST_CASE_LINES_MAX}"
                    yield Finding(path, start, f"{text}: split it by subject")
                start = 0


@rule
def test_name(repo: Repository) -> Iterator[Finding]:
    """The name of a test case is a sentence, which may begin with a name of the code."""
    for path in repo.matching("test/*.cc"):
        for match in re.finditer(r'^TEST_CASE\(\s*"[a-z]+[ ,:]', repo.text(path), re.MULTILINE):
            line = repo.text(path).count("\n", 0, match.end()) + 1
            yield Finding(path, line, "begin the name of a test case with a capital letter")


@rule
def folded_if(repo: Repository) -> Iterator[Finding]:
    """Whether to do something is decided by an if, not by an expression that may be an empty
    Status.
    """
    folded = re.compile(
        r"(\bCW_TRY(_VOID)?\s*\(|\breturn\b|(?<![=!<>])=(?!=))"
        r"[^;{}]*?\?[^;{}]*?\b(base::)?Status\(\)"
    )
    for path in repo.matching("src/*.cc", "src/*.h"):
        code = code_only(repo.text(path))
        for match in folded.finditer(code):
            yield Finding(
                path,
                code.count("\n", 0, match.start()) + 1,
                "`? … : Status()`: use an if, and return early",
            )


@rule
def parameters(repo: Repository) -> Iterator[Finding]:
    """A function or constructor has few parameters; more of them are a struct, or show that it does
    too much.
    """
    for function in functions(repo.root, repo.matching("src/*.cc", "src/*.h")):
        count = function.parameters
        if count > PARAMETERS_MAX and f"{function.path}: {function.name}" not in MANY_PARAMETERS:
            yield Finding(
                function.path,
                function.line,
                f"{function.name} has {count} parameters, the limit is {PARAMETERS_MAX}: pass a"
                " struct",
            )


@rule
def mutable_global(repo: Repository) -> Iterator[Finding]:
    """State has an owner that its users are given: nothing that can change is global, not even a
    cache.
    """
    seen = set()
    for variable in mutable_globals(repo.root, repo.cpp()):
        known = f"{variable.path}: {variable.name}"
        seen.add(known)
        if known not in MUTABLE_GLOBALS:
            yield Finding(
                variable.path,
                variable.line,
                f"{variable.name} is global and can change: make it const, or "
                "a member of an object that its users are given",
            )
    for known in sorted(MUTABLE_GLOBALS.keys() - seen):
        path = known.partition(":")[0]
        if path in repo.paths:
            yield Finding(
                path,
                0,
                f"MUTABLE_GLOBALS names {known.partition(': ')[2]}, which is not one: remove it",
            )


@rule
def process_end(repo: Repository) -> Iterator[Finding]:
    """No input can end the process: code that can is counted, with a reason."""
    pattern = re.compile(PROCESS_ENDS)
    for path in repo.cpp():
        if not path.startswith("src/"):
            continue
        places = [
            n
            for n, line in enumerate(code_only(repo.text(path)).splitlines(), 1)
            for _ in pattern.finditer(line)
        ]
        allowed = MAY_END.get(path, Ends(0, "")).count
        if len(places) > allowed:
            yield Finding(
                path,
                places[-1],
                f"{len(places)} places may end the process, {allowed} are known in MAY_END: return "
                "an Error, or show that no input reaches this place",
            )
        elif len(places) < allowed:
            yield Finding(
                path,
                0,
                f"{len(places)} places may end the process, MAY_END says {allowed}: lower it",
            )


@rule
def lint_exemption(repo: Repository) -> Iterator[Finding]:
    """A comment that silences a linter names the check and the reason."""
    for path in repo.cpp():
        for number, line in repo.lines(path):
            if "NOLINT" in line and not re.search(
                r"NOLINT(NEXTLINE|BEGIN|END)?\([a-z][\w.,\- ]*\)(: \S|$)", line
            ):
                yield Finding(path, number, "write NOLINT(check-name): reason")
            elif re.search(r"NOLINT(NEXTLINE|BEGIN)?\([^)]*\)$", line):
                yield Finding(
                    path,
                    number,
                    "say after the colon why this is right: NOLINT(check-name): reason",
                )


@rule
def open_ends(repo: Repository) -> Iterator[Finding]:
    """Open work has an issue."""
    for path in repo.sources():
        if path.startswith(".ci/tidy"):
            continue
        for number, line in repo.lines(path):
            match = re.search(r"\b(TODO|FIXME|XXX|HACK)\b(?!\s*\(#\d+\))", line)
            if match:
                yield Finding(path, number, f"{match[1]} without an issue: write {match[1]}(#123)")


@rule
def dead_file(repo: Repository) -> Iterator[Finding]:
    """Every source is built, included or run."""
    included = set()
    for path in repo.cpp():
        for _, line in repo.lines(path):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if match:
                included.add(match[1])
    for path in repo.cpp():
        if path.endswith(".h"):
            if path.removeprefix("src/") not in included:
                yield Finding(path, 0, "no file includes this header")
        elif not is_built(repo, path):
            yield Finding(path, 0, "no CMakeLists.txt builds this source")
    for path in repo.matching("*.py", "*.sh"):
        name = pathlib.PurePath(path)
        if name.name in ("__init__.py", "__main__.py", "conftest.py") or name.name.startswith(
            "test_"
        ):
            continue
        mention = re.compile(rf"\b{re.escape(name.stem)}\b")
        if not any(mention.search(repo.text(p)) for p in repo.sources() if p != path):
            yield Finding(path, 0, "no other file imports or runs this script")


def is_built(repo: Repository, path: str) -> bool:
    folder = pathlib.PurePath(path).parent
    name = pathlib.PurePath(path).name
    own = str(folder / "CMakeLists.txt")
    if own in repo.paths and re.search(r"\bcw_module(_test)?\(|GLOB", repo.text(own)):
        return True
    # Listed by another folder, with enough of its path to be unambiguous.
    named = re.compile(
        rf"(^|[\s(/]){re.escape(folder.name)}/({re.escape(name)}|\*\.cc)\b", re.MULTILINE
    )
    local = re.compile(rf"(^|[\s(/]){re.escape(name)}\b", re.MULTILINE)
    return any(
        (local if p == own else named).search(repo.text(p))
        for p in repo.matching("*CMakeLists.txt")
    )


@rule
def orphan_case(repo: Repository) -> Iterator[Finding]:
    """Every case and golden file is read by a test."""
    tests = "\n".join(
        repo.text(p) for p in repo.paths if p.endswith((".cc", ".h", ".py", ".go", "/run"))
    )
    for path in repo.matching("test/cases/*/*"):
        relative = path.removeprefix("test/cases/")
        folder = relative.rsplit("/", 1)[0]
        if relative not in tests and not re.search(
            rf'cases/{folder}"|cases"?[/, ]+"{folder}"|"{folder}"', tests
        ):
            yield Finding(path, 0, "no test reads this file or its folder")
    folders = {p.rsplit("/", 1)[0] for p in repo.matching("test/golden/*/*/*")}
    for folder in sorted(folders):
        names = {p.rsplit("/", 1)[1] for p in repo.paths if p.startswith(folder + "/")}
        chart = folder.split("/")[2]
        if not any(p.startswith((f"charts/{chart}/", f"test/charts/{chart}/")) for p in repo.paths):
            yield Finding(folder, 0, f"there is no chart {chart} to render")
        if len(names & {"want.yaml", "want.error"}) != 1:
            yield Finding(folder, 0, "needs exactly one of want.yaml and want.error")
        if not names & {"cr.yaml", "values.yaml"}:
            yield Finding(folder, 0, "needs an input: cr.yaml or values.yaml")


@rule
def file_kind(repo: Repository) -> Iterator[Finding]:
    """Files have a known suffix, a correct mode and clean text, and are neither links nor large
    binaries.
    """
    for path in repo.paths:
        full = repo.root / path
        if full.is_symlink():
            yield Finding(path, 0, "is a symbolic link, which not every checkout supports")
            continue
        yield from check_name_and_mode(repo, path, executable=os.access(full, os.X_OK))
        content = repo.read(path)
        if len(content) > MAX_BLOB_BYTES:
            yield Finding(
                path,
                0,
                f"{len(content)} bytes; the limit is {MAX_BLOB_BYTES}: generate or download it",
            )
        if path.startswith(DATA_FOLDERS) or pathlib.PurePath(path).suffix in BINARY_SUFFIXES:
            continue
        if b"\r" in content:
            yield Finding(path, 0, "has carriage returns: end lines with LF alone")
        if content and not content.endswith(b"\n"):
            yield Finding(path, 0, "does not end with a line break")
        for number, line in enumerate(content.split(b"\n"), 1):
            if line.endswith((b" ", b"\t")):
                yield Finding(path, number, "ends with white space")


@rule
def root_file(repo: Repository) -> Iterator[Finding]:
    """The root has the files that a stranger looks for there, and no stray ones."""
    for path in repo.paths:
        if "/" not in path and path not in ROOT_FILES:
            yield Finding(path, 0, "does not belong in the root: move it, or add it to ROOT_FILES")


def check_name_and_mode(repo: Repository, path: str, executable: bool) -> Iterator[Finding]:
    name = pathlib.PurePath(path)
    script = repo.read(path).startswith(b"#!")
    known = name.name in BARE_NAMES or name.suffix in TEXT_SUFFIXES | BINARY_SUFFIXES
    if not known and not (script and not name.suffix) and not path.startswith(DATA_FOLDERS):
        yield Finding(
            path,
            0,
            f"unexpected kind of file: add {name.suffix or name.name} to .ci/tidy.py if it belongs"
            " here",
        )
    if executable and not script:
        yield Finding(path, 0, "is executable but no script: chmod -x")
    if script and not executable and name.suffix != ".py":
        yield Finding(path, 0, "is a script but not executable: chmod +x")


def is_fragment(path: str) -> bool:
    return path.startswith(FRAGMENTS) and path != FRAGMENTS + "README.md"


@rule
def fragments(repo: Repository) -> Iterator[Finding]:
    """A change for users is a file of its own, as changelog.d/README.md says."""
    name = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.(security|added|changed|fixed|removed)\.md")
    for path in filter(is_fragment, repo.paths):
        text = repo.text(path)
        if not name.fullmatch(path.removeprefix(FRAGMENTS)):
            yield Finding(path, 0, "is not NAME.KIND.md: see changelog.d/README.md")
        if not 1 <= text.count("\n") <= FRAGMENT_LINES_MAX:
            yield Finding(path, 1, f"has not 1 to {FRAGMENT_LINES_MAX} lines")
        if text.startswith(("#", "-", "* ")) or not re.search(r"[.!?)`]\n\Z", text):
            yield Finding(path, 1, "write whole sentences, without a heading or a list")


def is_documentation(path: str) -> bool:
    return path == "README.md" or (path.startswith("docs/") and path.endswith(".md"))


@rule
def listed_end_to_end_tests(repo: Repository) -> Iterator[Finding]:
    """The table of test/e2e/README.md is complete."""
    for path in repo.matching("test/e2e/test_*.py"):
        if f"`{pathlib.PurePath(path).name}`" not in repo.text("test/e2e/README.md"):
            yield Finding(path, 0, "test/e2e/README.md has no row for it")


@rule
def named_sources(repo: Repository) -> Iterator[Finding]:
    """The sources that documents name exist: `room/file.cc`, from src/, from the root or from the
    document's folder.
    """
    named = re.compile(r"`([a-z_]+(?:/[a-z_0-9]+)+\.(?:cc|h))`")
    known = set(repo.paths)
    for path in repo.matching("*.md"):
        folder = str(pathlib.PurePath(path).parent)
        for number, line in tidy_prose.markdown_lines(repo.text(path)):
            for name in named.findall(line):
                if path != "CHANGELOG.md" and known.isdisjoint(
                    {name, f"src/{name}", f"{folder}/{name}"}
                ):
                    yield Finding(path, number, f"there is no {name}")


@rule
def listed_threads(repo: Repository) -> Iterator[Finding]:
    """The table of threads in docs/ARCHITECTURE.md is complete."""
    document = repo.text("docs/ARCHITECTURE.md") if "docs/ARCHITECTURE.md" in repo.paths else ""
    start = re.compile(
        r'"([a-z-]+:?)"[^"();{}]*(?:\([^()]*\)[^"();{}]*)*,'
        r"\s*(?:base::k\w+StackBytes|stack_bytes)\b"
    )
    for path in repo.matching("src/*.cc"):
        text = repo.text(path)
        for match in start.finditer(text):
            if f"`{match[1]}" not in document:
                yield Finding(
                    path,
                    text.count("\n", 0, match.start()) + 1,
                    f"docs/ARCHITECTURE.md does not list the thread {match[1]}",
                )


@rule
def english(repo: Repository) -> Iterator[Finding]:
    """Comments, documents and titles of tests have no expressions that are hard to read."""
    cpp = set(repo.cpp())
    for path in repo.paths:
        first = repo.read(path).split(b"\n", 1)[0]
        if path in cpp:
            found = [*tidy_prose.of_cpp(repo.text(path)), *tidy_prose.of_cpp_tests(repo.text(path))]
        elif path.endswith(".py") or b"python" in first:
            found = tidy_prose.of_python(repo.text(path))
        elif (
            is_documentation(path)
            or path == "CHANGELOG.md"
            or path.startswith(FRAGMENTS)
            or (
                path.endswith("/README.md")
                and path.startswith(READMES)
                and not path.startswith(DATA_FOLDERS)
            )
        ):
            found = tidy_prose.of_markdown(repo.text(path))
        elif fnmatch.fnmatch(path, "test/cases/*.txt"):
            found = tidy_prose.of_case_file(repo.text(path))
        elif (
            pathlib.PurePath(path).name == "Makefile"
            or path.endswith(".sh")
            or (first.startswith(b"#!") and b"sh" in first)
        ):
            found = tidy_prose.of_hashes(repo.text(path))
        else:
            continue
        for prose in found:
            for line, text in tidy_prose.faults(prose):
                yield Finding(path, line, text)


def check(repo: Repository) -> list[Finding]:
    return sorted(
        dataclasses.replace(finding, rule=name)
        for name, find in RULES.items()
        for finding in find(repo)
    )


def git_files(root: pathlib.Path) -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
    )
    return [p for p in listing.stdout.decode().split("\0") if p]


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks this repository's own rules.")
    parser.add_argument("--self-test", action="store_true", help="verify that each rule fires")
    parser.add_argument(
        "--rule", action="append", choices=sorted(RULES), help="check only these rules"
    )
    options = parser.parse_args()
    if options.self_test:
        import tidy_selftest  # noqa: PLC0415 (of no use to other runs)

        return tidy_selftest.run(sys.modules[__name__])
    root = pathlib.Path(__file__).resolve().parent.parent
    repo = Repository(root, git_files(root))
    findings = [f for f in check(repo) if not options.rule or f.rule in options.rule]
    for finding in findings:
        print(finding)
    print(
        f"tidy: {len(repo.paths)} files, {len(RULES)} rules, {len(findings)} findings",
        file=sys.stderr,
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
