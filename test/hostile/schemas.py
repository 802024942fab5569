# SPDX-License-Identifier: Apache-2.0
"""JSON schemas: references, dialects, formats, numbers, and differences between drafts."""

import json

from hostile.vector import TEMPLATE, Vector, chart

STEPS = "validation takes too many steps or is nested too deeply"
WRONG = "values don't meet the specifications of the schema"


def schema(
    name: str, body: object, error: str | None = None, text: str = "a: 1\n", **rest
) -> Vector:
    """An attack by values.schema.json; `body` may be JSON that Python's encoder would refuse."""
    data = body if isinstance(body, (str, bytes)) else json.dumps(body)
    rest.setdefault("reconciled", "cpu_seconds" not in rest)
    return Vector(
        f"schema: {name}",
        chart({"values.schema.json": data, "values.yaml": text, TEMPLATE: "a: 1\n"}),
        error,
        **rest,
    )


def property_of(body: object) -> dict:
    """Returns a schema for the value `a`."""
    return {"properties": {"a": body}}


def references() -> list[Vector]:
    """Attacks by $ref and related keywords."""
    far = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(20000)} | {"d20000": True}
    dynamic = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$dynamicAnchor": "n",
        "properties": {"a": {"$dynamicRef": "#n"}},
    }
    pointers = {"$ref": "#/" + "properties/a/" * 20000, "properties": {"a": {}}}
    return [
        schema("a chain of 20,000 references", {"$ref": "#/$defs/d0", "$defs": far}, STEPS),
        schema("a reference to nothing", {"$ref": "#/$defs/x"}, WRONG),
        schema(
            "a reference to itself by its name",
            {"$id": "http://a.example/s", "$ref": "http://a.example/s"},
            WRONG,
        ),
        schema("a dynamic reference to itself", dynamic, None, "a: {a: {a: {a: {}}}}\n"),
        schema(
            "a dynamic reference over deep values",
            dynamic,
            STEPS,
            "a: " + "{a: " * 3000 + "1" + "}" * 3000 + "\n",
        ),
        schema("a pointer of 20,000 parts", pointers, WRONG),
        schema("a pointer of escapes", {"$ref": "#/%24defs/~1%25~0~2"}, WRONG),
        schema("an address of another scheme", {"$ref": "gopher://a.example/"}, WRONG),
        schema(
            "the metadata service by $schema", {"$schema": "http://169.254.169.254/latest"}, WRONG
        ),
        schema("a file of the machine by $id", {"$id": "file:///etc/", "$ref": "passwd"}, WRONG),
        schema(
            "many names for one schema",
            {
                "$defs": {
                    f"d{n}": {"$id": f"http://a.example/{n}", "$anchor": "x"} for n in range(20000)
                }
            },
            cpu_seconds=20,
        ),
        schema(
            "one name for many schemas",
            {"$defs": {f"d{n}": {"$anchor": "x"} for n in range(1000)}},
            WRONG,
        ),
    ]


def numbers() -> list[Vector]:
    """Attacks by numbers that are too large, too small or invalid."""
    return [
        schema(
            "multipleOf of next to nothing", property_of({"multipleOf": 1e-300}), None, "a: 1e300\n"
        ),
        schema(
            "multipleOf of a million digits",
            '{"properties":{"a":{"multipleOf":0.' + "0" * 1000000 + "1}}}",
            WRONG,
        ),
        schema("multipleOf nothing", property_of({"multipleOf": 0}), WRONG),
        schema(
            "a bound of a million digits",
            '{"properties":{"a":{"maximum":' + "9" * 1000000 + "}}}",
            WRONG,
        ),
        schema("a bound of 1e999999999", '{"properties":{"a":{"maximum":1e999999999}}}', WRONG),
        schema(
            "lengths beyond 64 bits",
            '{"properties":{"a":{"maxLength":' + "9" * 40 + "}}}",
            WRONG,
            "a: b\n",
        ),
        schema("negative lengths", property_of({"minLength": -1}), WRONG),
        schema("a length of a half", property_of({"minLength": 0.5}), WRONG),
    ]


def shapes() -> list[Vector]:
    """Attacks by large or unusual schemas and values."""
    wide = [{"type": "string"}] * 2000
    texts = "a: [" + ",".join(f"x{n}" for n in range(5000)) + "]\n"
    return [
        schema("no JSON", "{", "values.schema.json|unexpected"),
        schema(
            "UTF-16",
            b"\xff\xfe" + "{}".encode("utf-16le"),
            "invalid character|values.schema.json|schema",
        ),
        schema("a list", [], WRONG),
        schema("a number", "5", WRONG),
        schema("false", "false", WRONG),
        schema(
            "every keyword of a wrong type",
            dict.fromkeys(
                (
                    "type",
                    "properties",
                    "required",
                    "items",
                    "enum",
                    "allOf",
                    "anyOf",
                    "not",
                    "if",
                    "pattern",
                    "format",
                ),
                5.5,
            ),
            WRONG,
        ),
        schema("types without end", property_of({"type": ["string"] * 100000}), WRONG),
        schema(
            "one of 2,000 for each of 5,000",
            property_of({"items": {"oneOf": wide}}),
            f"{STEPS}|{WRONG}",
            texts,
            cpu_seconds=20,
        ),
        schema(
            "contains for each",
            property_of({"contains": {"anyOf": wide}}),
            f"{STEPS}|{WRONG}",
            "a: [" + "1," * 20000 + "]\n",
            cpu_seconds=20,
        ),
        schema(
            "unevaluated after many",
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "allOf": [{"properties": {f"k{n}": {}}} for n in range(2000)],
                "unevaluatedProperties": False,
            },
            f"{STEPS}|{WRONG}",
            "".join(f"k{n}: 1\n" for n in range(2100)),
            cpu_seconds=20,
        ),
        schema(
            "names that are patterns",
            {"propertyNames": {"pattern": "(a*)*b"}},
            WRONG,
            "".join(f"{'a' * 500}{n}: 1\n" for n in range(1000)),
            cpu_seconds=20,
        ),
        schema("dependencies in a circle", {"dependentSchemas": {"a": {"$ref": "#"}}}, WRONG),
        schema(
            "deep values against a schema of itself",
            {"properties": {"a": {"$ref": "#"}}},
            STEPS,
            "a: " + "{a: " * 5000 + "1" + "}" * 5000 + "\n",
        ),
        schema(
            "an old dialect",
            {"$schema": "http://json-schema.org/draft-03/schema#", "extends": {"$ref": "#"}},
            WRONG,
        ),
        schema(
            "a password in a value of a wrong type",
            property_of({"type": "integer"}),
            WRONG,
            "a: hunter2hunter2\n",
            secret="hunter2hunter2",
        ),
    ]


def formats() -> list[Vector]:
    """Attacks by formats, which parse strings."""
    texts = {
        "date-time": "9999-99-99T99:99:99Z",
        "email": "@" * 100000,
        "hostname": "a." * 100000,
        "ipv6": ":" * 100000,
        "uri": "http://[" + ":" * 100000,
        "regex": "(" * 100000,
        "json-pointer": "/~" * 100000,
        "uuid": "-" * 100000,
        "duration": "P" * 100000,
        "uri-template": "{" * 100000,
    }
    return [
        schema(
            f"format {name}",
            {"$schema": "http://json-schema.org/draft-07/schema#", **property_of({"format": name})},
            f"is not valid {name}" if name not in ("uri", "uri-template") else None,
            f"a: '{text}'\n",
        )
        for name, text in texts.items()
    ]


ALL = [*references(), *numbers(), *shapes(), *formats()]
