# SPDX-License-Identifier: Apache-2.0
"""Helm prints the same for a chart with and without its operator/ folder, in every version."""

import pathlib
import shutil
import subprocess

import pytest

from harness.paths import REPOSITORY

GOLDEN = REPOSITORY / "test" / "golden"
CHARTS = {
    path.parent.name: path.parent
    for folder in ("charts", "test/charts")
    for path in sorted((REPOSITORY / folder).glob("*/operator"))
    if (GOLDEN / path.parent.name).is_dir()
}


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    """Returns the files of the golden renders of those charts, and the lines about them."""
    files = (path for chart in CHARTS for path in sorted((folder / chart).rglob("*")))
    found = {str(path.relative_to(folder)): path.read_bytes() for path in files if path.is_file()}
    for path in folder.glob("helm_*.txt"):
        lines = path.read_text(encoding="utf-8").splitlines()
        about = [line for line in lines if line.split()[1].partition("/")[0] in CHARTS]
        found[path.name] = "\n".join(about).encode()
    return found


@pytest.mark.parametrize("ignored", [(), ("operator",)], ids=["with", "without"])
def test_real_helm_prints_the_goldens(tmp_path, ignored):
    assert len(CHARTS) >= 14, "the charts were not found"
    for name, chart in CHARTS.items():
        ignore = shutil.ignore_patterns(*ignored)
        shutil.copytree(chart, tmp_path / "charts" / name, ignore=ignore)
        shutil.copytree(GOLDEN / name, tmp_path / "golden" / name)
        for want in (tmp_path / "golden" / name).glob("*/want.*"):
            want.unlink()
    subprocess.run(
        [
            REPOSITORY / "test" / "oracle" / "run",
            "golden",
            tmp_path / "golden",
            tmp_path / "charts",
        ],
        check=True,
    )
    assert contents(tmp_path / "golden") == contents(GOLDEN)
