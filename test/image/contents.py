# SPDX-License-Identifier: Apache-2.0
"""Lists what an image has beside its base: packages, files, libraries and sizes."""

import dataclasses

from image.engine import BASE, Engine, Start

# Written by the installation of packages, and of no use to readers of a list.
_MADE = ("/etc/alternatives/", "/etc/ld.so.cache", "/etc/ssl/certs/", "/var/", "/run/", "/tmp/")
# Printed in one container, with a line between them.
_SCRIPTS = (
    r"dpkg-query --show --showformat '${Installed-Size} ${Package}\n'",  # In kilobytes.
    r"find / -xdev \( -type f -o -type l \) -printf '%s %p\n'",
    "cat /var/lib/dpkg/info/*.list",
    "du --apparent-size --bytes --one-file-system --summarize / | cut -f1",
    "tar --one-file-system --directory=/ --create . 2>/dev/null | gzip | wc --bytes",
)
_LINE = "-- next --"
_LIBRARIES = "ldd /usr/local/bin/chartwright"


@dataclasses.dataclass(frozen=True)
class Contents:
    """Bytes of the file system, unpacked and compressed, and of each package and each file of no
    package.
    """

    unpacked: int
    compressed: int
    packages: dict[str, int]
    files: dict[str, int]

    def beside(self, base: "Contents") -> "Contents":
        """Returns what is here and not in the base. A file that has another size counts."""
        return Contents(
            self.unpacked - base.unpacked,
            self.compressed - base.compressed,
            {name: size for name, size in self.packages.items() if name not in base.packages},
            {path: size for path, size in self.files.items() if base.files.get(path) != size},
        )


def _shell(engine: Engine, image: str, script: str) -> str:
    return engine.output(Start(image, command=("sh", "-c", script), user="0"))


def _sizes(lines: str, unit: int = 1) -> dict[str, int]:
    pairs = (line.split(" ", 1) for line in lines.splitlines())
    return {name: int(size) * unit for size, name in pairs}


def _is_of_package(path: str, known: set[str]) -> bool:
    # A package may say /lib of what is in /usr/lib, to which /lib is a link.
    return path in known or path.removeprefix("/usr") in known


def contents(engine: Engine, image: str) -> Contents:
    """Lists an image."""
    printed = _shell(engine, image, f"\necho '{_LINE}'\n".join(_SCRIPTS)).split(f"{_LINE}\n")
    packages, files, known, unpacked, compressed = printed
    of_packages = set(known.splitlines())
    others = {
        path: size
        for path, size in _sizes(files).items()
        if not path.startswith(_MADE) and not _is_of_package(path, of_packages)
    }
    return Contents(int(unpacked), int(compressed), _sizes(packages, 1024), others)


def report(engine: Engine, image: str) -> str:
    """Returns what is in the image beside its base, for people."""
    base, whole = contents(engine, BASE), contents(engine, image)
    added = whole.beside(base)
    configuration = engine.configuration(image)
    libraries = [
        line.split(" => ")[0].strip() for line in _shell(engine, image, _LIBRARIES).splitlines()
    ]
    return "\n".join(
        (
            (
                f"{image}: {_megabytes(whole.unpacked)}, {_megabytes(whole.compressed)} compressed;"
                f" of it the base {_megabytes(base.unpacked)}, {_megabytes(base.compressed)}"
                " compressed"
            ),
            (
                f"user {configuration['User']}, in {configuration['WorkingDir']}:"
                f" {' '.join(configuration['Entrypoint'])}"
            ),
            f"{len(added.packages)} packages, {_megabytes(sum(added.packages.values()))}:",
            *_table(added.packages),
            f"{len(added.files)} other files, {_megabytes(sum(added.files.values()))}:",
            *_table(added.files),
            (
                "libraries of chartwright:"
                f" {', '.join(library.split(' (')[0] for library in libraries)}"
            ),
        )
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _table(sizes: dict[str, int]) -> list[str]:
    largest_first = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    return [f"  {size / 1e6:8.2f} MB  {name}" for name, size in largest_first]
