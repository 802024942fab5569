# SPDX-License-Identifier: Apache-2.0
"""Patterns of .Files.Glob that take long to match, and input for related functions."""

from hostile.vector import TEMPLATE, Vector, chart

LONG = "files/" + "a" * 200


def glob(name: str, pattern: str, error: str | None = None, **rest) -> Vector:
    """An attack by a pattern in the values, as in a custom resource."""
    files = {
        TEMPLATE: "a: {{ len (.Files.Glob .Values.p) }}\n",
        LONG: "x",
        "files/b.txt": "y",
        "pattern.yaml": "",
    }
    return Vector(
        name,
        chart({**files, "values.yaml": f"p: {quoted(pattern)}\n"}),
        error,
        reconciled=True,
        **rest,
    )


def quoted(text: str) -> str:
    """Returns a single-quoted YAML scalar."""
    return "'" + text.replace("'", "''") + "'"


def functions() -> list[Vector]:
    """Attacks on .Files and related functions."""
    calls = {
        "a million names": (
            'range until 1000000 }}{{ $_ := $.Files.Get "files/b.txt" }}{{ end }}{{ 1'
        ),
        "a name of NUL": '.Files.Get "files/\\x00b.txt" | quote',
        "a name of a million letters": '.Files.Get (repeat 1000000 "../") | quote',
        "lines of what is not there": '.Files.Lines "x" | len',
        "AsConfig of everything a thousand times": (
            'range until 1000 }}{{ $_ := ($.Files.Glob "**").AsConfig }}{{ end }}{{ 1'
        ),
        "AsSecrets of everything a thousand times": (
            'range until 1000 }}{{ $_ := ($.Files.Glob "**").AsSecrets }}{{ end }}{{ 1'
        ),
        "a glob of a glob": '(.Files.Glob "files/*").Glob "**" | len',
        "the private key of the chart folder": '.Files.Get "/etc/shadow" | quote',
        "a file by a link of dots": '.Files.Get "files/../../../../etc/passwd" | quote',
        "GetBytes of what is not there": '.Files.GetBytes "x" | len',
    }
    files = {LONG: "x", "files/b.txt": "y"}
    return [
        Vector(
            f"files: {name}",
            chart({**files, TEMPLATE: f"a: {{{{ {call} }}}}\n"}),
            None,
            cpu_seconds=20,
        )
        for name, call in calls.items()
    ]


ALL = [
    glob("glob: nested alternatives", "{" * 1000 + "a" + "}" * 1000),
    glob("glob: alternatives of alternatives", "{a,{a,{a,{a,b}}}}" * 50 + "x"),
    glob("glob: stars and alternatives", "**/{a,aa,aaa}*" * 30 + "b"),
    glob("glob: a million stars", "*" * 1000000),
    glob("glob: a million question marks", "?" * 1000000),
    glob("glob: double stars", "**/" * 100000 + "b.txt"),
    glob("glob: a class of a million letters", "files/[" + "b" * 1000000 + "].txt"),
    glob("glob: many classes", "files/" + "[a-z]" * 100000),
    glob("glob: a class without end", "files/[a"),
    glob("glob: an alternative without end", "files/{a"),
    glob("glob: a backslash at the end", "files/\\"),
    glob("glob: ranges the wrong way", "files/[z-a]"),
    glob("glob: parent folders", "../" * 1000 + "etc/passwd"),
    glob("glob: an absolute path", "/etc/*"),
    glob("glob: an empty pattern", ""),
    glob("glob: stars with letters between", "files/" + "*a" * 2000 + "*b"),
    glob("glob: NUL", "files/\\0*"),
    glob("glob: broken UTF-8", "files/[\ud800-\udfff]".encode("utf-8", "replace").decode()),
    *functions(),
]
