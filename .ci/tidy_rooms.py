# SPDX-License-Identifier: Apache-2.0
"""The rules of tidy.py about rooms: what each may include, how large it is, and where its tests
are.
"""

import fnmatch
import re
from collections.abc import Iterator

from tidy_repository import Finding, Repository, module_of, rule
from tidy_tables import TESTED_BY

# Tests of any room that uses `value` may use this too: case files have their data as YAML.
CASE_DATA = {"yaml"}
# Tests of any room that uses `kube` may use this too: it takes the place of a real API server.
SERVER_IN_MEMORY = {"model"}

# Third-party headers, and the rooms whose .cc files (never headers) may include them.
THIRD_PARTY = {
    "archive": ["archive"],
    "boost/": ["runtime"],
    "CLI/": ["cli"],
    "curl/": ["kube"],
    "google/protobuf/": ["grpc"],
    "grpcpp/": ["grpc"],
    "nlohmann/": ["value"],
    # Several rooms, since each needs another part of it: base hashes and random numbers; pki keys
    # and certificates; helm/funcs the ciphers, scrypt and whole numbers of any size of Sprig; kube
    # an option of libcurl's TLS.
    "openssl/": ["base", "pki", "helm/funcs", "kube"],
    "prometheus/": ["base"],
    "re2/": ["go"],
    "simdjson.h": ["kube"],
    "spdlog/": ["base"],
    "yaml-cpp/": ["yaml"],
    "zlib.h": ["record"],
    "catch2/": [],  # Tests only.
}

# Globs of private headers of a folder. They may include its third-party headers, and may be
# included only by its .cc files, its tests and each other.
PRIVATE_HEADERS = ["src/kube/curl_*.h", "src/runtime/asio_*.h"]

# Headers of the C library and POSIX. Headers of the C++ library have neither "/" nor ".h".
SYSTEM_HEADERS = re.compile(
    r"^(sys|netinet|arpa|net)/\w+\.h$"
    r"|^(crypt|dirent|dlfcn|elf|fcntl|glob|ifaddrs|link|malloc|netdb|poll|pthread|signal|spawn)\.h$"
    r"|^(termios|unistd|wordexp)\.h$"
    r"|^[a-z_0-9]+$"
)

ROOM_FILES_MAX = 50
ROOM_LINES_MAX = 6000
# Generated tables, exempt from the size limits of a room.
GENERATED = ("src/base/unicode_tables.cc",)


def direct_uses(repo: Repository) -> dict[str, list[str]]:
    """Returns the rooms that each room of src/ links or opens, from its CMakeLists.txt: a room may
    include these, and all that they may include.
    """
    texts = {module_of(p): repo.text(p) for p in repo.matching("src/*/CMakeLists.txt")}
    rooms = {"cw_" + room.replace("/", "_"): room for room in texts}
    arrow = re.compile(r"\bcw_module\([^)]*\bUSES\b([^)]*)\)|\badd_dependencies\(\w+([^)]*)\)")
    return {
        room: [
            rooms[word]
            for linked, opened in arrow.findall(text)
            for word in (re.split("PRIVATE|WITHOUT", linked)[0] + opened).split()
            if word in rooms
        ]
        for room, text in texts.items()
    }


def all_uses(direct: dict[str, list[str]], module: str) -> set[str]:
    """Returns a room and the rooms that it may include."""
    seen: set[str] = set()
    left = [module]
    while left:
        room = left.pop()
        if room not in seen:
            seen.add(room)
            left += direct[room]
    return seen


def is_private(path: str) -> bool:
    return any(fnmatch.fnmatch(path, glob) for glob in PRIVATE_HEADERS)


@rule
def include_direction(repo: Repository) -> Iterator[Finding]:
    """Rooms include only what their CMakeLists.txt name, and what those may include."""
    direct = direct_uses(repo)
    for path in repo.cpp():
        module = module_of(path)
        if path.startswith("src/") and module not in direct:
            yield Finding(path, 0, f"src/{module} is not a room: it has no CMakeLists.txt")
            continue
        allowed = all_uses(direct, module) if module in direct else set(direct)
        if path.startswith("test/") and "value" in allowed:
            allowed |= CASE_DATA
        if path.startswith("test/") and "kube" in allowed:
            allowed |= SERVER_IN_MEMORY
        for number, line in repo.lines(path):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            folder = match[1].rpartition("/")[0]
            if "/" not in match[1] or (folder.startswith("test") and path.startswith("src/")):
                yield Finding(path, number, f'include "{match[1]}" by its path from src/')
            elif folder in direct and folder not in allowed:
                yield Finding(
                    path,
                    number,
                    f"{module} must not include {folder}; it may use {', '.join(sorted(allowed))}",
                )
            elif (
                folder not in direct
                and not folder.startswith(("test/", "bench"))
                and folder != "test"
            ):
                yield Finding(path, number, f'"{match[1]}" is in no module of src/')
            elif is_private(f"src/{match[1]}") and (
                module != folder
                or (path.startswith("src/") and path.endswith(".h") and not is_private(path))
            ):
                yield Finding(path, number, f'"{match[1]}" is for the .cc files of {folder} only')


@rule
def room_circle(repo: Repository) -> Iterator[Finding]:
    """No room uses itself through others, so that each can be read after those that it uses."""
    direct = direct_uses(repo)
    for room, used in direct.items():
        if any(room in all_uses(direct, other) for other in used):
            yield Finding(f"src/{room}/CMakeLists.txt", 0, f"{room} uses itself through others")


@rule
def third_party(repo: Repository) -> Iterator[Finding]:
    """Third-party types stay inside the .cc files and private headers of their own folders."""
    for path in repo.cpp():
        for number, line in repo.lines(path):
            match = re.match(r"\s*#\s*include\s+<([^>]+)>", line)
            if not match or SYSTEM_HEADERS.match(match[1]):
                continue
            owners = next(
                (o for prefix, o in THIRD_PARTY.items() if match[1].startswith(prefix)), None
            )
            if owners is None:
                yield Finding(
                    path, number, f"<{match[1]}> belongs to no module: decide in THIRD_PARTY which"
                )
            elif path.startswith("src/") and (
                module_of(path) not in owners or (path.endswith(".h") and not is_private(path))
            ):
                where = " and ".join(f"src/{o}/*.cc" for o in owners) or "tests"
                yield Finding(path, number, f"<{match[1]}> may be included in {where} only")


@rule
def room_size(repo: Repository) -> Iterator[Finding]:
    """A room is small enough to know completely."""
    for room in direct_uses(repo):
        files = [
            p
            for p in repo.cpp()
            if p.startswith("src/") and module_of(p) == room and p not in GENERATED
        ]
        lines = sum(repo.read(p).count(b"\n") for p in files)
        if len(files) > ROOM_FILES_MAX or lines > ROOM_LINES_MAX:
            yield Finding(
                f"src/{room}",
                0,
                f"{len(files)} files and {lines} lines; the limits are {ROOM_FILES_MAX} and"
                f" {ROOM_LINES_MAX}: split it by responsibility",
            )


def unit_of(path: str) -> str:
    """Returns the unit of a file: a source with its header."""
    return path.removeprefix("src/").rpartition(".")[0]


@rule
def unit_circle(repo: Repository) -> Iterator[Finding]:
    """Units have no include cycles, so that each can be read after the units that it uses."""
    uses: dict[str, set[str]] = {}
    for path in repo.cpp():
        if path.startswith("src/"):
            included = re.findall(r'^\s*#\s*include\s+"([^"]+)"', repo.text(path), re.MULTILINE)
            uses.setdefault(unit_of(path), set()).update(unit_of(i) for i in included)
    done: set[str] = set()
    for start in sorted(uses):
        circle = circle_from(start, uses, [], done)
        if circle:
            yield Finding(
                f"src/{circle[0]}", 0, "includes itself: " + " -> ".join([*circle, circle[0]])
            )


def circle_from(unit: str, uses: dict[str, set[str]], way: list[str], done: set[str]) -> list[str]:
    """Returns the first cycle that a walk from `unit` finds among units that are not done, or an
    empty list.
    """
    if unit in way:
        return way[way.index(unit) :]
    if unit in done:
        return []
    circle: list[str] = []
    for used in sorted(uses.get(unit, set()) - {unit}):
        circle = circle or circle_from(used, uses, [*way, unit], done)
    done.add(unit)
    return circle


@rule
def untested(repo: Repository) -> Iterator[Finding]:
    """Every room of src/ has tests in the same folder of test/, and every source has one there or
    in TESTED_BY.
    """
    included: dict[str, set[str]] = {}
    for path in repo.matching("test/*.cc", "test/*.h"):
        found = re.findall(r'^\s*#\s*include\s+"([^"]+)"', repo.text(path), re.MULTILINE)
        included.setdefault(module_of(path), set()).update(found)
    needed = set()
    for path in repo.matching("src/*.cc"):
        stem = path.removeprefix("src/").removesuffix(".cc")
        if f"test/{stem}_test.cc" in repo.paths or is_reached(
            repo, path, included.get(module_of(path), set())
        ):
            continue
        known = next((name for name in TESTED_BY if is_named(path, name)), None)
        if known is None:
            yield Finding(
                path, 0, f"add test/{stem}_test.cc, or name in TESTED_BY the test that reaches it"
            )
        elif TESTED_BY[known] not in repo.paths:
            yield Finding(path, 0, f"TESTED_BY names {TESTED_BY[known]}, which does not exist")
        needed.add(known)
    for room in sorted({module_of(path) for path in repo.matching("src/*.cc")}):
        if not any(module_of(path) == room for path in repo.matching("test/*_test.cc")):
            yield Finding(f"src/{room}", 0, f"has no tests: add some to test/{room}")
    for name, test in TESTED_BY.items():
        if name not in needed and test in repo.paths:
            yield Finding(test, 0, f"TESTED_BY needs no entry for {name}: remove it")
        if "*" in name and module_of(test) != module_of(name):
            yield Finding(
                test, 0, f"is in another room than {name}: name each source in TESTED_BY by itself"
            )


def is_named(path: str, name: str) -> bool:
    """Reports whether a name of TESTED_BY is that of a source.

    Its wildcards stand for a part of a file's name.
    """
    return module_of(path) == module_of(name) and fnmatch.fnmatch(path, name)


def is_reached(repo: Repository, path: str, included: set[str]) -> bool:
    """Reports whether one of these headers is what `path` implements: its own, or else any header
    of its room that it includes.
    """
    own = path.removeprefix("src/").removesuffix(".cc") + ".h"
    if f"src/{own}" in repo.paths:
        return own in included
    headers = re.findall(r'^\s*#\s*include\s+"([^"]+)"', repo.text(path), re.MULTILINE)
    return any(h in included for h in headers if h.startswith(module_of(path) + "/"))
