# SPDX-License-Identifier: Apache-2.0
"""An operator under attack stays alive and small, reports the fault and continues."""

import contextlib

import pytest

from hostile.catalogue import FAULTS, LIMITS, STAGES
from hostile.operators import meet, stage
from hostile.tls import meet_fault


@pytest.fixture(scope="module", name="stages")
def _stages():
    """One operator per group, created at its first attack."""
    made = {}
    with contextlib.ExitStack() as stack:

        def of(name: str):
            if name not in made:
                made[name] = stack.enter_context(stage(STAGES[name], limit=LIMITS.get(name)))
            return made[name]

        yield of


def cases() -> list:
    """Returns the attacks as parameters; a known defect must fail, so that its fix is noticed."""
    return [
        pytest.param(
            name,
            e,
            id=e.name,
            marks=[pytest.mark.xfail(strict=True, reason=e.defect)] if e.defect else [],
        )
        for name, encounters in STAGES.items()
        for e in encounters
    ]


@pytest.mark.parametrize(("group", "encounter"), cases())
def test_an_operator_survives(stages, group, encounter):
    meet(stages(group), encounter)


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_an_operator_sends_nothing_to_a_server_with_wrong_tls(fault):
    meet_fault(fault)


def test_kinds_and_names_are_distinct():
    for encounters in STAGES.values():
        for names in ([e.kind.lower() for e in encounters], [e.name for e in encounters]):
            assert len(names) == len(set(names))
