# SPDX-License-Identifier: Apache-2.0
"""A generated CRD refuses what Helm refuses for a chart's schema, and nothing else.

Each case has a schema, the content of values.yaml, and specs. Helm judges each spec, and so does
the API server. They agree wherever no note of `generate crd` says that a rule is not checked; with
such a note the API server may accept more.
"""

import dataclasses
import itertools
import json
import subprocess

import pytest

from cluster import build
from e2e import session
from harness.connection import ApiError
from harness.kube import wait_until
from harness.operator import default_binary

GROUP = "rules.example.com"
STRING, INTEGER, NUMBER, BOOLEAN = (
    {"type": name} for name in ("string", "integer", "number", "boolean")
)


def table(properties: dict, **more) -> dict:
    """Returns the schema of a closed table."""
    closed = {"type": "object", "additionalProperties": False, "properties": properties}
    return closed | more


@dataclasses.dataclass(frozen=True)
class Case:
    """A schema, and specs that it accepts or refuses."""

    schema: dict
    specs: list
    defaults: dict = dataclasses.field(default_factory=dict)
    notes: tuple = ()  # A part of each note, in their order.


HOSTILE = ["it's", 'say "x"', "back\\slash", "a\nb", "tab\t", "grün", "#{x}", "': ", "a  b", ""]
ODD_NAMES = ["a-b", "a.b", "a/b", "__x", "a__b", "_a__", "___", "in", "namespace", "true", "size"]

CASES = {
    "if-then-else": Case(
        table(
            {"mode": {"enum": ["one", "many"]}, "replicas": INTEGER, "host": STRING},
            **{
                "if": {"properties": {"mode": {"const": "many"}}, "required": ["mode"]},
                "then": {"properties": {"replicas": {"minimum": 3}}, "required": ["replicas"]},
                "else": {"properties": {"replicas": {"maximum": 1}}},
            },
        ),
        [
            {},
            {"mode": "many"},
            {"mode": "many", "replicas": 2},
            {"mode": "many", "replicas": 3},
            {"mode": "one", "replicas": 3},
            {"replicas": 2},
            {"replicas": 1, "host": "a"},
        ],
        {"mode": "one"},
    ),
    "if-of-a-default-that-meets-it": Case(
        table(
            {"tls": BOOLEAN, "cert": STRING, "key": STRING, "plain": BOOLEAN},
            **{
                "if": {"properties": {"tls": {"const": True}}},
                "then": {"required": ["cert"], "not": {"required": ["plain"]}},
                "else": {"properties": {"plain": {"enum": [True]}}, "required": ["plain"]},
            },
        ),
        [
            {},
            {"cert": "a"},
            {"tls": False},
            {"tls": False, "plain": False},
            {"tls": False, "plain": True},
            {"cert": "a", "plain": True},
        ],
        {"tls": True},
    ),
    "dependent-required": Case(
        table(
            dict.fromkeys("abcd", STRING),
            dependentRequired={"a": ["b", "c"], "c": ["d"]},
        ),
        [{}, {"a": "x"}, {"a": "x", "b": "x"}, {"d": "x"}, {"a": "x", "b": "x", "d": "x"}],
        {"c": "usual"},
    ),
    "dependencies-of-draft-4": Case(
        table(
            dict.fromkeys("abc", STRING),
            **{"$schema": "http://json-schema.org/draft-04/schema#"},
            dependencies={"a": ["b"], "c": {"properties": {"b": {"minLength": 2}}}},
            **{"if": {"required": ["a"]}, "then": {"required": ["c"]}},
        ),
        [{}, {"a": "x"}, {"a": "x", "b": "x"}, {"b": "x", "c": "x"}, {"b": "xy", "c": "x"}],
    ),
    "dependent-schemas": Case(
        table(
            {"a": STRING, "b": INTEGER},
            dependentSchemas={"a": {"required": ["b"], "properties": {"b": {"minimum": 5}}}},
        ),
        [{}, {"a": "x"}, {"a": "x", "b": 4}, {"a": "x", "b": 5}, {"b": 1}],
    ),
    "all-of": Case(
        {
            "type": "object",
            "properties": {"a": {"type": "string", "minLength": 2}, "n": INTEGER},
            "allOf": [
                {"properties": {"a": {"pattern": "^x"}, "b": STRING}},
                {"properties": {"b": {"maxLength": 3}, "n": {"minimum": 1}}, "required": ["n"]},
                {"if": {"required": ["b"]}, "then": {"properties": {"n": {"maximum": 5}}}},
                {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
                True,
            ],
        },
        [
            {},
            {"n": 1},
            {"n": 1, "a": "x"},
            {"n": 1, "a": "yy"},
            {"n": 1, "a": "xy"},
            {"n": 9, "a": "xy"},
            {"n": 9, "b": "xyz"},
            {"n": 3, "b": "xyz"},
            {"n": 3, "b": "xyzz"},
            {"n": 0, "b": "x"},
        ],
    ),
    "all-of-in-a-table": Case(
        table(
            {
                "db": table(
                    {"kind": STRING, "host": STRING, "size": INTEGER},
                    allOf=[
                        {
                            "if": {"properties": {"kind": {"const": "external"}}},
                            "then": {"required": ["host"]},
                        },
                        {
                            "if": {"properties": {"kind": {"const": "internal"}}},
                            "then": {"properties": {"size": {"minimum": 1}}},
                        },
                    ],
                )
            }
        ),
        [
            {},
            {"db": {}},
            {"db": {"size": 0}},
            {"db": {"size": 1}},
            {"db": {"kind": "external"}},
            {"db": {"kind": "external", "host": "a", "size": 0}},
        ],
        {"db": {"kind": "internal", "size": 5}},
    ),
    "rules-about-tables-within": Case(
        table(
            {
                "db": table({"on": BOOLEAN, "host": STRING}),
                "backup": table({"target": table({"path": STRING, "size": INTEGER})}),
            },
            **{
                "if": {"properties": {"db": {"properties": {"on": {"const": True}}}}},
                "then": {
                    "properties": {
                        "backup": {
                            "required": ["target"],
                            "properties": {"target": {"required": ["path"]}},
                        }
                    },
                    "required": ["backup"],
                },
            },
        ),
        [
            {},
            {"db": {"host": "a"}},
            {"db": {"on": True}},
            {"db": {"on": True}, "backup": {}},
            {"db": {"on": True}, "backup": {"target": {"size": 1}}},
            {"db": {"on": True}, "backup": {"target": {"path": "/"}}},
        ],
        {"db": {"on": False, "host": "x"}},
    ),
    "choices-with-defaults": Case(
        table(
            dict.fromkeys(("host", "url", "mode", "name"), STRING),
            anyOf=[{"required": ["host"]}, {"properties": {"mode": {"const": "local"}}}],
            oneOf=[
                {"required": ["url"]},
                {"properties": {"mode": {"enum": ["local", "far"]}}},
                {"properties": {"name": {"pattern": "^z"}}},
            ],
            **{"not": {"properties": {"name": {"const": "bad"}}}},
        ),
        [
            {},
            {"mode": "far"},
            {"mode": "far", "host": "a"},
            {"mode": "other", "host": "a"},
            {"mode": "other", "host": "a", "url": "b"},
            {"mode": "other", "host": "a", "name": "zz"},
            {"url": "a"},
            {"name": "zz"},
            {"name": "bad"},
        ],
        {"mode": "local", "name": "good"},
    ),
    "enums-without-a-type": Case(
        table(
            {
                "number": {"enum": [1, 2]},
                "double": {"enum": [1.5, 2]},
                "flag": {"const": True},
                "either": {"enum": ["auto", 1]},
                "text": {"const": "x"},
            }
        ),
        [
            {},
            *({"number": value} for value in (1, 2, 3, "1", True)),
            *({"double": value} for value in (1.5, 2, 3, "2")),
            *({"flag": value} for value in (True, False, "true")),
            *({"either": value} for value in ("auto", 1, 2, "1", True)),
            *({"text": value} for value in ("x", "y", 1)),
        ],
    ),
    "odd-names": Case(
        table(
            dict.fromkeys(ODD_NAMES, STRING),
            allOf=[
                {"if": {"required": [name]}, "then": {"required": [other]}}
                for name, other in itertools.pairwise(ODD_NAMES)
            ],
        ),
        [
            {},
            *({name: "x"} for name in ODD_NAMES),
            *(dict.fromkeys(ODD_NAMES[at:], "x") for at in range(len(ODD_NAMES))),
        ],
    ),
    "names-that-cel-does-not-have": Case(
        table(
            {"x y": STRING, "1st": STRING, "é": STRING, "b": STRING},
            allOf=[
                {"if": {"required": [name]}, "then": {"required": ["b"]}}
                for name in ("x y", "1st", "é")
            ],
        ),
        [{}, {"x y": "x"}, {"1st": "x"}, {"é": "x", "b": "y"}],
        notes=tuple(f'"{name}" cannot be named in CEL' for name in ("x y", "1st", "é")),
    ),
    "hostile-strings": Case(
        table(
            {"a": STRING, "b": STRING},
            **{
                "if": {"properties": {"a": {"enum": HOSTILE}}, "required": ["a"]},
                "then": {"required": ["b"]},
                "else": {"properties": {"b": {"pattern": "^[\"'\\\\/\\w]+$"}}},
            },
        ),
        [
            *({"a": text} for text in HOSTILE),
            *({"a": text, "b": "x"} for text in HOSTILE),
            {"a": "other"},
            {"a": "other", "b": "'\"\\/x"},
            {"a": "other", "b": "#"},
        ],
    ),
    "numbers": Case(
        table(
            {"n": INTEGER, "x": NUMBER, "on": BOOLEAN},
            **{
                "if": {"properties": {"on": {"const": True}}, "required": ["on"]},
                "then": {
                    "properties": {
                        "n": {"minimum": 1.5, "multipleOf": 3, "exclusiveMaximum": 12},
                        "x": {"exclusiveMinimum": 1, "maximum": 2.5},
                    }
                },
                "else": {"properties": {"n": {"const": 4.0}, "x": {"enum": [1, 2.5]}}},
            },
        ),
        [
            *({"on": True, "n": n} for n in (0, 1, 2, 3, 9, 12)),
            *({"on": True, "x": x} for x in (1, 1.01, 2, 2.5, 3)),
            *({"n": n} for n in (4, 5)),
            *({"x": x} for x in (1, 1.0, 2.5, 2)),
        ],
    ),
    "integers-or-strings": Case(
        table(
            {"port": {"type": ["integer", "string"]}, "name": STRING},
            **{
                "if": {"properties": {"port": {"type": "string"}}, "required": ["port"]},
                "then": {"required": ["name"]},
                "else": {
                    "not": {"properties": {"port": {"enum": [80, "x"]}}, "required": ["port"]}
                },
            },
        ),
        [{}, {"port": 81}, {"port": 80}, {"port": "x"}, {"port": "x", "name": "a"}],
    ),
    "a-list-with-a-limit": Case(
        table(
            {
                "hosts": {
                    "type": "array",
                    "maxItems": 50,
                    "items": table(
                        {"tls": BOOLEAN, "secret": STRING},
                        dependentRequired={"tls": ["secret"]},
                    ),
                },
                "more": {"type": "array", "items": STRING},
            },
            **{"if": {"required": ["more"]}, "then": {"properties": {"more": {"minItems": 2}}}},
        ),
        [
            {},
            {"hosts": [{"tls": True}]},
            {"hosts": [{"tls": True, "secret": "a"}, {}]},
            {"more": ["x"]},
            {"more": ["x", "y"]},
        ],
    ),
    "a-list-without-a-limit": Case(
        table(
            {
                "hosts": {
                    "type": "array",
                    "items": table({"a": STRING, "b": STRING}, dependentRequired={"a": ["b"]}),
                },
                "labels": {
                    "type": "object",
                    "additionalProperties": table(
                        {"a": STRING, "b": STRING},
                        **{"if": {"required": ["a"]}, "then": {"required": ["b"]}},
                    ),
                },
            }
        ),
        [{}, {"hosts": [{"b": "x"}]}, {"hosts": [{"a": "x"}]}, {"labels": {"x": {"a": "x"}}}],
        notes=('has no "maxItems"', 'has no "maxItems"'),
    ),
    "costly-patterns": Case(
        table(
            dict.fromkeys("abcdefgh", STRING),
            allOf=[
                {
                    "if": {"properties": {name: {"pattern": "^(" + "x|" * 40 + name + ")$"}}},
                    "then": {"properties": {name: {"minLength": 1}}},
                }
                for name in "abcdefgh"
            ],
        ),
        [{}, {"a": "x"}],
        notes=None,
    ),
    "fields-that-are-not-declared": Case(
        {
            "type": "object",
            "properties": {"a": STRING, "any": {}},
            "allOf": [
                {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
                {"if": {"required": ["any"]}, "then": {"required": ["a"]}},
            ],
        },
        [{}, {"a": "x"}, {"a": "x", "b": "y"}, {"any": 1}, {"any": 1, "a": "x", "b": "y"}],
        notes=('"b" is not among the "properties" there', '"any" has no type there'),
    ),
    "a-reference-with-more": Case(
        table(
            {"a": {"$ref": "#/$defs/name", "maxLength": 3}, "b": {"$ref": "#/$defs/name"}},
            **{
                "$defs": {
                    "name": {"type": "string", "minLength": 1},
                    "rule": {"required": ["a"], "properties": {"a": {"$ref": "#/$defs/x"}}},
                    "x": {"pattern": "x"},
                }
            },
            anyOf=[{"$ref": "#/$defs/rule"}, {"properties": {"b": {"const": "free"}}}],
        ),
        [{}, {"a": "x"}, {"a": "xxxx"}, {"a": "y"}, {"a": "y", "b": "free"}, {"b": "other"}],
        {"b": "usual"},
    ),
    "a-reference-of-draft-7": Case(
        table(
            {"a": {"$ref": "#/definitions/name", "maxLength": 3}},
            **{
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"name": {"type": "string", "minLength": 1}},
            },
        ),
        [{}, {"a": "xxxx"}, {"a": ""}],
    ),
    "a-limit-on-the-size-of-a-table": Case(
        table(
            {"m": {"type": "object", "additionalProperties": STRING, "minProperties": 2}},
        ),
        [{"m": {"a": "x"}}, {"m": {"b": "x"}}, {"m": {"b": "x", "c": "y"}}],
        {"m": {"a": "usual"}},
        notes=('"minProperties" is not checked',),
    ),
}

# Null removes a default as in Helm, but of a required field, where the API server takes it for
# left out.
NULLS = table(
    {
        "text": {"type": "string", "minLength": 2, "default": "usual"},
        "mode": {"enum": ["a", "b"]},
        "only": {"const": "a"},
        "flag": BOOLEAN,
        "size": {"type": "integer", "minimum": 3, "not": {"const": 7}},
        "list": {"type": "array", "minItems": 1, "items": STRING},
        "port": {"type": ["integer", "string"]},
        "any": {},
        "db": table({"host": STRING, "name": STRING}, required=["host"]),
        "needed": {"type": "string", "minLength": 2},
        "nullable": {"type": ["string", "null"], "enum": ["x", None]},
    },
    required=["needed"],
)
NULL_DEFAULTS = {
    "text": "usual",
    "mode": "a",
    "only": "a",
    "flag": True,
    "size": 5,
    "list": ["x"],
    "port": 80,
    "any": {"x": 1},
    "db": {"host": "h", "name": "n"},
    "needed": "usual",
}
CASES["nulls"] = Case(
    NULLS,
    [
        {},
        *({name: None} for name in NULLS["properties"] if name != "needed"),
        {"db": {"name": None}},
        {"mode": "c"},
        {"only": "b"},
        {"nullable": "x"},
        {"nullable": "y"},
        {"size": 7},
    ],
    NULL_DEFAULTS,
)
# These cannot be rendered with the values of the chart alone.
CASES["wrong-defaults"] = Case(
    table(
        {
            "host": {"type": "string", "minLength": 1},
            "db": table({"name": {"type": "string", "pattern": "^[a-z]+$"}, "size": INTEGER}),
            "free": table({"x": STRING}, **{"if": {"required": ["x"]}, "then": False}),
        }
    ),
    [
        {},
        {"host": "a"},
        {"host": "a", "db": {}},
        {"host": "a", "db": {"name": "x"}},
        {"host": "", "db": {"name": "x"}},
        {"host": "a", "db": {"name": "x"}, "free": {"x": "y"}},
    ],
    {"host": "", "db": {"name": "", "size": 1}},
)
CASES["wrong-defaults-that-another-field-makes-right"] = Case(
    table(
        {"mode": STRING, "size": INTEGER},
        anyOf=[{"required": ["size"]}, {"properties": {"mode": {"const": "small"}}}],
    ),
    [None, {}, {"size": 1}, {"mode": "small"}, {"mode": "big"}],
    {"mode": "big"},
)


@pytest.fixture(scope="module")
def charts(cluster, tmp_path_factory):
    """The charts of the cases, each with its generated CRD in the cluster."""
    folder = tmp_path_factory.mktemp("rules")
    made, crds = {}, []
    for name, case in CASES.items():
        chart = folder / name
        (chart / "templates").mkdir(parents=True)
        (chart / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n")
        (chart / "values.yaml").write_text(json.dumps(case.defaults), encoding="utf-8")
        (chart / "values.schema.json").write_text(json.dumps(case.schema), encoding="utf-8")
        kind = name.replace("-", "").capitalize()
        done = subprocess.run(
            [str(default_binary()), "generate", "crd", chart, "--group", GROUP, "--kind", kind],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        notes = [line for line in done.stderr.splitlines() if line.startswith("note: ")]
        made[name] = (chart, kind, notes)
        crds.append(done.stdout)
    cluster.kubectl("apply", "-f", "-", input="---\n".join(crds))
    for _, kind, _ in made.values():
        wait_until(
            lambda kind=kind: session.is_served(cluster, f"{GROUP}/v1alpha1/{kind}"),
            what=f"{kind} being served",
        )
    return made


@pytest.fixture(scope="module")
def own_namespace(cluster):
    """A namespace in which nothing is created."""
    name = cluster.create_namespace("rules")
    yield name
    cluster.kube.delete("v1/Namespace", name)


def helm_says(chart, spec: dict | None) -> str:
    """Returns Helm's complaint about values; "" if there is none. Chartwright agrees."""
    values = chart.parent / "spec.json"
    values.write_text(json.dumps(spec or {}), encoding="utf-8")
    said = []
    for program in (build.ensure(["helm"])["helm"], str(default_binary())):
        done = subprocess.run(
            [program, "template", "x", str(chart), "-f", str(values)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 or "values don't meet the specifications" in done.stderr
        said.append(done.stderr if done.returncode else "")
    assert bool(said[0]) == bool(said[1]), said
    return said[0]


def server_says(cluster, namespace: str, kind: str, spec: dict | None) -> str:
    """Returns the API server's complaint about a spec; "" if there is none."""
    body = {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": kind,
        "metadata": {"name": "one", "namespace": namespace},
    } | ({} if spec is None else {"spec": spec})
    path = cluster.kube.path(f"{GROUP}/v1alpha1/{kind}", None, namespace)
    query = {"dryRun": "All", "fieldValidation": "Strict"}
    try:
        cluster.kube.request("POST", path, body, query=query)
    except ApiError as error:
        assert error.code in (400, 422), error
        return str(error)
    return ""


@pytest.mark.parametrize("name", CASES)
def test_the_server_refuses_what_helm_refuses(cluster, charts, own_namespace, name):
    case, (chart, kind, notes) = CASES[name], charts[name]
    if case.notes is not None:
        assert len(notes) == len(case.notes), notes
        for note, part in zip(notes, case.notes, strict=True):
            assert part in note
    verdicts = set()
    for spec in case.specs:
        helm, server = helm_says(chart, spec), server_says(cluster, own_namespace, kind, spec)
        assert helm or not server, f"{spec}: {server}"
        assert notes or bool(helm) == bool(server), f"{spec}: Helm says {helm!r}"
        verdicts.add(bool(server))
    assert notes or verdicts == {True, False}


def test_null_removes_a_default_unless_the_field_is_required(cluster, charts, own_namespace):
    _, kind, _ = charts["nulls"]
    path = cluster.kube.path(f"{GROUP}/v1alpha1/{kind}", None, own_namespace)
    body = {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": kind,
        "metadata": {"name": "one", "namespace": own_namespace},
        "spec": dict.fromkeys(NULLS["properties"]),
    }
    kept = cluster.kube.request("POST", path, body, query={"dryRun": "All"})["spec"]
    assert kept == {name: None for name in NULLS["properties"] if name != "needed"}
