# SPDX-License-Identifier: Apache-2.0
"""No function of templates is free: what a call costs is bounded by what it is charged (test/cost/cost.cc)."""

import subprocess

from harness.paths import REPOSITORY

BYTES = 1 << 20


def test_every_function_pays_for_what_it_costs():
    """Every function and argument that can grow; the program prints what breaks the law."""
    done = subprocess.run(
        [REPOSITORY / "build" / "dev" / "test" / "cost" / "cost", str(BYTES)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    assert ": 0 break the law" in done.stdout
