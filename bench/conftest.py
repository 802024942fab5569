# SPDX-License-Identifier: Apache-2.0
"""Adds test/ to the module path, for the harness."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test"))
