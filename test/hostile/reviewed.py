# SPDX-License-Identifier: Apache-2.0
"""Attacks that once succeeded: crashes, uncounted memory, uncounted time."""

import io
import tarfile

from hostile.archives import MIB, archive, entry
from hostile.vector import CHART, TEMPLATE, Vector, chart, template

BUDGET = "render budget exceeded|memory"


def decoded(name: str, text: str) -> Vector:
    """An attack by the value that a decoder builds."""
    return template(name, f"{{{{ $x := {text} }}}}", BUDGET)


def templates_of_numbers(tar: tarfile.TarFile) -> None:
    """Adds 19 templates of almost 5 MiB, each with a million actions."""
    text = b"{{1}}" * (5 * MIB // 5 - 1)
    for n in range(19):
        tar.addfile(entry(f"hostile/templates/t{n}.txt", len(text)), io.BytesIO(text))


def subcharts() -> dict[str, str]:
    """Returns 19 subcharts with 1.7 million maps in their values."""
    files = {"Chart.yaml": CHART, TEMPLATE: "a: 1\n"}
    for n in range(19):
        files[f"charts/s{n}/Chart.yaml"] = CHART.replace("hostile", f"s{n}")
        files[f"charts/s{n}/values.yaml"] = "a: [" + "{}," * 1500000 + "]\n"
    return files


ALL = [
    Vector(
        "a common name of a million bytes",
        chart({TEMPLATE: 'a: {{ $c := genCA (repeat 1048576 "a") 1 }}ok\n'}),
        "genCA|" + BUDGET,
    ),
    Vector(
        "a common name of ten million bytes",
        chart({TEMPLATE: 'a: {{ $c := genSelfSignedCert (repeat 10000000 "a") nil nil 1 }}ok\n'}),
        "genSelfSignedCert|" + BUDGET,
    ),
    decoded(
        "a JSON text of 3 million maps ten times",
        'list }}{{ $t := printf "[%s0]" (repeat 3000000 "{},") }}{{ range until 10 }}'
        "{{ $x = append $x (fromJsonArray $t) }}{{ end }}{{ 1",
    ),
    decoded("a YAML list of 30 million nulls", 'fromYamlArray (repeat 30000000 "-\\n")'),
    decoded("a TOML text of 10 million tables", 'fromToml (repeat 10000000 "[[a]]\\n")'),
    template(
        "a template of 20 million actions",
        '{{ $t := repeat 20000000 "{{1}}" }}{{ tpl $t . }}',
        BUDGET,
    ),
    template(
        "a template of eight million pipelines",
        '{{ $t := repeat 8000000 "{{1|int}}" }}{{ tpl $t . }}',
        BUDGET,
    ),
    archive("an archive of templates of actions", templates_of_numbers, BUDGET, cpu_seconds=20),
    template(
        "digests of 200 MB, 200 times",
        '{{ $x := repeat 100000000 "ab" }}{{ range until 200 }}{{ $_ := sha256sum $x }}{{ end }}',
        BUDGET,
        cpu_seconds=15,
    ),
    template(
        "checksums of 200 MB, 200 times",
        '{{ $x := repeat 100000000 "ab" }}{{ range until 200 }}{{ $_ := adler32sum $x }}{{ end }}',
        BUDGET,
        cpu_seconds=15,
    ),
    Vector(
        "values of 19 subcharts",
        chart(subcharts()),
        "more than 4000000 members|" + BUDGET,
        cpu_seconds=20,
    ),
    template(
        "a long text against a pattern that is hard",
        '{{ regexMatch "(a{1,30}){1,30}b" (repeat 4000000 "a") }}',
        BUDGET,
        cpu_seconds=5,
    ),
    template(
        "a dict of many keys",
        '{{ $d := dict }}{{ range $i := until 160000 }}{{ $_ := set $d (print "k" $i) 1 }}{{ end'
        ' }}{{ fail "end" }}',
        r"\): end",
        cpu_seconds=5,
    ),
    template(
        "a dict that loses many keys",
        '{{ $d := dict }}{{ range $i := until 160000 }}{{ $_ := set $d (printf "k%06d" $i) 1 }}{{'
        ' end }}{{ range $i := until 160000 }}{{ $_ := unset $d (printf "k%06d" $i) }}{{ end }}{{'
        ' fail "end" }}',
        r"\): end",
        cpu_seconds=5,
    ),
    template(
        "a text with a match that begins everywhere",
        '{{ $_ := regexFindAll "a.*b|a" (repeat 4000000 "a") -1 }}',
        BUDGET,
        cpu_seconds=45,
    ),
]
