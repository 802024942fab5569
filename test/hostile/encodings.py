# SPDX-License-Identifier: Apache-2.0
"""Bytes that are not UTF-8 or look like something else, in all input files and flags."""

from hostile.vector import CHART, TEMPLATE, Vector, chart, render

TEXT = "a: 1\n"
MIB = 1 << 20
BYTES = {
    "UTF-16LE with a mark": b"\xff\xfe" + TEXT.encode("utf-16le"),
    "UTF-16BE with a mark": b"\xfe\xff" + TEXT.encode("utf-16be"),
    "UTF-16LE without a mark": TEXT.encode("utf-16le"),
    "UTF-32LE with a mark": b"\xff\xfe\0\0" + TEXT.encode("utf-32le"),
    "half a character of UTF-16": b"\xff\xfea\0:\0 \0\x00\xd8",
    "UTF-8 with a mark": b"\xef\xbb\xbf" + TEXT.encode(),
    "two marks of UTF-8": b"\xef\xbb\xbf\xef\xbb\xbf" + TEXT.encode(),
    "half a mark of UTF-8": b"\xef\xbb" + TEXT.encode(),
    "a byte that begins nothing": b"a: \x80\n",
    "a character that breaks off": b"a: \xe2\x82\n",
    "an overlong slash": b"a: \xc0\xaf\n",
    "a surrogate": b"a: \xed\xa0\x80\n",
    "a character beyond Unicode": b"a: \xf4\x90\x80\x80\n",
    "NUL": b"a: \0\n",
    "a file of NUL": bytes(4 * MIB),
    "control characters": b"a: \x01\x02\x1b[31m\x7f\n",
    "line ends of three kinds": b"a: 1\r\nb: 2\rc: 3\n",
    "U+0085 between keys": "a: 1\u0085b: 2\n".encode(),
    "U+2028 between keys": "a: 1\u2028b: 2\u2029c: 3\n".encode(),
    "U+FEFF within": "a: \ufeff1\ufeff\n".encode(),
    "marks of direction": "a: \u202e1\u2066\n".encode(),
    "a million bytes that begin nothing": b"a: '" + b"\x80" * MIB + b"'\n",
}
# Refused input and its error; all other input is read as go-yaml reads it.
REFUSED: dict[str, str] = {
    "UTF-16LE without a mark": "control characters are not allowed",
    "UTF-32LE with a mark": "control characters are not allowed",
    "half a character of UTF-16": "incomplete UTF-16 surrogate pair",
    "half a mark of UTF-8": "invalid trailing UTF-8 octet",
    "a byte that begins nothing": "invalid leading UTF-8 octet",
    "a character that breaks off": "invalid trailing UTF-8 octet",
    "an overlong slash": "invalid length of a UTF-8 sequence",
    "a surrogate": "invalid Unicode character",
    "a character beyond Unicode": "invalid Unicode character",
    "NUL": "control characters are not allowed",
    "a file of NUL": "control characters are not allowed",
    "control characters": "control characters are not allowed",
    "a million bytes that begin nothing": "invalid leading UTF-8 octet",
}
# These are harmless in a list of keys, but not at the end of the input.
TEMPLATE_REFUSED = {
    **REFUSED,
    "UTF-16BE with a mark": "incomplete UTF-16 character",
    "a character that breaks off": "incomplete UTF-8 octet sequence",
}
METADATA_REFUSED = {**REFUSED, "UTF-16LE with a mark": "invalid leading UTF-8 octet"}


def in_values() -> list[Vector]:
    """Attacks by values.yaml."""
    return [
        Vector(
            f"{name} in values.yaml",
            chart({"values.yaml": data, TEMPLATE: "a: {{ .Values.a | toJson }}\n"}),
            REFUSED.get(name),
            reconciled=name not in REFUSED,
        )
        for name, data in BYTES.items()
    ]


def in_templates() -> list[Vector]:
    """Attacks by a template, and so by its manifest."""
    return [
        Vector(f"{name} in a template", chart({TEMPLATE: data}), TEMPLATE_REFUSED.get(name))
        for name, data in BYTES.items()
    ]


def in_metadata() -> list[Vector]:
    """Attacks by Chart.yaml."""
    names = (
        "UTF-16LE with a mark",
        "UTF-8 with a mark",
        "a byte that begins nothing",
        "NUL",
        "U+0085 between keys",
        "U+2028 between keys",
    )
    return [
        Vector(
            f"{name} in Chart.yaml",
            chart(
                {"Chart.yaml": CHART.encode() + b"annotations:\n  " + BYTES[name], TEMPLATE: TEXT}
            ),
            METADATA_REFUSED.get(name),
        )
        for name in names
    ] + [
        Vector(
            "Chart.yaml as UTF-16",
            chart({"Chart.yaml": b"\xff\xfe" + CHART.encode("utf-16le"), TEMPLATE: TEXT}),
            None,
        ),
        Vector(
            "Chart.yaml as UTF-16 without a mark",
            chart({"Chart.yaml": CHART.encode("utf-16le"), TEMPLATE: TEXT}),
            "Chart.yaml",
        ),
        Vector(
            "a chart's name with U+2028",
            chart({"Chart.yaml": CHART.replace("hostile", '"hos\\u2028tile"'), TEMPLATE: TEXT}),
            None,
            output="---\n# Source: hos tile/templates/t.yaml\na: 1\n",
        ),
        Vector(
            "a chart's name with a line break",
            chart({"Chart.yaml": CHART.replace("hostile", '"hos\\ntile"'), TEMPLATE: TEXT}),
            None,
            output="---\n# Source: hos tile/templates/t.yaml\na: 1\n",
        ),
        Vector(
            "a chart's version with NUL",
            chart({"Chart.yaml": CHART.replace("0.1.0", '"0.1.0\\0"'), TEMPLATE: TEXT}),
            "version",
        ),
    ]


def in_flags() -> list[Vector]:
    """Attacks by arguments, which may contain any byte except NUL."""

    def flag(name: str, data: bytes) -> Vector:
        error = "control characters" if name == "control characters" else None
        text = "a=" + data.decode("utf-8", "surrogateescape")
        return Vector(
            f"{name} in --set",
            chart({TEMPLATE: "a: {{ .Values.a | toJson }}\n"}),
            error,
            arguments=("--set", text),
        )

    return [
        flag(name, BYTES[name].removeprefix(b"a: ").strip(b"\n"))
        for name in (
            "a byte that begins nothing",
            "a character that breaks off",
            "an overlong slash",
            "a surrogate",
            "control characters",
            "U+0085 between keys",
            "U+2028 between keys",
            "U+FEFF within",
            "marks of direction",
            "line ends of three kinds",
        )
    ]


def in_files() -> list[Vector]:
    """Attacks by a file that templates read and output."""
    hostile = b"\xff\xfe\0\xed\xa0\x80\xf4\x90\x80\x80\xc0\xaf\xe2\x82" * 1000
    uses = (
        '.Files.Get "f" | toJson',
        '.Files.Get "f" | toYaml | quote',
        '.Files.Get "f" | upper | len',
        '.Files.Get "f" | trunc 7 | b64enc',
        '.Files.Get "f" | quote | len',
        'regexFindAll "." (.Files.Get "f") 5 | toJson',
        '.Files.Lines "f" | len',
        '.Files.Get "f" | reverse | kindOf',
        'kindOf (fromYaml (.Files.Get "f"))',
        'kindOf (fromJson (.Files.Get "f"))',
        'splitList "" (.Files.Get "f") | len',
        '.Files.Get "f" | nospace | swapcase | len',
        'printf "%q %x %+q" (.Files.Get "f") "a" "b" | len',
        'urlquery (.Files.Get "f") | len',
        'html (.Files.Get "f") | len',
        'js (.Files.Get "f") | len',
        'substr 1 5 (.Files.Get "f") | toJson',
        'abbrev 9 (.Files.Get "f") | toJson',
    )
    return [
        Vector(
            f"broken bytes through {use}",
            chart({"f": hostile, TEMPLATE: f"a: {{{{ {use.replace('reverse | ', '')} }}}}\n"}),
            None,
        )
        for use in uses
    ]


ALL = [
    *in_values(),
    *in_templates(),
    *in_metadata(),
    *in_flags(),
    *in_files(),
    render(
        "escapes that make NUL",
        'a: {{ "\\x00\\xff\\u2028" | toJson }}\n',
        'a: "\\u0000\\ufffd\\u2028"\n',
    ),
]
