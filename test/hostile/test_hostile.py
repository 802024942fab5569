# SPDX-License-Identifier: Apache-2.0
"""Charts that are made to do harm end in a clear error, soon and in little memory."""

import re

import pytest

from hostile import archives, documents, templates
from hostile.measure import attack

VECTORS = [*templates.ALL, *documents.ALL, *archives.ALL]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_a_hostile_chart_is_contained(vector):
    outcome = attack(vector)
    if vector.error is None:
        assert outcome.code == 0, outcome.err[:1000]
    else:
        assert outcome.code == 1, outcome.err[:1000]
        assert outcome.err.startswith("Error: ")
        assert re.search(vector.error, outcome.err, re.DOTALL), outcome.err[:1000]
        assert outcome.out == ""
    if vector.output is not None:
        assert outcome.out == vector.output
    assert outcome.cpu_seconds <= vector.cpu_seconds
    assert outcome.rss_mib <= vector.rss_mib


def test_names_are_distinct():
    names = [vector.name for vector in VECTORS]
    assert len(names) == len(set(names))
