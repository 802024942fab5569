# SPDX-License-Identifier: Apache-2.0
"""The same attacks with a real control plane: those that pass its validation do no more harm."""

import contextlib

import pytest

from harness.cluster import Cluster
from hostile.catalogue import REAL_STAGES
from hostile.operators import meet, stage


@pytest.fixture(scope="module", name="stages")
def _stages():
    """One cluster, and one operator per group in turn, because all use the same good kind."""
    with Cluster.acquire() as cluster, contextlib.ExitStack() as current:
        made = {}

        def of(name: str):
            if name not in made:
                made.clear()
                current.close()
                made[name] = current.enter_context(stage(REAL_STAGES[name], cluster))
            return made[name]

        yield of


@pytest.mark.parametrize(
    ("group", "encounter"),
    [
        pytest.param(name, e, id=e.name)
        for name, encounters in REAL_STAGES.items()
        for e in encounters
    ],
)
def test_an_operator_survives(stages, group, encounter):
    meet(stages(group), encounter)
