# SPDX-License-Identifier: Apache-2.0
"""Selection of the Go toolchain: the machine's if its release is right, else the pinned one."""

import pathlib
import stat

import pytest

from cluster import go_toolchain


@pytest.fixture(name="machine")
def machine_with_go(tmp_path, monkeypatch):
    """A machine with the pinned Go in its cache and a Go of the version that a test sets."""
    monkeypatch.setenv("CHARTWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(go_toolchain.CHOICE, raising=False)
    folder = tmp_path / "cache" / f"{go_toolchain.WHEEL}-{go_toolchain.WHEEL_VERSION}" / "bin"
    folder.mkdir(parents=True)
    (folder / "go").touch()

    def with_go(version: str) -> pathlib.Path:
        go = tmp_path / "go"
        go.write_text(f"#!/bin/sh\necho go version {version} linux/amd64\n", encoding="ascii")
        go.chmod(go.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        return go

    return with_go


@pytest.mark.parametrize("version", ["go1.26", "go1.26.0", "go1.26.8", "go1.26.10"])
def test_any_patch_of_the_release_is_used(machine, version):
    """Patch releases do not change any output."""
    go = machine(version)
    assert go_toolchain.find_or_install() == go


@pytest.mark.parametrize(
    "version", ["go1.19.8", "go1.25.9", "go1.27.2", "go1.260.1", "go1.2", "devel"]
)
def test_another_release_is_ignored(machine, version):
    """Older releases cannot build the modules; newer ones word errors differently."""
    machine(version)
    assert go_toolchain.WHEEL_VERSION in str(go_toolchain.find_or_install())


def test_the_pinned_toolchain_is_used_on_request(machine, monkeypatch):
    """Lets a machine with Go behave like one without."""
    machine("go1.26.8")
    monkeypatch.setenv(go_toolchain.CHOICE, "pinned")
    assert go_toolchain.WHEEL_VERSION in str(go_toolchain.find_or_install())
