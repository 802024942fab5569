# SPDX-License-Identifier: Apache-2.0
"""Values, schemas, metadata and flags that are short but expensive to read."""

import itertools
import json

from hostile.vector import CHART, TEMPLATE, Vector, chart, template, values

BUDGET = "render budget exceeded"
# Nine levels of nine aliases: a billion scalars.
LAUGHS = 'a: &a ["x","x","x","x","x","x","x","x","x"]\n' + "".join(
    f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in itertools.pairwise("abcdefghi")
)
ALIASES = "excessive aliasing|too many aliases"
DEEP = "deep|nest|depth"


def yaml() -> list[Vector]:
    """Attacks by YAML."""
    flow, block, maps = "a: " + "[" * 1000000, "a:\n  " + "- " * 1000000 + "x", "{a: " * 500000
    wide = "".join(
        f"k{n}: &k{n} [{','.join([f'*k{n - 1}'] * 2 if n else ['1'])}]\n" for n in range(40)
    )
    merges = "a0: &a0 {x: 1}\n" + "".join(
        f"a{n}: &a{n}\n  <<: [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n  k{n}: *a{n - 1}\n"
        for n in range(1, 30)
    )
    return [
        values("aliases of aliases in values.yaml", LAUGHS, ALIASES),
        values("aliases in pairs in values.yaml", wide, ALIASES),
        values("merge keys of merge keys in values.yaml", merges, ALIASES),
        values("an alias to itself in values.yaml", "a: &a [*a]\n", "contains itself"),
        values("deep lists in values.yaml", flow, DEEP),
        values("deep block lists in values.yaml", block, DEEP),
        values("deep maps in values.yaml", maps, DEEP),
        values("a number of a million digits", "a: " + "9" * 1000000 + "\n", None),
        values(
            "a key of four million letters",
            "k" * 4000000 + ": 1\n",
            "mapping values are not allowed",
        ),
        Vector("aliases in Chart.yaml", chart({"Chart.yaml": CHART + LAUGHS}), ALIASES),
        Vector("aliases in a rendered document", chart({TEMPLATE: LAUGHS}), ALIASES),
        Vector(
            "aliases in a text that templates read",
            chart({TEMPLATE: 'a: {{ len (fromYaml (.Files.Get "laughs")) }}\n', "laughs": LAUGHS}),
            None,
        ),
        Vector(
            "a million documents",
            chart({TEMPLATE: "{{ range until 1000000 }}---\na: 1\n{{ end }}"}),
            None,
            cpu_seconds=20,
        ),
        Vector("deep lists in a rendered document", chart({TEMPLATE: flow}), DEEP),
    ]


def schemas() -> list[Vector]:
    """Attacks by JSON schemas."""

    def schema(
        name: str, body: dict | str, error: str | None, text: str = "a: 1\n", **rest
    ) -> Vector:
        files = {
            "values.schema.json": body if isinstance(body, str) else json.dumps(body),
            "values.yaml": text,
            TEMPLATE: "a: 1\n",
        }
        return Vector(name, chart(files), error, **rest)

    chain = {
        f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
        for n in range(60)
    }
    chain["d60"] = False
    every = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
        for n in range(60)
    }
    every["d60"] = True
    # Written by hand, because Python's encoder would recurse too deeply.
    nested = '{"not":' * 100000 + "true" + "}" * 100000
    text = json.dumps("a" * 200000)
    keys = "".join(f"k{n}: 1\n" for n in range(100000))
    return [
        schema("a schema that refers to itself", {"$ref": "#"}, "infinite loop|schema"),
        schema(
            "schemas that refer to each other in a circle",
            {
                "$ref": "#/$defs/a",
                "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
            },
            "infinite loop|schema",
        ),
        schema(
            "alternatives of alternatives",
            {"$ref": "#/$defs/d0", "$defs": chain},
            "schema|" + BUDGET,
            cpu_seconds=20,
        ),
        schema(
            "all of all", {"$ref": "#/$defs/d0", "$defs": every}, "schema|" + BUDGET, cpu_seconds=20
        ),
        schema("a deep schema", nested, DEEP),
        schema(
            "a reference to the network",
            {"$ref": "http://127.0.0.1:9/latest/meta-data"},
            "127.0.0.1:9",
        ),
        schema("a reference to a file", {"$ref": "file:///etc/passwd"}, "file:///etc/passwd"),
        schema(
            "a pattern that backtracks elsewhere",
            {"properties": {"a": {"pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"}}},
            "does not match pattern",
            f"a: {text}\n",
        ),
        schema(
            "a pattern of great size",
            {"properties": {"a": {"pattern": "((a{100}){100}){100}"}}},
            "regex",
        ),
        schema(
            "unique items of many",
            {"properties": {"a": {"uniqueItems": True}}},
            None,
            "a: " + json.dumps([{"k": n} for n in range(30000)]) + "\n",
        ),
        schema(
            "unique items that differ in their last letters",
            {"properties": {"a": {"uniqueItems": True}}},
            None,
            "a: " + json.dumps([["x" * 1000 + str(n)] for n in range(4500)]) + "\n",
        ),
        schema(
            "many patterns for many keys",
            {"patternProperties": {f"^k{n}x*$": {"type": "integer"} for n in range(1500)}},
            None,
            "".join(f"k{n}: 1\n" for n in range(3000)),
            cpu_seconds=20,
        ),
        schema(
            "very many patterns for very many keys",
            {"patternProperties": {f"^k{n}x*$": True for n in range(20000)}},
            "too many steps",
            keys,
        ),
        schema(
            "an enumeration of many for many",
            {"properties": {"a": {"items": {"enum": list(range(500000))}}}},
            "too many steps",
            "a: " + json.dumps([-1] * 500000) + "\n",
        ),
        schema(
            "dependencies of many for many",
            {
                "properties": {
                    "a": {"items": {"dependentRequired": {f"k{n}": [] for n in range(100000)}}}
                }
            },
            "too many steps",
            "a: " + json.dumps([{}] * 500000) + "\n",
        ),
        schema(
            "many schemas for many keys",
            {"allOf": [{"maxProperties": 99999999}] * 50000},
            "too many steps",
            keys,
        ),
        schema(
            "many schemas for a long text",
            {"properties": {"a": {"allOf": [{"maxLength": 9999999}] * 50000}}},
            "too many steps",
            "a: " + "x" * 4000000 + "\n",
        ),
    ]


def flags() -> list[Vector]:
    """Attacks by flags that set values; an operator takes them from overrideValues."""

    def flag(name: str, arguments: tuple[str, ...], error: str | None, **rest) -> Vector:
        return Vector(name, chart({TEMPLATE: "a: 1\n"}), error, arguments=arguments, **rest)

    many = ",".join(f"a{n}[65536]=1" for n in range(8000))
    nested = "a" + "[65535]" * 29 + "=1"
    fill = ",".join(f"a[{n}]=1" for n in range(60000, 50000, -1))
    return [
        flag(
            "an index of great size",
            ("--set", "a[99999999]=1"),
            "index of 99999999 is greater than maximum supported index of 65536",
        ),
        flag("many large indexes", ("--set", many), "indices skip more than 4194304 items"),
        flag("indexes of indexes", ("--set", nested), None),
        flag("many indexes of one list", ("--set", fill), None, cpu_seconds=20),
        flag(
            "a deep name",
            ("--set", ".".join("a" * 40000) + "=1"),
            "nested level is greater than maximum supported nested level of 30",
        ),
        flag("deep lists of a flag", ("--set", "a=" + "{" * 100000), "terminate|nest|deep"),
        flag(
            "a deep text of --set-json",
            ("--set-json", "a=" + "[" * 100000),
            "failed parsing --set-json data",
        ),
        flag("values from a device", ("-f", "/dev/zero"), "/dev/zero"),
        flag("a value from a device", ("--set-file", "a=/dev/zero"), "/dev/zero"),
        flag("a long version", ("--kube-version", "1." + "9" * 100000), "invalid kube version"),
        flag(
            "a name template without end",
            ("--name-template", "{{ range until 2000000000 }}{{ end }}"),
            BUDGET,
        ),
    ]


def metadata() -> list[Vector]:
    """Attacks by Chart.yaml and its dependencies."""
    aliases = "".join(
        f"- {{name: hostile, alias: a{n}, version: '*', repository: ''}}\n" for n in range(10)
    )
    files = {"Chart.yaml": CHART + "dependencies:\n" + aliases}
    path = ""
    for _ in range(12):
        path += "charts/hostile/"
        files[path + "Chart.yaml"] = CHART + "dependencies:\n" + aliases
    files[path + "Chart.yaml"] = CHART
    files[path + TEMPLATE] = "a: 1\n"
    many = "".join(f"k{n}: {{x: 1, y: [1, 2, 3], z: some text}}\n" for n in range(2000))
    nine = "".join(aliases.splitlines(keepends=True)[:9])
    wide = {
        "charts/hostile/" * n + name: text
        for n in range(5)
        for name, text in (
            ("Chart.yaml", CHART + (f"dependencies:\n{nine}" if n < 4 else "")),
            ("values.yaml", many),
        )
    }
    broad = {"values.yaml": "a: " + json.dumps({f"k{n}": n for n in range(200000)}) + "\n"}
    for n in range(200):
        broad[f"charts/s{n}/Chart.yaml"] = (
            f"apiVersion: v2\nname: s{n}\nversion: 0.1.0\ndependencies:\n- {{name: x, version: '*',"
            " repository: ''}\n"
        )
    broad["Chart.yaml"] = (
        CHART
        + "dependencies:\n"
        + "".join(f"- {{name: s{n}, version: '*', repository: ''}}\n" for n in range(200))
    )
    deep = {"Chart.yaml": CHART}
    for n in range(1, 120):
        deep["charts/hostile/" * n + "Chart.yaml"] = CHART
    return [
        Vector(
            "a chart named ..",
            chart({"Chart.yaml": "apiVersion: v2\nname: ..\nversion: 0.1.0\n", TEMPLATE: "a: 1\n"}),
            "name",
        ),
        Vector(
            "a chart named as a path",
            chart(
                {
                    "Chart.yaml": "apiVersion: v2\nname: ../../x\nversion: 0.1.0\n",
                    TEMPLATE: "a: 1\n",
                }
            ),
            "name",
        ),
        Vector("aliases of aliases of charts", chart(files), None),
        Vector(
            "aliases of aliases of charts in Helm 4",
            chart(files),
            "make more than 10000 charts",
            arguments=("--helm-version", "4.3"),
        ),
        Vector(
            "aliases of charts with many values in Helm 4",
            chart(wide),
            "copies more than 40000000 members",
            arguments=("--helm-version", "4.3"),
        ),
        Vector(
            "charts that all get many values", chart(broad), "copies more than 40000000 members"
        ),
        Vector("charts in charts in charts", chart(deep), "folders are nested more than 128 deep"),
        Vector(
            "a constraint of great length",
            chart(
                {
                    "Chart.yaml": CHART + 'kubeVersion: "' + ">1 || " * 100000 + '>1"\n',
                    TEMPLATE: "a: 1\n",
                }
            ),
            "kubeVersion",
        ),
        Vector(
            "a deep template folder",
            chart({"templates/" + "d/" * 500 + "t.yaml": "a: 1\n"}),
            "folders are nested more than 128 deep",
        ),
        Vector(
            "a .helmignore of many stars",
            chart(
                {".helmignore": "*a" * 60 + "*b\n", "files/" + "a" * 200: "x", TEMPLATE: "a: 1\n"}
            ),
            None,
        ),
        template(
            "a chart that asks for a secret of the machine",
            '{{ .Files.Get "/proc/self/environ" | required "no such file" }}',
            "no such file",
        ),
    ]


ALL = [*yaml(), *schemas(), *flags(), *metadata()]
