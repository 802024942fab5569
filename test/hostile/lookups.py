# SPDX-License-Identifier: Apache-2.0
"""Answers to `lookup` that are slow, too large, cut off, of wrong types, or redirects."""

import json
import re
import time
from collections.abc import Callable

from hostile.operators import CONFIG_MAP, TOKEN, Encounter, Stage
from hostile.remotes import Handler
from hostile.vector import TEMPLATE

MIB = 1 << 20
# Interval of the bytes, and their number if the client never hangs up.
TRICKLE_SECONDS = 0.3
TRICKLED_MAX = 1000
FAILED = "error calling lookup"
# Output of the template if the answer is not an error.
LOOKED_UP = "looked up"


def trickle(handler: Handler) -> None:
    """Sends an endless answer, byte by byte with pauses."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(TRICKLED_MAX + 1))
    handler.end_headers()
    try:
        for _ in range(TRICKLED_MAX):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(TRICKLE_SECONDS)
    except OSError:
        handler.close_connection = True


def whole(body: object, code: int = 200, **headers: str) -> Callable:
    """Returns a function that answers with this body and these headers."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(handler: Handler) -> None:
        handler.send_response(code)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            **headers,
        }.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def cut_off(handler: Handler) -> None:
    """Sends half of an answer."""
    whole(b'{"kind":"ConfigMap","data":{"a":', Content_Length="4000")(handler)
    handler.close_connection = True


def listed(**fields: object) -> dict:
    """Returns a list of ConfigMaps."""
    return {
        "kind": "ConfigMapList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "1"},
        "items": [],
        **fields,
    }


def lookup(
    name: str,
    answer: Callable,
    reported: str,
    *,
    whole_list: bool = False,
    asked_max: int = 1,
    **rest,
) -> Encounter:
    """An attack by the answer to a lookup of one ConfigMap, or of all in a namespace.

    `asked_max` is the maximum number of requests of one render.
    """
    kind = "L" + "".join(
        word.capitalize() for word in "".join(c if c.isalnum() else " " for c in name).split()
    )
    # No other request is for ConfigMaps of this namespace, or of this name.
    path = f"/{kind.lower()}/configmaps" + ("" if whole_list else "/asked")
    call = f'lookup "v1" "ConfigMap" "{kind.lower()}" "{"" if whole_list else "asked"}"'

    reported = rf"{kind.lower()}/templates/t[^\n]*({reported})"

    def attack(on: Stage) -> None:
        on.server.answers["GET", path] = answer
        since = len(on.log())
        on.put(kind)
        on.wait_reported(kind, reported, since)
        asked = len(on.server.seen("GET", path))
        # A failure is tried again within milliseconds, and perhaps again.
        renders = len(re.findall(reported, on.log(since))) + 1
        assert 1 <= asked <= asked_max * renders, f"asked for it {asked} times in {renders} renders"

    files = {
        TEMPLATE: CONFIG_MAP + f'---\n{{{{ fail (print "looked up " (len ({call} | toJson))) }}}}\n'
    }
    return Encounter(f"a lookup whose answer {name}", kind, attack, reported, files, **rest)


def elsewhere(on: str) -> Callable:
    """Returns a function that redirects to another address."""
    return whole(b"", 307, Location=on)


ALL = [
    # A timeout is retried within milliseconds, perhaps before its report is read here.
    lookup("trickles", trickle, "no answer within 30s", asked_max=2),
    lookup("is cut off", cut_off, FAILED, asked_max=4),
    lookup("is no JSON", whole(b"<html>"), FAILED, asked_max=4),
    lookup("is nothing", whole(b""), FAILED, asked_max=4),
    lookup("is a list", whole([1, 2]), FAILED),
    lookup("is a text", whole("x"), FAILED),
    lookup(
        "is 65 MiB",
        whole(b'{"kind":"ConfigMap","apiVersion":"v1","data":{"a":"' + b"x" * 65 * MIB + b'"}}'),
        FAILED,
    ),
    lookup(
        "is 30 million lists",
        whole(b'{"kind":"ConfigMap","apiVersion":"v1","a":[' + b"[]," * (5 * MIB) + b"[]]}"),
        FAILED,
        rss_mib=700,
    ),
    lookup("is a million levels deep", whole(b'{"a":' + b"[" * MIB), FAILED),
    lookup("is a header of 5 MB", whole({}, X_Large="x" * 5000000), FAILED, asked_max=4),
    lookup(
        "is a Secret",
        whole(
            {
                "kind": "Secret",
                "apiVersion": "v1",
                "metadata": {"name": "asked"},
                "data": {"p": "aHVudGVyMmh1bnRlcjI="},
            }
        ),
        LOOKED_UP,
        secret="aHVudGVyMmh1bnRlcjI=",
    ),
    lookup(
        "is a redirect to another namespace",
        elsewhere("/api/v1/namespaces/x/configmaps/asked"),
        FAILED,
    ),
    lookup("is a redirect to another server", elsewhere("http://127.0.0.1:1/asked"), FAILED),
    lookup(
        "asks to come again in an hour",
        whole(
            {"kind": "Status", "code": 429, "reason": "TooManyRequests", "message": "later"},
            429,
            Retry_After="3600",
        ),
        FAILED,
        asked_max=4,
    ),
    lookup(
        "is an error of a million letters",
        whole({"kind": "Status", "code": 500, "message": "x" * MIB}, 500),
        FAILED,
        asked_max=8,
    ),
    lookup(
        "is an error that tells the token",
        whole(
            {
                "kind": "Status",
                "code": 403,
                "reason": "Forbidden",
                "message": f"Bearer {TOKEN[:3]}",
            },
            403,
        ),
        FAILED,
    ),
    lookup(
        "lists what is no object",
        whole(listed(items=[1, "a", None, []])),
        "has an item that is not an object",
        whole_list=True,
    ),
    lookup("lists a map", whole(listed(items={"a": 1})), "is not a list", whole_list=True),
    lookup(
        "has no list",
        whole({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {}}),
        "is not a list",
        whole_list=True,
    ),
    lookup(
        "goes on with the same page for ever",
        whole(listed(metadata={"resourceVersion": "1", "continue": "x"})),
        LOOKED_UP,
        whole_list=True,
    ),
    lookup(
        "lists 5 million objects",
        whole(
            b'{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":['
            + b"{}," * (5 * MIB)
            + b"{}]}"
        ),
        FAILED,
        whole_list=True,
        rss_mib=700,
    ),
]
