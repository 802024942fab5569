# SPDX-License-Identifier: Apache-2.0
"""Paths: the repository, and the folder for everything that outlives a run."""

import os
import pathlib

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def cache_dir() -> pathlib.Path:
    """Returns the folder for toolchains, built binaries and cluster state; creates it if absent.

    It is CHARTWRIGHT_CACHE if set, else follows the XDG base directory convention.
    """
    chosen = os.environ.get("CHARTWRIGHT_CACHE")
    if chosen:
        folder = pathlib.Path(chosen)
    else:
        base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
        folder = pathlib.Path(base) / "chartwright"
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder
