# SPDX-License-Identifier: Apache-2.0
"""Values for the fields of the built-in kinds, made from the server's OpenAPI v3 and corrected by
what the API server answers to a dry run.
"""

import copy
import json
import re

from harness.connection import ApiError
from harness.kube import Kube

# Values that a schema does not ask for, by the name of the field.
HINTS = {
    "apiVersion": "v1",
    "clusterIP": "None",
    "expression": "true",
    "fieldPath": "metadata.name",
    "iqn": "iqn.2001-04.com.example:a",
    "jsonPath": ".a",
    "key": "app",
    "messageExpression": "'a'",
    "operator": "Exists",
    "resource": "limits.cpu",
    "schedule": "0 0 1 1 *",
    "timeZone": "Etc/UTC",
    "valueExpression": "'a'",
    "verbs": "get",
}
# Values of enumerations that the schema does not have.
WORDS = {
    ("CustomResourceConversion", "strategy"): ["None", "Webhook"],
    ("IngressClassParametersReference", "scope"): ["Cluster", "Namespace"],
    ("LabelSelectorRequirement", "operator"): ["In", "NotIn", "Exists", "DoesNotExist"],
    ("LimitResponse", "type"): ["Reject", "Queue"],
    ("LimitRangeItem", "type"): ["Pod", "Container", "PersistentVolumeClaim"],
    ("MetricSpec", "type"): ["ContainerResource", "Resource", "Pods", "Object", "External"],
    ("MetricTarget", "type"): ["Utilization", "Value", "AverageValue"],
    ("Mutation", "patchType"): ["ApplyConfiguration", "JSONPatch"],
    ("PriorityLevelConfigurationSpec", "type"): ["Limited", "Exempt"],
    ("Subject", "kind"): ["User", "Group", "ServiceAccount"],
}
# Tried in turn for a text that the server does not take.
TEXTS = (
    *("a", "b", "Object{}", '[JSONPatch{op: "test", path: "/a", value: "a"}]', "a.example.com"),
    *("/a", "a/b", "https://example.com/", "192.0.2.1", "192.0.2.0/24", "1", "1.2.3"),
    *("example.com/a", "ReadWriteOnce", "Exists", "Always", "*", "None", ""),
)
NUMBERS = (1, 80, 0, 2, 600, 9999, 100000000)
QUANTITIES = ("1", "2", "100m", "1Gi")
SCALARS = {
    "Quantity": "1",
    "Time": "2030-01-01T00:00:00Z",
    "MicroTime": "2030-01-01T00:00:00.000000Z",
    "IntOrString": 1,
    "RawExtension": {},
    "JSON": True,
    "JSONSchemaProps": {"type": "object"},
    "JSONSchemaPropsOrBool": True,
    "JSONSchemaPropsOrStringArray": ["a"],
    "JSONSchemaPropsOrArray": {"type": "string"},
    "WebhookConversion": {
        "conversionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://example.com/"},
    },
    "VolumeResourceRequirements": {"requests": {"storage": "1"}},
}
CORRECTIONS_MAX = 24
DEPTH_MAX = 12
# Members of an object that charts do not decide.
HEAD = ("apiVersion", "kind", "metadata", "status")


class Schemas:
    """The definitions of a server, and its kinds that are created, read and replaced."""

    def __init__(self, kube: Kube):
        self.definitions: dict[str, dict] = {}
        self.kinds: dict[str, str] = {}
        index = json.loads(kube.connection.fetch("/openapi/v3"))["paths"]
        for name in sorted(index):
            url, _, query = index[name]["serverRelativeURL"].partition("?")
            text = kube.connection.fetch(url, dict(part.split("=") for part in query.split("&")))
            self._add(json.loads(text))

    def _add(self, document: dict) -> None:
        definitions = document.get("components", {}).get("schemas", {})
        self.definitions.update(definitions)
        named = {
            f"{gvk['group']}/{gvk['version']}/{gvk['kind']}".lstrip("/"): name
            for name, schema in definitions.items()
            for gvk in schema.get("x-kubernetes-group-version-kind", ())
        }
        paths = document.get("paths", {})
        for path, verbs in paths.items():
            gvk = verbs.get("post", {}).get("x-kubernetes-group-version-kind")
            if gvk and "put" in paths.get(path + "/{name}", {}):
                kind = f"{gvk['group']}/{gvk['version']}/{gvk['kind']}".lstrip("/")
                if named[kind].startswith("io.k8s."):
                    self.kinds[kind] = named[kind]

    def name_of(self, schema: dict) -> str:
        """Returns the name of the definition that a schema refers to; empty if it refers to
        nothing.
        """
        wrapped = schema.get("allOf", [schema])[0]
        return wrapped.get("$ref", "").rpartition("/")[2]

    def resolve(self, schema: dict) -> dict:
        """Returns a schema without references."""
        name = self.name_of(schema)
        return self.definitions[name] if name else schema

    def below(self, schema: dict, step: str | int) -> dict:
        """Returns the schema of a member or an item."""
        schema = self.resolve(schema)
        if isinstance(step, int):
            return schema.get("items", {})
        return schema.get("properties", {}).get(step, schema.get("additionalProperties", {}))

    def at(self, kind: str, path: tuple) -> dict:
        """Returns the schema of a path in a kind."""
        schema = self.definitions[self.kinds[kind]]
        for step in path:
            schema = self.below(schema, step)
        return schema

    def make(self, schema: dict, name: str = "", depth: int = 0):
        """Returns a value for a field; of an object, it has what the schema requires."""
        scalar = SCALARS.get(self.name_of(schema).rpartition(".")[2])
        if scalar is not None:
            return copy.deepcopy(scalar)
        schema = self.resolve(schema)
        type_ = schema.get("type")
        if type_ == "array":
            return [self.make(schema["items"], name, depth + 1)]
        if type_ == "object" and "additionalProperties" in schema:
            items = schema["additionalProperties"]
            is_quantity = self.name_of(items).endswith(".Quantity")
            key = "storage" if name == "capacity" else "cpu" if is_quantity else "a"
            return {key: self.make(items, name, depth + 1)}
        if type_ == "object":
            required = schema.get("required", ()) if depth < DEPTH_MAX else ()
            return {key: self.make(schema["properties"][key], key, depth + 1) for key in required}
        if type_ == "string":
            formats = {"byte": "YQ==", "date-time": SCALARS["Time"]}
            text = schema.get("enum", [HINTS.get(name, "a")])[0]
            return formats.get(schema.get("format"), text)
        return {"boolean": True, "integer": 1, "number": 1}.get(type_, {})

    def variants(self, owner: str, name: str) -> list[tuple[str, object]]:
        """Returns the values to be tried for a member of a definition, each with a name in which
        the value stands if there are more.
        """
        schema = self.definitions[owner]["properties"][name]
        resolved = self.resolve(schema)
        chosen = WORDS.get((owner.rpartition(".")[2], name)) or resolved.get("enum", [])
        if resolved.get("type") == "boolean":
            chosen = [True, False]
        if not chosen:
            return [(name, self.make(schema, name))]
        texts = [str(value).lower() if isinstance(value, bool) else value for value in chosen]
        return [(f"{name}={text}", value) for text, value in zip(texts, chosen, strict=True)]


def steps_of(field: str) -> tuple:
    """Returns the path that a cause names: `a.b[0][key]`."""
    found = re.findall(r"([^.\[\]]+)|\[([^\]]*)\]", field)
    return tuple(
        name or (int(inner) if inner.isdigit() else inner.strip('"')) for name, inner in found
    )


def indexed(value: object, path: tuple) -> tuple:
    """Returns a path with the index of the first item wherever a cause lacks one."""
    made: tuple = ()
    for step in path:
        if isinstance(get(value, made), list) and not isinstance(step, int):
            made = (*made, 0)
        made = (*made, step)
    return made


def get(value: object, path: tuple):
    """Returns what is at a path; None if nothing is."""
    for step in path:
        if (isinstance(value, list) and isinstance(step, int) and step < len(value)) or (
            isinstance(value, dict) and step in value
        ):
            value = value[step]
        else:
            return None
    return value


def with_value(value: object, path: tuple, wanted: object):
    """Returns a copy of a value with another one at a path, whose parents it makes."""
    if not path:
        return copy.deepcopy(wanted)
    step = path[0]
    if isinstance(step, int):
        copied = list(value) if isinstance(value, list) else []
        inner = copied[step] if step < len(copied) else None
        copied[step : step + 1] = [with_value(inner, path[1:], wanted)]
        return copied
    copied = dict(value) if isinstance(value, dict) else {}
    copied[step] = with_value(copied.get(step), path[1:], wanted)
    return copied


def without(value: object, path: tuple):
    """Returns a copy of a value without the member at a path."""
    parent = get(value, path[:-1])
    if isinstance(path[-1], int) or not isinstance(parent, dict):
        return value
    return with_value(value, path[:-1], {k: v for k, v in parent.items() if k != path[-1]})


class Corrector:
    """Brings an object to a form that the server takes, by the causes of its refusals. Changes
    nothing but what is below `within`, never removes the member at `kept`, and does not change it
    if it is `locked`.
    """

    def __init__(self, schemas: Schemas, kind: str, within: tuple, kept: tuple, *, locked: bool):
        self._schemas, self._kind = schemas, kind
        self._within, self._kept, self._locked = within, kept, locked
        self._tried: dict[tuple, list] = {}

    def corrected(self, obj: dict, error: ApiError) -> dict | None:
        """Returns another form of an object; None if nothing is left to try."""
        after, seen = obj, set()
        # Of several causes of a field, the last one is the narrowest.
        for cause in reversed(error.causes[:CAUSES_MAX]):
            path = indexed(obj, steps_of(cause.get("field", "")))
            if path in seen:
                continue
            seen.add(path)
            if path[: len(self._within)] == self._within:
                after = self._correct(after, path, cause)
        return after if after != obj else None

    def _correct(self, obj: dict, path: tuple, cause: dict) -> dict:
        value, message = get(obj, path), cause.get("message", "")
        if self._schemas.at(self._kind, path) == {}:
            return obj  # Of the internal version of the kind.
        if self._locked and path == self._kept:
            return obj
        if cause.get("reason") == "FieldValueForbidden":
            return obj if value is None or path == self._kept[: len(path)] else without(obj, path)
        if value in (None, "", []):
            made = self._schemas.make(self._schemas.at(self._kind, path), str(path[-1]))
            return with_value(obj, path, made) if made != value else obj
        if isinstance(value, (dict, list)):
            return self._correct_within(obj, path, message)
        return self._next(path, obj, [(path, other) for other in self._others(path, message)])

    def _correct_within(self, obj: dict, path: tuple, message: str) -> dict:
        """Changes a struct that lacks a member, or a text in it that is not supported."""
        value = get(obj, path)
        supported = message.partition("supported values:")[2]
        if supported:
            wrong = re.search(r'value: "([^"]*)"', message)
            at = next((p for p in leaves(value, path) if wrong and get(obj, p) == wrong[1]), None)
            found = re.findall(r'"([^"]*)"', supported)
            return self._next(path, obj, [(at, text) for text in found]) if at else obj
        if not any(word in message for word in LACKS):
            return obj
        changes = []
        for at in structs(value, path):
            properties = self._schemas.resolve(self._schemas.at(self._kind, at)).get("properties")
            names = [name for name in properties or () if name not in get(obj, at)]
            told = [name for name in names if name.lower() in message.lower()]
            # Texts need least.
            told.sort(key=lambda name: properties[name].get("type") != "string")
            for name in told or (names if at == path else ()):
                made = self._schemas.make(properties[name], name)
                least = get(obj, at)
                if name in told or at == path:
                    changes.append((at, {**least, name: made}))
        return self._next(path, obj, changes)

    def _next(self, path: tuple, obj: dict, changes: list[tuple[tuple, object]]) -> dict:
        """Returns the object with the first change for a path that was not tried."""
        tried = self._tried.setdefault(path, [get(obj, path)])
        for at, value in changes:
            after = with_value(obj, at, value)
            if get(after, path) not in tried:
                tried.append(get(after, path))
                return after
        return obj

    def _others(self, path: tuple, message: str) -> list:
        """Returns the values for a scalar."""
        named = self._schemas.at(self._kind, path)
        schema = self._schemas.resolve(named)
        if self._schemas.name_of(named).endswith(".Quantity"):
            return list(QUANTITIES)
        if schema.get("type") in ("integer", "number"):
            return list(NUMBERS)
        if self._schemas.name_of(named).endswith(".IntOrString"):
            return [*NUMBERS, *told_in(message), *TEXTS]
        if schema.get("type") != "string":
            return []
        return [*told_in(message), *schema.get("enum", ()), *TEXTS]


# Words of a message about a struct that lacks a member.
LACKS = ("Required", "must", "one of", "required", "at least", "has to")
CAUSES_MAX = 16


def told_in(message: str) -> list[str]:
    """Returns the values that a message proposes."""
    supported = message.partition("supported values:")[2]
    either = re.search(r"must be either ([\w, ]+)", message)
    examples = message.partition("e.g.")[2]
    return [
        *re.findall(r'"([^"]*)"', supported),
        *(re.findall(r"\b(?!or\b)\w+", either[1]) if either else ()),
        *re.findall(r"'([^']+)'", examples),
        *re.findall(r"(?:e\.g\. |or )([\w.:/-]+)", message if examples else ""),
    ]


def leaves(value: object, path: tuple):
    """Yields the paths of the scalars in a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for step, member in inner:
        if isinstance(member, (dict, list)):
            yield from leaves(member, (*path, step))
        else:
            yield (*path, step)


def structs(value: object, path: tuple):
    """Yields the paths of the dictionaries in a value, the outermost first."""
    if isinstance(value, dict):
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for step, member in inner:
        if isinstance(member, (dict, list)):
            yield from structs(member, (*path, step))


class Server:
    """Asks whether an object is valid, by dry runs of its creation. Thread-safe."""

    def __init__(self, kube: Kube, namespace: str):
        self.kube = kube
        self.namespace = namespace
        self.asked = 0

    def refusal_of(self, obj: dict) -> ApiError | None:
        """Returns the refusal of a new object."""
        path = self.kube.path(f"{obj['apiVersion']}/{obj['kind']}", None, self.namespace)
        self.asked += 1
        try:
            self.kube.request("POST", path, obj, query={"dryRun": "All"})
        except ApiError as error:
            return error
        except ConnectionError as error:
            # The server's own validation may panic.
            return ApiError(0, {"message": f"no answer: {type(error).__name__}"}, path)
        return None

    def completed(self, corrector: Corrector, obj: dict) -> tuple[dict | None, ApiError | None]:
        """Returns a form of an object that the server takes; None and the last refusal else."""
        error = None
        for _ in range(CORRECTIONS_MAX):
            error = self.refusal_of(obj)
            if error is None:
                return obj, None
            after = corrector.corrected(obj, error)
            if after is None:
                break
            obj = after
        return None, error
