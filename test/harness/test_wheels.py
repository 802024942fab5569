# SPDX-License-Identifier: Apache-2.0
"""Checkers are installed once for each content of their list, however many ask at the same time."""

import concurrent.futures
import contextlib
import threading

import pytest

from harness import wheels


@pytest.fixture(name="requirements")
def in_empty_cache(tmp_path, monkeypatch):
    """A list of requirements, beside an empty cache."""
    monkeypatch.setenv("CHARTWRIGHT_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "tools.txt"
    file.write_text("checker==1\n", encoding="ascii")
    return file


@pytest.fixture(name="installs")
def without_pip(monkeypatch):
    """The folders that are installed, without pip."""
    folders = []

    def install(folder, _wanted):
        folder.mkdir(parents=True, exist_ok=True)
        folders.append(folder)

    monkeypatch.setattr(wheels, "install", install)
    return folders


def test_one_of_many_installs_and_the_others_wait(requirements, installs, monkeypatch):
    many = 8
    all_ask = threading.Barrier(many)
    lock = wheels.locked

    @contextlib.contextmanager
    def lock_when_all_ask(path):
        all_ask.wait(timeout=60)
        with lock(path):
            yield

    monkeypatch.setattr(wheels, "locked", lock_when_all_ask)
    with concurrent.futures.ThreadPoolExecutor(many) as pool:
        found = set(pool.map(wheels.installed, [requirements] * many))
    assert [*found] == installs and len(installs) == 1


def test_another_list_has_an_environment_of_its_own(requirements, installs):
    first = wheels.installed(requirements)
    requirements.write_text("checker==2\n", encoding="ascii")
    assert wheels.installed(requirements) != first and len(installs) == 2


def test_what_was_interrupted_is_installed_again(requirements, installs, monkeypatch):
    def fail(folder, _wanted):
        folder.mkdir(parents=True)
        raise wheels.InstallError("no network")

    with monkeypatch.context() as patch, pytest.raises(wheels.InstallError):
        patch.setattr(wheels, "install", fail)
        wheels.installed(requirements)
    assert wheels.installed(requirements).is_dir() and len(installs) == 1
