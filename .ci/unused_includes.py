# SPDX-License-Identifier: Apache-2.0
"""Finds the project's headers that a source includes and does not need, with include-what-you-use.

Which headers a source should include is left to its author: the tool would name each header of the
C++ library that a type is made of, and declare types instead of including them. Lines of headers
are left out, too: removing one may break a source that is not looked at.
"""

import pathlib
import re
import subprocess

IWYU = "include-what-you-use"
TYPE = re.compile(r"\b(?:class|struct|enum|using) (?:class )?(?:\w+\([^)]*\) )?(\w+)\b(?!;)")


def code_of(file: pathlib.Path) -> str:
    """Returns the text of a C++ file without its comments."""
    return re.sub(r"//.*", "", file.read_text(encoding="utf-8"))


def names_type_of(header: pathlib.Path, source: pathlib.Path) -> bool:
    """Reports whether a source names a type that a header defines."""
    types = TYPE.findall(code_of(header))
    return not set(types).isdisjoint(re.findall(r"\w+", code_of(source)))


def superfluous(report: str, root: pathlib.Path, source: str) -> list[str]:
    """Returns "src/x.cc:7: #include "y.h" is not used" for each such line in a report.

    The tool takes an include for superfluous also where a declaration of a type would do. Here a
    source includes the types that it names.
    """
    start = re.escape(str(root / source))
    lists = re.findall(rf"^{start} should remove these lines:\n((?:- .+\n)*)", report, re.MULTILINE)
    own = source.removeprefix("src/").removesuffix(".cc") + ".h"
    found = []
    for header, line in re.findall(
        r'^- #include "(\S+)"\s+// lines (\d+)', "".join(lists), re.MULTILINE
    ):
        path = root / "src" / header
        if header != own and path.is_file() and not names_type_of(path, root / source):
            found.append(f'{source}:{line}: #include "{header}" is not used')
    return found


def unused_includes(
    compilation: list[str], folder: pathlib.Path, root: pathlib.Path, source: str
) -> str:
    """Returns the findings in a source of the repository, a line each.

    `compilation` are the words of its compiler's command, which is run in `folder` and writes no
    file. That the tool gave no answer is a finding, too.
    """
    done = subprocess.run(
        (IWYU, *compilation[1:]), cwd=folder, capture_output=True, text=True, check=False
    )
    start = re.escape(str(root / source))
    if not re.search(rf"^\(?{start} (should|has correct) ", done.stderr, re.MULTILINE):
        return f"{source}: no answer of {IWYU}:\n{done.stderr}"
    return "".join(f"{line}\n" for line in superfluous(done.stderr, root, source))
