# SPDX-License-Identifier: Apache-2.0
"""Values of the wrong type for the fields of the built-in kinds, by the server's OpenAPI."""

import re
from collections.abc import Iterator

# By the end of the name of a definition.
LEAVES = {"Quantity": "quantity", "Time": "time", "IntOrString": "int-or-string"}
FORMATS = {"byte": "bytes", "date-time": "time", "int-or-string": "int-or-string"}
DEPTH_MAX = 6
# The text is one that no message may show of a Secret.
TEXT = "wrong-value"
WRONG = (TEXT, -1.5, True, {}, [], {"a": 1}, [1], 1e30, [[]], {"a": {"b": []}})


def type_of(schema: dict) -> str:
    """Returns the type of a field, as one that a wrong value is tried for."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition(".")[2]
        return next((type_ for end, type_ in LEAVES.items() if name.endswith(end)), "object")
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    if schema.get("type") == "object":
        return "map" if "additionalProperties" in schema else "any"
    if schema.get("type") == "integer":
        return schema.get("format", "int64")
    return {"array": "list"}.get(schema.get("type"), schema.get("type", "any"))


def fields_of(definitions: dict, schema: dict, path: tuple = ()) -> Iterator[tuple[tuple, str]]:
    """Yields the paths of all fields and their types; a step into a list is the keys of an item."""
    if len(path) > DEPTH_MAX:
        return
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    for name, field in schema.get("properties", {}).items():
        if name in ("apiVersion", "kind", "metadata", "status") and not path:
            continue
        here, type_ = (*path, name), type_of(field)
        yield here, type_
        if type_ == "object":
            yield from fields_of(definitions, field, here)
        elif type_ == "list" and type_of(field["items"]) == "object":
            keys = tuple(field.get("x-kubernetes-list-map-keys", ()))
            yield from fields_of(definitions, field["items"], (*here, keys))
        elif type_ == "map" and type_of(field["additionalProperties"]) != "object":
            yield (*here, "a"), type_of(field["additionalProperties"])


def first_of_each_type(definitions: dict, schema: dict) -> dict[str, tuple]:
    """Returns the path of a field of each type that the kind has."""
    found: dict[str, tuple] = {}
    for path, type_ in sorted(fields_of(definitions, schema), key=lambda item: len(item[0])):
        found.setdefault(type_, path)
    return found


def body_with(path: tuple, value: object) -> dict:
    """Returns the part of an object that has `value` at `path`."""
    for step in reversed(path):
        if isinstance(step, tuple):
            value = [{**{key: 1 if "ort" in key else "a" for key in step}, **value}]
        else:
            value = {step: value}
    return value


def shape(message: str) -> str:
    """Returns a message without what differs from field to field."""
    message = re.sub(r"\([^()]*; [^()]*\)", "()", message)
    message = re.sub(r'"[^"]*"', '""', message)
    message = re.sub(r"[\w.\[\]{}:=/-]*\.[\w.\[\]{}:=/-]+", ".", message)
    return re.sub(r"\d+", "0", message)[:80]
