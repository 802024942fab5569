# SPDX-License-Identifier: Apache-2.0
"""YAML tags, directives and anchors."""

from hostile.vector import TEMPLATE, Vector, chart, values

READ = 'a: {{ fromYaml (.Files.Get "f") | toJson | trunc 200 | quote }}\n'
TEXTS = {
    "!!binary that is not base64": "a: !!binary '***'\n",
    "!!binary of a list": "a: !!binary [1, 2]\n",
    "!!binary of broken UTF-8": "a: !!binary gIGC\n",
    "!!binary as a key": "? !!binary gIGC\n: 1\n",
    "!!python/object": "a: !!python/object/apply:os.system ['id']\n",
    "!!java": "a: !!javax.script.ScriptEngineManager [1]\n",
    "!!float of text": "a: !!float abc\n",
    "!!float of a list": "a: !!float [1]\n",
    "!!int of text": "a: !!int abc\n",
    "!!int beyond 64 bits": "a: !!int 99999999999999999999999999\n",
    "!!bool of text": "a: !!bool maybe\n",
    "!!null of text": "a: !!null text\n",
    "!!timestamp of text": "a: !!timestamp never\n",
    "!!set": "a: !!set {b, c}\n",
    "!!omap": "a: !!omap [b: 1, c: 2]\n",
    "!!pairs": "a: !!pairs [b: 1, b: 2]\n",
    "!!merge of text": "a: {!!merge b: 1}\n",
    "!!merge of a list of lists": "a: {<<: [[1]]}\n",
    "!!map of text": "a: !!map text\n",
    "!!seq of a map": "a: !!seq {b: 1}\n",
    "!!str of a map": "a: !!str {b: 1}\n",
    "a custom tag": "a: !evil text\n",
    "a verbatim tag": "a: !<tag:evil.example,2026:x> text\n",
    "a verbatim tag without end": "a: !<tag:evil text\n",
    "a tag of escapes": "a: !e%00%ff%zz text\n",
    "a tag of a million letters": "a: !" + "e" * 1000000 + " text\n",
    "a million tags": "a: " + "!e " * 300000 + "text\n",
    "%TAG of another handle": "%TAG !e! tag:evil.example,2026:\n---\na: !e!x text\n",
    "%TAG twice": "%TAG !e! a\n%TAG !e! b\n---\na: 1\n",
    "%TAG that redirects !!": "%TAG !! tag:evil.example,2026:\n---\na: !!str 1\n",
    "an unknown handle": "a: !e!x text\n",
    "%TAG a hundred thousand times": (
        "".join(f"%TAG !e{n}! a\n" for n in range(100000)) + "---\na: 1\n"
    ),
    "%YAML 9.9": "%YAML 9.9\n---\na: 1\n",
    "%YAML twice": "%YAML 1.1\n%YAML 1.1\n---\na: 1\n",
    "an unknown directive": "%EVIL x\n---\na: 1\n",
    "%YAML of a million digits": "%YAML 1." + "9" * 1000000 + "\n---\na: 1\n",
    "an anchor of a million letters": "a: &" + "b" * 1000000 + " 1\nc: *" + "b" * 1000000 + "\n",
    "an anchor without a name": "a: & 1\n",
    "an alias to nothing": "a: *b\n",
    "an alias of a million letters to nothing": "a: *" + "b" * 1000000 + "\n",
    "an alias as a key": "a: &a {b: 1}\n*a : 2\n",
    "a map as a key": "? {a: 1}\n: 2\n",
    "a list as a key": "? [a]\n: 2\n",
    "a null key": "~: 1\na: 2\n",
    "keys that are the same": "a: 1\na: 2\n",
    "keys that become the same": "1: a\n'1': b\n0x1: c\n",
    "a key that is not a number": ".nan: 1\n.inf: 2\n",
    "numbers in all bases": (
        "a: [0b1, 0o7, 07, 0x_f, 1_000, 1:30:00, -0, +.inf, .NaN, 1e999999999]\n"
    ),
}
REFUSED: dict[str, str] = {
    "!!binary that is not base64": "!!binary value contains invalid base64 data",
    "!!float of text": "cannot decode !!str `abc` as a !!float",
    "!!int of text": "cannot decode !!str `abc` as a !!int",
    "!!int beyond 64 bits": "cannot decode !!float `99999999999999999999999999` as a !!in",
    "!!bool of text": "cannot decode !!str `maybe` as a !!bool",
    "!!null of text": "cannot decode !!str `text` as a !!null",
    "!!timestamp of text": "cannot decode !!str `never` as a !!timestamp",
    "!!merge of a list of lists": "map merge requires map or sequence of maps as the value",
    "a verbatim tag without end": "did not find the expected '>'",
    "a tag of escapes": "found an incorrect leading UTF-8 octet",
    "a million tags": "did not find expected key",
    "%TAG twice": "found duplicate %TAG directive",
    "an unknown handle": "found undefined tag handle",
    "%YAML 9.9": "found incompatible YAML document",
    "%YAML twice": "found duplicate %YAML directive",
    "an unknown directive": "found unknown directive name",
    "%YAML of a million digits": "found extremely long version number",
    "an anchor without a name": "did not find expected alphabetic or numeric character",
    "an alias to nothing": "unknown anchor 'b' referenced",
    "an alias of a million letters to nothing": (
        "unknown anchor 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
    ),
    "an alias as a key": 'invalid map key: map\\[interface \\{\\}\\]interface \\{\\}\\{"b":1\\}',
    "a map as a key": 'invalid map key: map\\[interface \\{\\}\\]interface \\{\\}\\{"a":1\\}',
    "a list as a key": 'invalid map key: \\[\\]interface \\{\\}\\{"a"\\}',
    "a null key": "error converting YAML to JSON: unsupported map key of type: ",
    "numbers in all bases": "error converting YAML to JSON: json: unsupported value: \\+Inf",
}
ALL = [
    *(
        values(f"{name} in values.yaml", text, REFUSED.get(name), reconciled=name not in REFUSED)
        for name, text in TEXTS.items()
    ),
    *(
        Vector(f"{name} in a text that templates read", chart({TEMPLATE: READ, "f": text}), None)
        for name, text in TEXTS.items()
    ),
]
