# SPDX-License-Identifier: Apache-2.0
"""Charts that `template` renders or refuses, met by an operator: the same vectors, each as a kind of its own."""

from hostile import decoders, encodings, globs, regexps, schemas, tags, versions
from hostile.operators import CONFIG_MAP, Encounter, Stage
from hostile.vector import CHART, TEMPLATE, Vector

# Whether the attack fails or finds nothing to attack, a condition says so.
TOLD = '"type": "(Irreconcilable|ReleaseFailed|Deployed)"'


def encountered(number: int, vector: Vector) -> Encounter:
    """The attack as a kind of its own."""
    kind = f"Chart{number}"

    def attack(on: Stage) -> None:
        on.put(kind)

    files = {path: text for path, text in vector.make.files.items() if path != "Chart.yaml"}
    # What it renders is text that no API server knows; as data of a ConfigMap it is applied, too.
    files[TEMPLATE] = CONFIG_MAP + "---\n" + text_of(files[TEMPLATE]) if vector.error is None else text_of(files[TEMPLATE])
    return Encounter(f"operator: {vector.name}", kind, attack, TOLD, {"Chart.yaml": CHART.replace("hostile", kind.lower()), **files},
                     cpu_seconds=vector.cpu_seconds, rss_mib=vector.rss_mib, secret=vector.secret)


def text_of(data: str | bytes) -> str:
    """A template as text."""
    return data if isinstance(data, str) else data.decode()


def loads(vector: Vector) -> bool:
    """Whether the operator gets to render it: what does not load ends it at its start, as `template` ends."""
    return vector.reconciled and "cannot load" not in (vector.error or "")


GROUPS = [
    *([vector for vector in group.ALL if loads(vector)] for group in (globs, regexps, versions, tags, encodings, schemas)),
    *([growth.vector(1) for growth in family()] for family in (decoders.yaml, decoders.toml, decoders.json)),
]
# Of each group as many meet an operator on a real control plane.
REAL_COUNT = 10
ALL = [encountered(n, vector) for n, vector in enumerate(vector for group in GROUPS for vector in group)]
_real = {f"operator: {vector.name}" for group in GROUPS for vector in group[:REAL_COUNT]}
REAL = [encounter for encounter in ALL if encounter.name in _real]
