# SPDX-License-Identifier: Apache-2.0
"""Charts from which the commands for operator authors make a CRD, roles and documentation."""

import json

from hostile.vector import TEMPLATE, Vector, chart

KIND = ("--group", "evil.example.com", "--kind", "Evil")
CPU_SECONDS = 8


def generated(name: str, what: str, files: dict[str, str], error: str | None = None) -> Vector:
    """An attack on `chartwright generate`, which succeeds or says that it is too much."""
    make = chart({TEMPLATE: "a: 1\n", **files})
    return Vector(
        f"generate {what}: {name}",
        make,
        error,
        command="generate",
        arguments=(what, *KIND),
        cpu_seconds=CPU_SECONDS,
    )


def schema(**members) -> dict[str, str]:
    """Returns the file of a schema."""
    return {"values.schema.json": json.dumps({"type": "object", **members})}


def properties(count: int, one: object) -> dict:
    """Returns so many properties with the same schema."""
    return {f"k{i}": one for i in range(count)}


VALUES = "".join(f"k{i}: {i}\n" for i in range(60_000))

ALL = [
    generated(
        "30,000 properties", "crd", schema(properties=properties(30_000, {"type": "string"}))
    ),
    generated(
        "30,000 properties that are required",
        "crd",
        schema(
            properties=properties(30_000, {"type": "string"}),
            required=[f"k{i}" for i in range(30_000)],
        ),
    ),
    generated(
        "5,000 references to 5,000 properties",
        "crd",
        schema(
            properties=properties(5_000, {"$ref": "#/definitions/many"}),
            definitions={"many": {"type": "object", "properties": properties(5_000, True)}},
        ),
    ),
    generated(
        "a schema that doubles with each level",
        "crd",
        schema(properties={"a": {"$ref": "#"}, "b": {"$ref": "#"}, "c": {"$ref": "#"}}),
    ),
    *(
        generated("60,000 values", what, {"values.yaml": VALUES}, error)
        for what, error in (
            ("crd", None),
            ("manifests", None),
            ("docs", "longer than 4194304 bytes"),
        )
    ),
]
