# SPDX-License-Identifier: Apache-2.0
"""The files that the rules of tidy.py check, and their findings."""

import dataclasses
import fnmatch
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator

# Inputs of tests, where names and bytes matter: suffixes and spelling are not checked there.
DATA_FOLDERS = ("test/charts/", "test/cases/", "test/golden/", "test/suites/", "test/fuzz/corpus/")

SOURCE_NAMES = (
    "*.cc",
    "*.h",
    "*.py",
    "*.go",
    "*.sh",
    "*.cmake",
    "CMakeLists.txt",
    "Makefile",
    "Dockerfile",
)


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    text: str
    rule: str = ""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: [{self.rule}] {self.text}"


class Repository:
    """The files to check, each read once."""

    def __init__(self, root: pathlib.Path, paths: Iterable[str]):
        self.root = root
        self.paths = sorted(p for p in paths if os.path.lexists(root / p))
        self._bytes: dict[str, bytes] = {}
        self._texts: dict[str, str] = {}
        self._sources: list[str] | None = None

    def read(self, path: str) -> bytes:
        if path not in self._bytes:
            full = self.root / path
            self._bytes[path] = b"" if full.is_symlink() else full.read_bytes()
        return self._bytes[path]

    def text(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = self.read(path).decode("utf-8", "replace")
        return self._texts[path]

    def lines(self, path: str) -> Iterator[tuple[int, str]]:
        return enumerate(self.text(path).splitlines(), 1)

    def matching(self, *globs: str) -> list[str]:
        return [p for p in self.paths if any(fnmatch.fnmatch(p, g) for g in globs)]

    def cpp(self) -> list[str]:
        return [
            p for p in self.matching("*.cc", "*.h") if p.startswith(("src/", "test/", "bench/"))
        ]

    def sources(self) -> list[str]:
        if self._sources is None:
            self._sources = self._find_sources()
        return self._sources

    def _find_sources(self) -> list[str]:
        named = [
            p
            for p in self.paths
            if any(fnmatch.fnmatch(pathlib.PurePath(p).name, n) for n in SOURCE_NAMES)
        ]
        scripts = [
            p
            for p in self.paths
            if "." not in pathlib.PurePath(p).name and self.read(p).startswith(b"#!")
        ]
        return [
            p
            for p in named + scripts
            if not p.startswith(DATA_FOLDERS) or p.endswith((".cc", ".h"))
        ]


Rule = Callable[[Repository], Iterator[Finding]]
RULES: dict[str, Rule] = {}


def rule(check: Rule) -> Rule:
    RULES[check.__name__.replace("_", "-")] = check
    return check


def module_of(path: str) -> str:
    """Returns the room of a file in src/, or the room that a file in test/ tests: "helm/chart"."""
    return path.partition("/")[2].rpartition("/")[0]
