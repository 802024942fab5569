# SPDX-License-Identifier: Apache-2.0
"""Charts that `template` renders or refuses, met by an operator: the same vectors, each as a kind of its own."""

from hostile import encodings, globs, regexps, tags, versions
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


# What does not load ends the operator at its start, as `template` ends: only what loads is met.
LOADED = [v for group in (globs, regexps, versions, tags, encodings) for v in group.ALL if v.reconciled and "cannot load" not in (v.error or "")]
ALL = [encountered(n, v) for n, v in enumerate(LOADED)]
