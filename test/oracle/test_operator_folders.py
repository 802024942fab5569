# SPDX-License-Identifier: Apache-2.0
"""Helm prints the same for a chart with and without its operator/ folder."""

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
    """Returns the golden renders of those charts."""
    files = (path for chart in CHARTS for path in (folder / chart).glob("*/want.*"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


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
    found = contents(tmp_path / "golden")
    assert len(found) > 60
    assert found == contents(GOLDEN)
