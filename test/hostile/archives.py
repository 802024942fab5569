# SPDX-License-Identifier: Apache-2.0
"""Archives and folders that are not what they appear to be."""

import gzip
import io
import os
import pathlib
import tarfile
from collections.abc import Callable

from hostile.vector import CHART, TEMPLATE, Vector

FILES = {"hostile/Chart.yaml": CHART, f"hostile/{TEMPLATE}": "a: 1\n"}
PARENT = "chart illegally references parent directory"
MIB = 1 << 20


def entry(name: str, size: int = 0, **header) -> tarfile.TarInfo:
    """Returns a member of an archive; `header` sets further fields."""
    info = tarfile.TarInfo(name)
    info.size = size
    for key, value in header.items():
        setattr(info, key, value)
    return info


def archive(
    name: str, fill: Callable[[tarfile.TarFile], None], error: str | None, **rest
) -> Vector:
    """An attack by a .tgz with a good chart and the additions of `fill`."""

    def make(folder: pathlib.Path) -> pathlib.Path:
        path = folder / "hostile.tgz"
        with tarfile.open(path, "w:gz", compresslevel=1) as tar:
            for file, text in FILES.items():
                tar.addfile(entry(file, len(text)), io.BytesIO(text.encode()))
            fill(tar)
        return path

    return Vector(name, make, error, **rest)


def member(name: str, path: str, error: str | None, data: bytes = b"x", **header) -> Vector:
    """An attack by one member of an archive."""
    return archive(
        name, lambda tar: tar.addfile(entry(path, len(data), **header), io.BytesIO(data)), error
    )


class Zeros(io.RawIOBase):
    """An endless stream of zero bytes."""

    def read(self, size: int = -1) -> bytes:
        return bytes(size)


def bomb(tar: tarfile.TarFile) -> None:
    """Adds 400 MiB in files that are individually small enough."""
    for n in range(100):
        tar.addfile(entry(f"hostile/files/f{n}", 4 * MIB), Zeros())


def subchart_bomb(tar: tarfile.TarFile) -> None:
    """Adds a subchart archive that is a bomb."""
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz", compresslevel=9) as sub:
        text = CHART.replace("hostile", "sub")
        sub.addfile(entry("sub/Chart.yaml", len(text)), io.BytesIO(text.encode()))
        for n in range(60):
            sub.addfile(entry(f"sub/files/f{n}", 4 * MIB), Zeros())
    data = inner.getvalue()
    tar.addfile(entry("hostile/charts/sub-0.1.0.tgz", len(data)), io.BytesIO(data))


def many(tar: tarfile.TarFile) -> None:
    """Adds 300,000 empty files."""
    for n in range(300000):
        tar.addfile(entry(f"hostile/files/f{n}"))


def folder(name: str, fill: Callable[[pathlib.Path], None], error: str | None, **rest) -> Vector:
    """An attack by a chart folder with the additions of `fill`."""

    def make(where: pathlib.Path) -> pathlib.Path:
        for path, text in FILES.items():
            (where / path).parent.mkdir(parents=True, exist_ok=True)
            (where / path).write_text(text)
        fill(where / "hostile")
        return where / "hostile"

    return Vector(name, make, error, **rest)


def file(name: str, data: bytes, error: str) -> Vector:
    """An attack by a file that pretends to be an archive."""

    def make(where: pathlib.Path) -> pathlib.Path:
        (where / "hostile.tgz").write_bytes(data)
        return where / "hostile.tgz"

    return Vector(name, make, error)


def long_name() -> bytes:
    """Returns an archive whose first member declares a name of 8 GiB."""
    info = entry("././@LongLink", 8 << 30, type=tarfile.GNUTYPE_LONGNAME)
    return gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(MIB))


ARCHIVES = [
    archive(
        "an archive of 400 MiB of zeros",
        bomb,
        "decompressed chart is larger than the maximum file size 104857600",
    ),
    archive(
        "an archive in an archive",
        subchart_bomb,
        "decompressed chart is larger than the maximum file size",
    ),
    archive(
        "a file larger than is allowed",
        lambda tar: tar.addfile(entry("hostile/f", 6 * MIB), Zeros()),
        "larger than the maximum file size 5242880",
    ),
    archive(
        "many files", many, "decompressed chart is larger than the maximum file size 104857600"
    ),
    member("a path to the parent folder", "hostile/../../evil", PARENT),
    member("a path to the parent folder in the first part", "../evil/x", None),
    member("a path with backslashes", "hostile\\..\\..\\evil", PARENT),
    member("an absolute path", "hostile//etc/evil", "chart illegally contains absolute paths"),
    member("a drive letter", "hostile/c:/evil", "chart contains illegally named files"),
    member("a second Chart.yaml", "hostile/Chart.yaml", None, b"name: other\n"),
    member(
        "a symbolic link",
        "hostile/templates/link.yaml",
        None,
        b"",
        type=tarfile.SYMTYPE,
        linkname="/etc/passwd",
    ),
    member(
        "a hard link",
        "hostile/templates/link.yaml",
        None,
        b"",
        type=tarfile.LNKTYPE,
        linkname="/etc/passwd",
    ),
    member(
        "a device",
        "hostile/templates/zero.yaml",
        None,
        b"",
        type=tarfile.CHRTYPE,
        devmajor=1,
        devminor=5,
    ),
    file("an archive that is cut off", gzip.compress(os.urandom(100000))[:50000], "Error: "),
    file(
        "a file that is not an archive", b"junk" * 1000, "does not appear to be a gzipped archive"
    ),
    file("an archive of nothing", gzip.compress(b""), "no files|Chart.yaml"),
    file("a name of 8 GiB", long_name(), "Error: "),
]

FOLDERS = [
    folder("a link to a folder above", lambda chart: (chart / "files").symlink_to("."), "Error: "),
    folder(
        "links in a circle",
        lambda chart: ((chart / "a").symlink_to("b"), (chart / "b").symlink_to("a")),
        "Error: .*too many",
    ),
    folder(
        "a link to a device",
        lambda chart: (chart / "zero").symlink_to("/dev/zero"),
        "cannot load irregular file .* as it has file mode type bits set",
    ),
    folder(
        "a named pipe",
        lambda chart: os.mkfifo(chart / "pipe"),
        "cannot load irregular file .* as it has file mode type bits set",
    ),
    folder(
        "a file larger than is allowed in a folder",
        lambda chart: (chart / "f").write_bytes(bytes(6 * MIB)),
        "larger than the maximum file size 5242880",
    ),
]

ALL = [*ARCHIVES, *FOLDERS]
