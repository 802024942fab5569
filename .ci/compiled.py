#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a preset, once configured, compiles every C++ source of the repository.

    .ci/compiled.py PRESET

A source that no build of a stage compiles is not checked by it, whatever the stage says.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def compiled(build: pathlib.Path) -> set[pathlib.Path]:
    """Returns the sources that a build folder compiles, alone or with others as one unit."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    found = set()
    for file in (pathlib.Path(entry["file"]) for entry in entries):
        found.add(file)
        # CMake writes a unit of several sources when it configures: an #include of each.
        if file.name.startswith("unity_"):
            included = re.findall(
                r'^#include "([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE
            )
            found.update(map(pathlib.Path, included))
    return found


def not_compiled(root: pathlib.Path, build: pathlib.Path) -> list[str]:
    """Returns the sources that git tracks or would add, and the build does not compile."""
    listing = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.cc")
    names = subprocess.run(
        listing, cwd=root, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    known = compiled(build)
    return sorted(
        name for name in set(names) if (root / name).is_file() and root / name not in known
    )


def report(root: pathlib.Path, preset: str) -> bool:
    """Prints the sources that a preset does not compile. Reports whether there are none."""
    missing = not_compiled(root, root / "build" / preset)
    for name in missing:
        print(
            f"{name}: the preset {preset} does not compile it: see its options in"
            " CMakePresets.json",
            flush=True,
        )
    return not missing


def main(arguments: list[str]) -> int:
    """Checks one preset."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    return 0 if report(ROOT, arguments[0]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
