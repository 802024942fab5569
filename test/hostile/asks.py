# SPDX-License-Identifier: Apache-2.0
"""Wrong and evil requests to a view: each is refused by a Status, or answered within bounds."""

import base64
import dataclasses
import json

ROOT = "/apis/herd.example.com/v1"
SHEEP = f"{ROOT}/namespaces/default/sheep"
JSON = ("Content-Type", "application/json")
YAML = ("Content-Type", "application/yaml")
MERGE = ("Content-Type", "application/merge-patch+json")
STEPS = ("Content-Type", "application/json-patch+json")
FINE, CLOSED = 200, 0
MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Ask:
    """One request and the code of its answer, straight at the listener and through the aggregator.

    None: not tried there. Through the aggregator, another code may be that of the API server
    itself.
    """

    name: str
    target: str
    listener: int | None
    aggregator: int | None
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    message: str = ""  # A regular expression for the message of the Status.


def same(name: str, target: str, code: int, message: str = "", **more) -> Ask:
    """Returns a request whose answer is the same on both ways."""
    return Ask(name, target, code, code, message=message, **more)


def listed(name: str, query: str, code: int, message: str = "") -> Ask:
    """Returns a list with a query."""
    return same(name, f"{SHEEP}?{query}", code, message)


def watched(name: str, query: str, code: int, message: str = "") -> Ask:
    """Returns a watch that ends soon if it is accepted."""
    return same(name, f"{SHEEP}?watch=1&{query}", code, message)


def posted(
    name: str, body: bytes, code: int, message: str = "", content: tuple[str, str] = JSON
) -> Ask:
    """Returns a creation."""
    return same(name, SHEEP, code, message, method="POST", headers=(content,), body=body)


def patched(
    name: str, body: bytes, code: int, message: str = "", content: tuple[str, str] = STEPS
) -> Ask:
    """Returns a patch of the sheep that is always there."""
    return same(
        name, f"{SHEEP}/dolly", code, message, method="PATCH", headers=(content,), body=body
    )


def token(**place) -> str:
    """Returns a continue token as the API server makes them."""
    return (
        base64.urlsafe_b64encode(json.dumps({"v": "meta.k8s.io/v1", **place}).encode())
        .decode()
        .rstrip("=")
    )


def sheep(**fields) -> bytes:
    """Returns a Sheep as JSON."""
    whole = {
        "apiVersion": "herd.example.com/v1",
        "kind": "Sheep",
        "metadata": {"name": "evil"},
        "spec": {"wool": 1},
    }
    return json.dumps({**whole, **fields}).encode()


def doubling(times: int) -> bytes:
    """Returns a JSON patch that copies a list into itself again and again."""
    steps = [{"op": "add", "path": "/spec/a", "value": ["lol"] * 10}]
    steps += [{"op": "copy", "from": "/spec/a", "path": "/spec/a/-"}] * times
    return json.dumps(steps).encode()


def steps(*operations: tuple) -> bytes:
    """Returns a JSON patch of operations: the name, a path, and a value or another path."""
    patch = []
    for op, path, *rest in operations:
        if op in ("copy", "move"):
            patch.append({"op": op, "from": path, "path": rest[0]})
        else:
            patch.append({"op": op, "path": path, **({"value": rest[0]} if rest else {})})
    return json.dumps(patch, separators=(",", ":")).encode()


def nest(levels: int) -> dict:
    """Returns a dict of so many levels."""
    value = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


def deep(levels: int) -> bytes:
    """Returns a dict of so many levels as JSON."""
    return b'{"a":' * (levels - 1) + b"{}" + b"}" * (levels - 1)


def deepening(op: str) -> bytes:
    """Returns a JSON patch that doubles the depth of a member again and again."""
    operations, path = [("add", "/spec/a", {})], ""
    for _ in range(19):
        end = f"/spec/a{path}/a"
        if op == "copy":
            operations.append(("copy", "/spec/a", end))
        else:
            operations += [("copy", "/spec/a", "/spec/b"), ("move", "/spec/b", end)]
        path = path * 2 + "/a"
    return steps(*operations)


EMPTY = [{}]
DEEP = "nests deeper than 200 levels"
TOUCHED = "more than 10000000 members"
LAUGHS = "a: &a [lol, lol, lol, lol, lol, lol, lol, lol]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 8)}]\n" for i in range(12)
)

PATHS = [
    same("a namespace that leads up", f"{ROOT}/namespaces/../sheep", 400, "namespace"),
    same("an escaped namespace that leads up", f"{ROOT}/namespaces/%2e%2e/sheep", 400, "namespace"),
    Ask(
        "a namespace with a slash", f"{ROOT}/namespaces/a%2Fb/sheep", 400, None, message="namespace"
    ),
    same("a namespace with NUL", f"{ROOT}/namespaces/a%00b/sheep", FINE),
    same("a namespace with a line break", f"{ROOT}/namespaces/a%0D%0AX-Evil:%201/sheep", FINE),
    same("a namespace in capitals", f"{ROOT}/namespaces/DEFAULT/sheep", FINE),
    same("a namespace of 10 kB", f"{ROOT}/namespaces/{'a' * 10000}/sheep", FINE),
    same("a namespace that is not UTF-8", f"{ROOT}/namespaces/%ff%fe/sheep", FINE),
    same("a name that leads up", f"{SHEEP}/..", 404),
    same("a name with a line break", f"{SHEEP}/a%0D%0AX-Evil:%201", 404),
    same("a name that is not UTF-8", f"{SHEEP}/%ff%fe", 404),
    same("a name with a question mark", f"{SHEEP}/dolly%3Fwatch=1", 404),
    same("a name of 10 kB", f"{SHEEP}/{'a' * 10000}", 404),
    same("a path below the object", f"{SHEEP}/dolly/exec", 404),
    same("a path that leads out of the group", f"{ROOT}/../../../etc/passwd", 404),
    Ask("OpenAPI of another path", "/openapi/v3/apis/../../etc/passwd", 404, None),
    Ask("a malformed escape", f"{SHEEP}/%zz", 400, None, message="malformed escape"),
    Ask("half an escape", f"{SHEEP}/%", 400, None, message="malformed escape"),
    Ask(
        "a malformed escape in the query",
        f"{SHEEP}?limit=%zz",
        400,
        None,
        message="malformed escape",
    ),
    Ask("another group", "/apis/evil.example.org/v1/sheep", 404, None),
    Ask("the whole server", "*", 404, None, "OPTIONS"),
    Ask("a path of 50 kB", f"{SHEEP}/{'a' * 50000}", 404, None),
]

METHODS = [
    Ask("a method that nobody knows", SHEEP, 405, None, "BREW"),
    Ask("TRACE", SHEEP, 405, None, "TRACE"),
    Ask("CONNECT", "localhost:443", 404, None, "CONNECT"),
    Ask("OPTIONS", SHEEP, 405, None, "OPTIONS"),
    same("POST to an object", f"{SHEEP}/dolly", 405, method="POST", headers=(JSON,), body=b"{}"),
    same("PUT to the list", SHEEP, 405, method="PUT", headers=(JSON,), body=b"{}"),
    same(
        "a write to a view without a store",
        f"{ROOT}/flocks",
        405,
        method="POST",
        headers=(JSON,),
        body=b"{}",
    ),
]

SELECTORS = [
    listed("half a set", "labelSelector=a%20in", 400, "labelSelector"),
    listed("a set that is not closed", "labelSelector=a%20in%20(b,c", 400, "parenthesis"),
    listed("a selector of signs", "labelSelector=%21%21%3D%3D", 400, "labelSelector"),
    listed("10,000 parentheses", f"labelSelector=a%20in%20{'(' * 10000}", 400, "labelSelector"),
    listed("a comparison with a text", "labelSelector=a%3Eb", 400, "whole number"),
    listed("an invalid key", "labelSelector=../a%3Db", 400, "label key"),
    listed("a selector that is not UTF-8", "labelSelector=%ff%3D%fe", 400, "label"),
    listed(
        "a selector of 17 kB", f"labelSelector=a%20in%20({'b,' * 8500}b)", 400, "longer than 16 KiB"
    ),
    listed("3,000 requirements", "labelSelector=" + ",".join(["%21a"] * 3000), FINE),
    listed("a field that no view has", "fieldSelector=spec.wool%3D1", 400, "not supported"),
    listed("a field selector without a field", "fieldSelector=%3D1", 400, "field selector"),
    listed(
        "a field selector of 17 kB",
        "fieldSelector=metadata.name%3D" + "a" * 17000,
        400,
        "longer than 16 KiB",
    ),
]

NUMBERS = [
    listed("a negative limit", "limit=-1", 400, "limit"),
    listed("a limit beyond 64 bits", "limit=99999999999999999999", 400, "limit"),
    listed("the largest limit", "limit=9223372036854775807", FINE),
    listed("a limit in words", "limit=many", 400, "limit"),
    listed("a version in words", "resourceVersion=latest", 400, "whole number"),
    listed("a negative version", "resourceVersion=-1", 400, "whole number"),
    listed(
        "a version from the future",
        "resourceVersion=99999999999",
        504,
        "Too large resource version",
    ),
    listed(
        "a version beyond 64 bits",
        f"resourceVersion={'9' * 1000}",
        504,
        "Too large resource version",
    ),
    listed(
        "exactly a version from the future",
        "resourceVersion=99999999999&resourceVersionMatch=Exact",
        504,
    ),
    listed(
        "a match that nobody knows",
        "resourceVersion=1&resourceVersionMatch=Roughly",
        422,
        "Unsupported value",
    ),
    listed("a match without a version", "resourceVersionMatch=Exact", 422, "forbidden"),
    watched("a negative time", "timeoutSeconds=-1", 400, "timeoutSeconds"),
    watched("a time beyond 64 bits", "timeoutSeconds=99999999999999999999", 400, "timeoutSeconds"),
    watched("a watch from version 1", "resourceVersion=1&timeoutSeconds=1", FINE),
    watched("a watch from the future", "resourceVersion=99999999999&timeoutSeconds=1", FINE),
    watched("initial events without a match", "sendInitialEvents=true", 422, "NotOlderThan"),
]

TOKENS = [
    listed("a token of noise", "continue=noise", 400, "continue key"),
    listed(
        "a token of another version",
        f"continue={token(v='meta.k8s.io/v9', rv=5, start='a')}",
        400,
        "continue key",
    ),
    listed(
        "a token that leads out of the namespace",
        f"continue={token(rv=5, start='../kube-system/a')}",
        400,
        "continue key",
    ),
    listed("a token from the beginning of time", f"continue={token(rv=1, start='a')}", FINE),
    listed("a token from the future", f"continue={token(rv=99999999999, start='a')}", 504),
    listed("a token of 30 kB", f"continue={'A' * 30000}", 400, "continue key"),
    listed(
        "a token and a version",
        f"continue={token(rv=5, start='a')}&resourceVersion=5",
        400,
        "not allowed",
    ),
]

BODIES = [
    # It is still being sent when the answer comes.
    posted("a body of 4 MiB", sheep(spec={"wool": 1, "colour": "x" * 4 * MIB}), 413, "too large"),
    posted("an empty body", b"", 400, "JSON"),
    posted("a body that is not JSON", b"{", 400, "JSON"),
    posted("a list", b"[]", 400, "not an object"),
    posted("no object", b"null", 400, "not an object"),
    posted("a million brackets", b"[" * 1000000, 400, "JSON"),
    posted("a deep object", b'{"a":' * 5000 + b"1" + b"}" * 5000, 400, "JSON"),
    posted("a body that is not UTF-8", b'{"a":"\xff"}', 400),
    posted("laughing YAML", LAUGHS.encode(), 400, "YAML", YAML),
    posted("a deep object in YAML", b"a: " + b"[" * 5000 + b"]" * 5000, 422, DEEP, YAML),
    posted("YAML of a million brackets", b"[" * 1000000, 400, "YAML", YAML),
    posted(
        "a body in an unknown format", sheep(), 415, "unknown format", ("Content-Type", "text/evil")
    ),
    posted("metadata that are a list", sheep(metadata=[]), 422, "name"),
    posted("a name that is an object", sheep(metadata={"name": {}}), 422, "name"),
    posted("a new name that leads up", sheep(metadata={"name": "../dolly"}), 422, "name"),
    posted("a generated name of 1 MiB", sheep(metadata={"generateName": "a" * MIB}), 422, "name"),
    posted(
        "labels that are a number", sheep(metadata={"name": "evil", "labels": 5}), 400, "labels"
    ),
    posted(
        "a label that is a list",
        sheep(metadata={"name": "evil", "labels": {"a": []}}),
        400,
        "labels",
    ),
    posted(
        "an annotation that is a number",
        sheep(metadata={"name": "evil", "annotations": {"a": 1}}),
        400,
        "annotations",
    ),
    posted(
        "another namespace",
        sheep(metadata={"name": "evil", "namespace": "kube-system"}),
        400,
        "namespace",
    ),
    posted("another kind", sheep(kind="Secret"), 400, "no Sheep"),
    same(
        "a dry run of a kind",
        f"{SHEEP}?dryRun=Some",
        422,
        "dryRun",
        method="POST",
        headers=(JSON,),
        body=sheep(),
    ),
    patched("a patch that doubles a list 40 times", doubling(40), 422, "copy more than 3145728"),
    patched("a patch that doubles the depth 19 times", deepening("copy"), 422, DEEP),
    patched("a patch that moves what is deep into the deep", deepening("move"), 422, DEEP),
    patched(
        "a patch that adds what is deep to the deep",
        steps(("add", "/spec/a", nest(150)), ("add", "/spec/a" + "/a" * 150, nest(100))),
        422,
        DEEP,
    ),
    patched("a patch of a list of 900,000", steps(("add", "/spec/l", EMPTY * 900_000)), 422),
    patched(
        "a patch that adds to a list of 900,000 again and again",
        steps(("add", "/spec/l", EMPTY * 900_000), *[("add", "/spec/l/0", 0)] * 990),
        422,
        TOUCHED,
    ),
    patched(
        "a patch that takes from a list of 900,000 again and again",
        steps(("add", "/spec/l", EMPTY * 900_000), *[("remove", "/spec/l/0")] * 990),
        422,
        TOUCHED,
    ),
    patched(
        "a patch that replaces in a list of lists again and again",
        steps(("add", "/spec/l", [EMPTY * 900_000]), *[("replace", "/spec/l/0/0", 0)] * 990),
        422,
        TOUCHED,
    ),
    patched(
        "a patch that moves a list of 900,000 again and again",
        steps(("add", "/spec/l", EMPTY * 900_000), *[("move", "/spec/l", "/spec/l")] * 990),
        422,
        TOUCHED,
    ),
    patched(
        "a patch that adds to a dict of 280,000 again and again",
        steps(
            ("add", "/spec/d", {str(i): 0 for i in range(280_000)}),
            *[("add", f"/spec/d/k{i}", 0) for i in range(990)],
        ),
        422,
    ),
    patched(
        "a patch that tests a list of 400,000 again and again",
        steps(
            ("add", "/spec/l", EMPTY * 400_000),
            ("test", "/spec/l", EMPTY * 400_000),
            *[("test", "/spec", {})] * 990,
        ),
        422,
    ),
    patched(
        "a patch that copies a list of 100,000 again and again",
        steps(
            ("add", "/spec/l", EMPTY * 100_000),
            *[("copy", "/spec/l", f"/spec/{i}") for i in range(990)],
        ),
        422,
        "more than",
    ),
    patched(
        "10,000 steps to nowhere",
        json.dumps([{"op": "remove", "path": "/x"}] * 10000).encode(),
        422,
        "at most 1000",
    ),
    patched(
        "a merge patch of a list of 900,000",
        json.dumps({"spec": {"l": EMPTY * 900_000}}, separators=(",", ":")).encode(),
        422,
        content=MERGE,
    ),
    patched("a merge patch of depth", b'{"spec":{"a":' + deep(198) + b"}}", FINE, content=MERGE),
    patched(
        "a merge patch beyond the depth", b'{"spec":{"a":' + deep(199) + b"}}", 400, "JSON", MERGE
    ),
    patched(
        "a patch of what a merge patch has made deep",
        steps(("add", "/spec/a" + "/a" * 198, {})),
        422,
        DEEP,
    ),
    patched("a merge patch that makes it flat again", b'{"spec":{"a":null}}', FINE, content=MERGE),
    patched("a step that nobody knows", b'[{"op":"brew","path":"/"}]', 400, "patch"),
    patched(
        "a path of 100,000 steps",
        json.dumps([{"op": "add", "path": "/a" * 100000, "value": 1}]).encode(),
        422,
    ),
    patched("a merge patch that is a list", b"[]", 400, "object", MERGE),
    patched("a merge patch of another identity", b'{"metadata":{"uid":"x"}}', 409, "UID", MERGE),
    patched("a merge patch of the name", b'{"metadata":{"name":"polly"}}', 400, "name", MERGE),
    patched("a merge patch that removes metadata", b'{"metadata":null}', 422, "name", MERGE),
    patched(
        "server-side apply",
        b"{}",
        415,
        "unknown format",
        ("Content-Type", "application/apply-patch+yaml"),
    ),
    same(
        "a deletion with a body of noise",
        f"{SHEEP}/dolly",
        400,
        "JSON",
        method="DELETE",
        headers=(JSON,),
        body=b"noise",
    ),
    same(
        "a deletion under a condition of noise",
        f"{SHEEP}/dolly",
        409,
        "precondition",
        method="DELETE",
        headers=(JSON,),
        body=b'{"preconditions":{"uid":"noise"}}',
    ),
    same(
        "a deletion with a policy of noise",
        f"{SHEEP}/dolly?propagationPolicy=Noise",
        422,
        "propagationPolicy",
        method="DELETE",
    ),
]

FORMS = [
    same("a form that nobody knows", SHEEP, 406, headers=(("Accept", "application/evil"),)),
    Ask("10,000 forms", SHEEP, FINE, None, headers=(("Accept", "a/b;c=d," * 5000 + "*/*"),)),
    same(
        "a table of another version",
        SHEEP,
        406,
        headers=(("Accept", "application/json;as=Table;v=v9;g=meta.k8s.io"),),
    ),
    same(
        "a table of nothing known",
        f"{SHEEP}?includeObject=Everything",
        400,
        "includeObject",
        headers=(("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"),),
    ),
]

ALL = [*PATHS, *METHODS, *SELECTORS, *NUMBERS, *TOKENS, *BODIES, *FORMS]
