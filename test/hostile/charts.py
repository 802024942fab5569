# SPDX-License-Identifier: Apache-2.0
"""Runs attacks on `template` against an operator, each with a kind of its own."""

from hostile import decoders, encodings, globs, regexps, schemas, tags, versions
from hostile.operators import CONFIG_MAP, Encounter, Stage
from hostile.vector import CHART, TEMPLATE, Vector

# An operator tries again soon after a failure, which may be before it is asked how it is.
ATTEMPTS = 2
# A condition shows the outcome, whether the attack fails or has no effect.
REPORTED = '"type": "(Irreconcilable|ReleaseFailed|Deployed)"'


def encountered(number: int, vector: Vector) -> Encounter:
    """Returns the attack as a kind of its own."""
    kind = f"Chart{number}"

    def attack(on: Stage) -> None:
        on.put(kind)

    files = {path: text for path, text in vector.make.files.items() if path != "Chart.yaml"}
    # An API server does not know the rendered object, so a ConfigMap is added that it can apply.
    files[TEMPLATE] = (
        CONFIG_MAP + "---\n" + text_of(files[TEMPLATE])
        if vector.error is None
        else text_of(files[TEMPLATE])
    )
    return Encounter(
        f"operator: {vector.name}",
        kind,
        attack,
        REPORTED,
        {"Chart.yaml": CHART.replace("hostile", kind.lower()), **files},
        cpu_seconds=ATTEMPTS * vector.cpu_seconds,
        rss_mib=vector.rss_mib,
        secret=vector.secret,
    )


def text_of(data: str | bytes) -> str:
    """Returns a template as a string."""
    return data if isinstance(data, str) else data.decode()


def loads(vector: Vector) -> bool:
    """Reports whether the chart loads: else the operator fails at start, like `template`."""
    return vector.reconciled and "cannot load" not in (vector.error or "")


GROUPS = [
    *(
        [vector for vector in group.ALL if loads(vector)]
        for group in (globs, regexps, versions, tags, encodings, schemas)
    ),
    *(
        [growth.vector(1) for growth in family()]
        for family in (decoders.yaml, decoders.toml, decoders.json)
    ),
]
# Number of attacks per group that run on a real control plane.
REAL_COUNT = 10
ALL = [
    encountered(n, vector)
    for n, vector in enumerate(vector for group in GROUPS for vector in group)
]
_real = {f"operator: {vector.name}" for group in GROUPS for vector in group[:REAL_COUNT]}
REAL = [encounter for encounter in ALL if encounter.name in _real]
