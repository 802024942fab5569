# SPDX-License-Identifier: Apache-2.0
"""The pictures of the documents are what docs/pictures/draw.py draws."""

import runpy

from harness.paths import REPOSITORY

FOLDER = REPOSITORY / "docs" / "pictures"


def test_the_pictures_are_drawn_from_their_text():
    draw = runpy.run_path(str(FOLDER / "draw.py"))
    drawn = {"architecture.svg": draw["architecture"](), "reconcile.svg": draw["one_reconcile"]()}
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.svg")}
    assert kept == drawn, "run docs/pictures/draw.py"
