# SPDX-License-Identifier: Apache-2.0
"""Regular expressions in template functions and in the patterns of schemas."""

import json

from hostile.vector import TEMPLATE, Vector, chart

LONG = '(repeat 200000 "a")'
PATTERNS = {
    "nested repeats": "(((a*)*)*)*b",
    "a repeat of a repeat": "(a{1,30}){1,30}b",
    "the largest repeat": "a{1000}",
    "a repeat that is too large": "a{1001}",
    "repeats that multiply": "((a{10}){10}){11}",
    "many alternatives": "|".join(f"a{n}" for n in range(20000)),
    "one alternative over and over": "|".join(["a"] * 50000),
    "deep groups": "(" * 900 + "a" + ")" * 900,
    "groups that are too deep": "(" * 100000 + "a" + ")" * 100000,
    "groups without end": "(" * 100000,
    "many classes": "[a-z]" * 20000,
    "large classes": "[\\p{L}\\p{N}]{500}",
    "a class without end": "[a",
    "many names": "".join(f"(?P<n{n}>a?)" for n in range(3000)),
    "one name twice": "(?P<n>a)(?P<n>b)",
    "look-ahead": "(?=a)b",
    "a reference": "(a)\\1",
    "dots that overlap": "(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a]",
    "optionals": "a?" * 500 + "a" * 500,
    "an empty pattern": "",
    "broken UTF-8": "\udcff",
    "a million letters": "a" * 1000000,
    "flags": "(?i)" * 20000 + "a",
    "escapes": "\\x{10FFFF}\\pN\\Q" + "a" * 1000,
}
BUDGET = "render budget exceeded"
REFUSED = {
    "broken UTF-8": "invalid Unicode character",
    "groups that are too deep": BUDGET,
    "many classes": BUDGET,
}
SCHEMA_REFUSED: dict[str, str] = {
    "nested repeats": "does not match pattern",
    "a repeat of a repeat": "does not match pattern",
    "a repeat that is too large": "invalid repeat count",
    "repeats that multiply": "invalid repeat count",
    "many alternatives": "does not match pattern",
    "groups that are too deep": "takes too many steps",
    "groups without end": "missing closing ",
    "many classes": "takes too many steps",
    "many names": "takes too many steps",
    "large classes": "expression too large",
    "a class without end": "missing closing ",
    "one name twice": "does not match pattern",
    "look-ahead": "invalid or unsupported Perl syntax",
    "a reference": "invalid escape sequence",
    "dots that overlap": "does not match pattern",
    "broken UTF-8": "does not match pattern",
    "a million letters": "expression too large",
    "escapes": "does not match pattern",
}


def data(text: str) -> str:
    """Returns YAML that holds any string."""
    return "p: " + json.dumps(text) + "\n"


def functions() -> list[Vector]:
    """Attacks by patterns in the values, as in a custom resource."""
    template = f"a: {{{{ regexMatch .Values.p {LONG} }}}}\n"
    return [
        Vector(
            f"regexp: {name}",
            chart({TEMPLATE: template, "values.yaml": data(pattern)}),
            REFUSED.get(name),
            reconciled=name not in REFUSED,
        )
        for name, pattern in PATTERNS.items()
    ]


def schemas() -> list[Vector]:
    """Attacks by patterns in a schema."""
    made = []
    for name, pattern in PATTERNS.items():
        schema = json.dumps({"properties": {"a": {"pattern": pattern}}})
        files = {
            "values.schema.json": schema,
            "values.yaml": "a: " + "a" * 200000 + "\n",
            TEMPLATE: "a: 1\n",
        }
        made.append(Vector(f"a schema's pattern: {name}", chart(files), SCHEMA_REFUSED.get(name)))
    return made


def uses() -> list[Vector]:
    """Attacks by functions that use a harmless pattern often."""
    calls = {
        "regexFindAll of empty matches": f'len (regexFindAll "x*" {LONG} -1)',
        "regexSplit at every letter": f'len (regexSplit "a" {LONG} -1)',
        "regexReplaceAll with groups": (
            f'len (regexReplaceAll "(a)(a)" {LONG} "${{2}}${{1}}${{9}}$$")'
        ),
        "regexReplaceAll of empty matches": f'len (regexReplaceAll "" {LONG} "b")',
        "regexFindAll with a great limit": f'len (regexFindAll "a" {LONG} 9223372036854775807)',
        "regexFindAll with a negative limit": f'len (regexFindAll "a" {LONG} -9223372036854775808)',
        "regexQuoteMeta": f"len (regexQuoteMeta {LONG})",
        "a thousand different patterns": (
            'range until 1000 }}{{ $_ := regexMatch (printf "a{%d}[a-z]{50}" .) "a" }}{{ end }}{{ 1'
        ),
        "a hundred large patterns": (
            'range until 100 }}{{ $_ := regexMatch (printf "[\\\\p{L}]{%d}" (add 900 .)) "a" }}{{'
            " end }}{{ 1"
        ),
        "tolerant matching": f'mustRegexMatch "^(a|aa)+$" {LONG}',
    }
    return [
        Vector(f"regexp: {name}", chart({TEMPLATE: f"a: {{{{ {call} }}}}\n"}), None, cpu_seconds=20)
        for name, call in calls.items()
    ]


ALL = [*functions(), *schemas(), *uses()]
