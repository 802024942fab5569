# SPDX-License-Identifier: Apache-2.0
"""Malicious watch streams: frames too large, too deep, too many, endless, of wrong types."""

import json
from collections.abc import Callable, Iterable, Iterator

from hostile.apiserver import GROUP
from hostile.operators import Encounter, Stage

MIB = 1 << 20
GONE = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}
AGAIN = "InstallSuccessful"


def body(kind: str, **metadata) -> dict:
    """Returns a custom resource as a server would send it."""
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": kind,
        "spec": {"size": 7},
        "metadata": {
            "name": kind.lower(),
            "namespace": "default",
            "uid": "u",
            "resourceVersion": "5",
            "generation": 1,
            **metadata,
        },
    }


def line(type_: object, obj: object) -> bytes:
    """Returns one event."""
    return json.dumps({"type": type_, "object": obj}).encode() + b"\n"


def deep(text: str, times: int, inner: str, end: str) -> str:
    """Returns nested JSON, which Python's encoder would refuse to write."""
    return text * times + inner + end * times


def endless(part: bytes, times: int) -> Iterator[bytes]:
    """Yields the same part many times."""
    for _ in range(times):
        yield part


def stream(
    name: str, parts: bytes | Iterable[bytes] | Callable, reported: str = AGAIN, **rest
) -> Encounter:
    """An attack by raw bytes; a valid custom resource follows and must be reconciled."""
    kind = "S" + "".join(
        word.capitalize() for word in name.replace(",", "").replace("-", " ").split()
    )

    def attack(on: Stage) -> None:
        sent = parts(kind) if callable(parts) else parts
        on.push(kind, sent)
        on.put(kind, {"size": 1})

    return Encounter(f"a watch that sends {name}", kind, attack, reported, **rest)


ALL = [
    stream("no JSON", b"<html>\n"),
    stream("nothing but line breaks", b"\n" * 100000),
    stream("a frame of 33 MiB", b'{"type":"ADDED","object":{"a":"' + b"x" * 33 * MIB + b'"}}\n'),
    stream("a frame without end", lambda _kind: endless(b"x" * MIB, 40)),
    stream(
        "a deep frame",
        deep('{"type":"ADDED","object":{"a":', 1, deep("[", 100000, "", "]"), "}}").encode()
        + b"\n",
    ),
    stream("an object that is a list", lambda _kind: line("ADDED", [1])),
    stream("an object that is a text", lambda _kind: line("ADDED", "x")),
    stream("no object", b'{"type":"ADDED"}\n'),
    stream("a list for an event", b"[1,2,3]\n"),
    stream("a type that is a number", lambda kind: line(5, body(kind))),
    stream("an unknown type", lambda kind: line("EXPLODED", body(kind))),
    stream(
        "an object without metadata",
        lambda kind: line("ADDED", {"apiVersion": f"{GROUP}/v1", "kind": kind}),
    ),
    stream(
        "metadata that is a list",
        lambda kind: line("ADDED", {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": [1]}),
    ),
    stream(
        "a name that is a map",
        lambda kind: line(
            "ADDED", {**body(kind), "metadata": {"name": {}, "namespace": 5, "uid": []}}
        ),
    ),
    stream(
        "a name that is a path", lambda kind: line("ADDED", {**body(kind, name="../../secrets/x")})
    ),
    stream("a name of a million letters", lambda kind: line("ADDED", body(kind, name="x" * MIB))),
    stream(
        "an object of another kind",
        lambda _kind: line(
            "ADDED",
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": "x", "namespace": "default"},
                "data": {"password": "aHVudGVyMmh1bnRlcjI="},
            },
        ),
        secret="aHVudGVyMmh1bnRlcjI=",
    ),
    stream(
        "a kind of every wrong type",
        lambda kind: line("ADDED", {**body(kind), "kind": [1], "apiVersion": {}}),
    ),
    stream(
        "100,000 bookmarks",
        lambda _kind: endless(line("BOOKMARK", {"metadata": {"resourceVersion": "7"}}) * 1000, 100),
    ),
    stream(
        "a bookmark of nothing",
        lambda _kind: line("BOOKMARK", {}) + line("BOOKMARK", {"metadata": 5}),
    ),
    stream(
        "a version that is a number",
        lambda _kind: line("BOOKMARK", {"metadata": {"resourceVersion": 18446744073709551616}}),
    ),
    stream(
        "a version of a million digits",
        lambda _kind: line("BOOKMARK", {"metadata": {"resourceVersion": "9" * 60000}}),
    ),
    stream(
        "a version with a line break",
        lambda _kind: line("BOOKMARK", {"metadata": {"resourceVersion": "7\r\nX-Evil: 1"}}),
    ),
    stream("an error that says it is gone", lambda _kind: line("ERROR", GONE)),
    stream("100 errors", lambda _kind: line("ERROR", GONE) * 100),
    stream("an error without a Status", lambda _kind: line("ERROR", {})),
    stream(
        "an error of a million letters",
        lambda _kind: line("ERROR", {**GONE, "code": 500, "message": "x" * MIB}),
    ),
    stream(
        "an error that asks for an hour",
        lambda _kind: line("ERROR", {**GONE, "code": 410, "details": {"retryAfterSeconds": 3600}}),
    ),
    stream(
        "a deletion of what is not there", lambda kind: line("DELETED", body(kind, name="nobody"))
    ),
    stream(
        "10,000 custom resources that come and go",
        lambda kind: endless(
            b"".join(
                line("ADDED", body(kind, name=f"x{n}")) + line("DELETED", body(kind, name=f"x{n}"))
                for n in range(100)
            ),
            20,
        ),
        cpu_seconds=20,
    ),
    stream(
        "broken UTF-8",
        lambda kind: line("ADDED", body(kind, name="x")).replace(b'"x"', b'"\xff\xfe"'),
    ),
    stream(
        "one key over and over",
        b'{"type":"ADDED","type":"DELETED","object":{' + b",".join([b'"a":1'] * 50000) + b"}}\n",
    ),
]
