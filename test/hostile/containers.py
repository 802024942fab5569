# SPDX-License-Identifier: Apache-2.0
"""Renders that use all available memory, but must stay within the limit in deploy/."""

from harness.confinement import MIB, shipped_limit
from hostile.operators import CONFIG_MAP, Encounter
from hostile.vector import TEMPLATE

LIMIT = shipped_limit()
# The operator itself uses at least this much.
RESIDENT_MIB = 8
# Less than the 512 MiB that a render may hold on a larger machine.
REPORTED = r"more than [1-6]\d{7} bytes of memory"


def hoard(name: str, text: str) -> Encounter:
    """An attack by a template that uses all available memory."""
    kind = "H" + "".join(word.capitalize() for word in name.split())
    return Encounter(
        f"in the shipped container, {name}",
        kind,
        lambda on: on.put(kind),
        REPORTED,
        {TEMPLATE: f"{CONFIG_MAP}---\n{text}\n"},
        rss_mib=LIMIT // MIB - RESIDENT_MIB,
    )


ALL = [
    hoard(
        "a text that doubles", '{{ $x := "a" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}'
    ),
    hoard(
        "texts in a list",
        "{{ $l := list }}{{ range $i := until 2000 }}{{ $l = append $l (repeat 1000000 (toString"
        " $i)) }}{{ end }}",
    ),
    hoard(
        "decoded lists",
        '{{ $l := list }}{{ range until 100 }}{{ $l = append $l (fromJsonArray (printf "[%s0]"'
        ' (repeat 100000 "{},"))) }}{{ end }}',
    ),
    hoard("decoded YAML", '{{ $x := fromYamlArray (repeat 3000000 "-\\n") }}'),
    hoard("a template of many actions", '{{ tpl (repeat 2000000 "{{1}}") . }}'),
    hoard("much output", '{{ range until 100 }}{{ repeat 1000000 "a" }}{{ end }}'),
    hoard(
        "a deep template with a text",
        '{{ define "d" }}{{ if . }}{{ $x := repeat 100000 "a" }}{{ include "d" (sub . 1) }}{{ end'
        ' }}{{ end }}{{ include "d" 900 }}',
    ),
]
