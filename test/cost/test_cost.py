# SPDX-License-Identifier: Apache-2.0
"""The charge of every template function bounds the cost of a call (test/cost/cost.cc)."""

import subprocess

from harness.paths import REPOSITORY

BYTES = 1 << 20


def test_every_function_pays_for_what_it_costs():
    """Runs every function and growing argument; the program prints the violations."""
    done = subprocess.run(
        [REPOSITORY / "build" / "release" / "test" / "cost" / "cost", str(BYTES)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    assert ": 0 break the law" in done.stdout
