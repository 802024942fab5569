# SPDX-License-Identifier: Apache-2.0
"""Loads the scripts of .ci as modules."""

import importlib.machinery
import importlib.util
import sys

import pytest

from harness.paths import REPOSITORY


def load(name: str, monkeypatch: pytest.MonkeyPatch):
    """Returns the script .ci/`name` as a module, for as long as `monkeypatch` lasts."""
    module_name = f"ci_{name}"
    loader = importlib.machinery.SourceFileLoader(module_name, str(REPOSITORY / ".ci" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(module_name, loader))
    # Dataclasses look up their module by name.
    monkeypatch.setitem(sys.modules, module_name, module)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    return module
