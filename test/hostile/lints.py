# SPDX-License-Identifier: Apache-2.0
"""Input that only `chartwright lint` analyses: keys, objects, test values, exported kinds."""

import json

from hostile.vector import CHART, TEMPLATE, Vector, chart, linted

FAILED = r"Error: 1 chart\(s\) linted, 1 chart\(s\) failed"
BUDGET = "render budget exceeded"
MIB = 1 << 20
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: "
THING = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\n"


def given(
    name: str, arguments: tuple[str, ...], error: str | None, files: dict | None = None, **rest
) -> Vector:
    """An attack by flags and files next to the chart; `HERE` in a flag is its folder."""
    make = chart({TEMPLATE: "a: 1\n", **(files or {})})
    flags = tuple(argument.replace("HERE", "hostile") for argument in arguments)
    return Vector(name, make, error, command="lint", arguments=flags, **rest)


def keys() -> list[Vector]:
    """Attacks on the search for keys."""
    chain = '{{ define "a0" }}{{ .x }}{{ end }}' + "".join(
        f'{{{{ define "a{n}" }}}}{{{{ include "a{n - 1}" . }}}}{{{{ include "a{n - 1}" . }}}}{{{{'
        " end }}"
        for n in range(1, 40)
    )
    branches = "".join(
        f"{{{{ if .Values.k{n} }}}}{{{{ $x = .Values.a{n} }}}}{{{{ end }}}}" for n in range(2000)
    )
    return [
        linted(
            "lint: includes as a tree",
            {TEMPLATE: chain + '{{ if .Values.no }}{{ include "a39" .Values }}{{ end }}\n'},
            None,
        ),
        linted(
            "lint: includes in a circle",
            {
                TEMPLATE: (
                    '{{ define "a" }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ include "a" .'
                    ' }}{{ end }}{{ if .Values.no }}{{ include "a" . }}{{ end }}\n'
                )
            },
            None,
        ),
        linted("lint: branches after branches", {TEMPLATE: "{{ $x := 1 }}" + branches}, None),
        linted(
            "lint: branches within branches",
            {TEMPLATE: "{{ if .Values.a }}" * 500 + "{{ end }}" * 500},
            None,
        ),
        linted(
            "lint: a deep field",
            {TEMPLATE: "{{ if .Values.a }}{{ .Values" + ".a" * 100000 + " }}{{ end }}\n"},
            None,
        ),
        linted(
            "lint: many keys",
            {
                "values.yaml": "".join(f"key{n}: 1\n" for n in range(50000)),
                TEMPLATE: "{{ .Values.keyx }}",
            },
            None,
        ),
        linted(
            "lint: many wrong keys against many",
            {
                "values.yaml": "".join(f"key{n}: 1\n" for n in range(3000)),
                TEMPLATE: "".join(f"{{{{ .Values.kez{n} }}}}" for n in range(3000)),
            },
            None,
            cpu_seconds=20,
        ),
        linted(
            "lint: long keys that are much alike",
            {
                "values.yaml": "".join("k" * 900 + f"{n}: 1\n" for n in range(500)),
                TEMPLATE: "".join("{{ .Values." + "k" * 900 + f"x{n} }}}}" for n in range(200)),
            },
            None,
            cpu_seconds=20,
        ),
        linted(
            "lint: a variable that grows",
            {
                TEMPLATE: (
                    "{{ $x := .Values }}"
                    + "{{ $x = merge $x $x }}" * 2000
                    + "{{ if .Values.a }}{{ $x.b }}{{ end }}"
                )
            },
            None,
        ),
        linted(
            "lint: a dict of itself",
            {
                TEMPLATE: (
                    '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ if .Values.a }}{{ $d.d.d.d.x }}{{'
                    " end }}"
                )
            },
            None,
        ),
        linted(
            "lint: ranges of ranges",
            {TEMPLATE: "{{ range .Values.a }}" * 200 + "{{ .b }}" + "{{ end }}" * 200},
            None,
        ),
        linted(
            "lint: a template of 4 MiB",
            {TEMPLATE: "{{ .Values.a }}\n" * (4 * MIB // 16)},
            None,
            cpu_seconds=20,
        ),
    ]


def objects() -> list[Vector]:
    """Attacks by rendered objects, which lint compares with the kinds of Kubernetes."""
    nested = json.dumps(
        {
            "template": {
                "spec": {
                    "containers": [
                        {"name": "c", "env": [{"name": f"n{n}", "values": 1} for n in range(20000)]}
                    ]
                }
            }
        }
    )
    return [
        linted(
            "lint: many unknown fields",
            {TEMPLATE: DEPLOYMENT + json.dumps({f"replica{n}": 1 for n in range(20000)}) + "\n"},
            FAILED,
            cpu_seconds=20,
        ),
        linted(
            "lint: many faults in one list",
            {TEMPLATE: DEPLOYMENT + nested + "\n"},
            FAILED,
            cpu_seconds=20,
        ),
        linted(
            "lint: a field of a million letters",
            {TEMPLATE: DEPLOYMENT + '{"' + "r" * 1000000 + '": 1}\n'},
            FAILED,
        ),
        linted(
            "lint: deep unknown fields",
            {TEMPLATE: DEPLOYMENT + "{a: " * 5000 + "1" + "}" * 5000 + "\n"},
            FAILED,
        ),
        linted(
            "lint: a CRD that refers to itself",
            {
                "crds/c.yaml": (
                    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:"
                    " {name: a.b}\nspec: {group: b, names: {kind: A}, versions: [{name: v1, schema:"
                    " {openAPIV3Schema: &a {properties: {x: *a}}}}]}\n"
                ),
                TEMPLATE: THING + "a: 1\n",
            },
            None,
        ),
        linted(
            "lint: a CRD of great depth",
            {
                "crds/c.yaml": (
                    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:"
                    " {name: a.b}\nspec: {group: b, names: {kind: A}, versions: [{name: v1, schema:"
                    " {openAPIV3Schema: "
                    + "{properties: {x: " * 2000
                    + "{}"
                    + "}}" * 2000
                    + "}}]}\n"
                ),
                TEMPLATE: "apiVersion: b/v1\nkind: A\nmetadata: {name: x}\nx: 1\n",
            },
            None,
        ),
        linted(
            "lint: many documents",
            {TEMPLATE: (DEPLOYMENT + "{replicas: x}\n---\n") * 2000},
            FAILED,
            cpu_seconds=20,
        ),
        linted("lint: an object without a name", {TEMPLATE: "apiVersion: v1\nkind: Pod\n"}, FAILED),
        linted(
            "lint: objects that are lists and texts",
            {TEMPLATE: "apiVersion: [1]\nkind: {a: 1}\nmetadata: text\n"},
            FAILED,
        ),
        linted(
            "lint: metadata of every wrong type",
            {
                TEMPLATE: (
                    "apiVersion: v1\nkind: Pod\nmetadata: {name: 1, labels: [a], annotations: {b:"
                    " [c]}}\nspec: 5\n"
                )
            },
            FAILED,
        ),
    ]


def inputs() -> list[Vector]:
    """Attacks by test values, Chart.yaml and exported kinds."""
    many = {f"ci/c{n}-values.yaml": "a: 1\n" for n in range(300)}
    definitions = {
        f"d{n}": {"properties": {"x": {"$ref": f"#/definitions/d{(n + 1) % 50}"}}}
        for n in range(50)
    }
    definitions["d0"]["x-kubernetes-group-version-kind"] = [
        {"group": "", "version": "v1", "kind": "A"}
    ]
    return [
        linted(
            "lint: many test values",
            {TEMPLATE: THING + "a: {{ .Values.a }}\n", "values.yaml": "a: 1\n", **many},
            None,
            cpu_seconds=20,
        ),
        linted(
            "lint: a template that loops for each of the test values",
            {
                TEMPLATE: (
                    "{{ range until 1000 }}{{ range until 1000 }}{{ range until 1000 }}{{ end }}{{"
                    " end }}{{ end }}"
                ),
                "ci/a-values.yaml": "a: 1\n",
            },
            BUDGET,
            cpu_seconds=40,
        ),
        linted(
            "lint: test values that are broken",
            {TEMPLATE: "a: 1\n", "ci/a-values.yaml": "a: [", "ci/b-values.yaml": b"\xff\xfe\0"},
            FAILED,
        ),
        linted(
            "lint: test values of aliases",
            {
                TEMPLATE: "a: 1\n",
                "ci/a-values.yaml": (
                    "a: &a [1,1,1,1,1,1,1,1,1]\n"
                    + "".join(
                        f"b{n}: &b{n} [{','.join(['*' + ('a' if n == 0 else f'b{n - 1}')] * 9)}]\n"
                        for n in range(9)
                    )
                ),
            },
            FAILED,
        ),
        linted(
            "lint: Chart.yaml of every wrong type",
            {"Chart.yaml": "apiVersion: [1]\nname: {}\nversion: [x]\nicon: 5\nmaintainers: text\n"},
            FAILED,
        ),
        linted(
            "lint: maintainers without end",
            {
                "Chart.yaml": (
                    CHART
                    + "maintainers:\n"
                    + "".join(f"- {{name: n{n}, email: 'a@', url: ':'}}\n" for n in range(20000))
                ),
                TEMPLATE: "a: 1\n",
            },
            FAILED,
        ),
        linted(
            "lint: an icon of a million letters",
            {"Chart.yaml": CHART + "icon: " + "a" * 1000000 + "\n", TEMPLATE: "a: 1\n"},
            FAILED,
        ),
        given(
            "lint: exported kinds in a circle",
            ("--openapi", "HERE/o.json"),
            None,
            {
                "o.json": json.dumps({"definitions": definitions}),
                TEMPLATE: "apiVersion: v1\nkind: A\nmetadata: {name: a}\n",
            },
        ),
        given(
            "lint: exported kinds that are deep",
            ("--openapi", "HERE/o.json"),
            "--openapi",
            {"o.json": '{"definitions":' + '{"a":' * 100000},
        ),
        given(
            "lint: exported kinds that are not JSON",
            ("--openapi", "HERE/o.json"),
            "--openapi",
            {"o.json": "<html>"},
        ),
        given(
            "lint: exported kinds from a device",
            ("--openapi", "/dev/zero"),
            "larger than the limit",
        ),
        linted("lint: no chart at all", {"Chart.yaml": b"", TEMPLATE: "a: 1\n"}, FAILED),
        linted(
            "lint: deprecated kinds over and over",
            {
                TEMPLATE: "".join(
                    "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name:"
                    f" a{i}}}\n---\n"
                    for i in range(3000)
                )
            },
            None,
            cpu_seconds=20,
        ),
        linted(
            "lint: a Secret's value of a wrong type",
            {
                TEMPLATE: (
                    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {password:"
                    " [hunter2hunter2]}\nstringData: {a: {b: hunter2hunter2}}\n"
                )
            },
            FAILED,
            secret="hunter2hunter2",
        ),
    ]


ALL = [*keys(), *objects(), *inputs()]
