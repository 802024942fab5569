# SPDX-License-Identifier: Apache-2.0
"""Input that is long in one way: a decoder that looks back at each part takes quadratic time."""

from hostile.vector import Growth

TPL = 'a: {{ len (tpl (.Files.Get "f") .) }}\n'
KIND = 'a: {{ kindOf (%s (.Files.Get "f")) }}\n'
MIB = 1 << 20


def yaml() -> list[Growth]:
    """YAML as values.yaml, which is read without a budget."""
    texts = {
        "a flow list": lambda n: "a: [" + "1," * (n // 2) + "]\n",
        "a flow map": lambda n: "a: {" + "".join(f"k{i}: 1," for i in range(n // 10)) + "}\n",
        "a block list": lambda n: "a:\n" + "- 1\n" * (n // 4),
        "a block map": lambda n: "".join(f"k{i}: 1\n" for i in range(n // 10)),
        "anchors": lambda n: "".join(f"k{i}: &a{i} 1\n" for i in range(n // 16)),
        "anchors and their aliases": lambda n: "".join(
            f"k{i}: &a{i} 1\nm{i}: *a{i}\n" for i in range(n // 32)
        ),
        "one anchor over and over": lambda n: "".join(f"k{i}: &a 1\n" for i in range(n // 14)),
        "a long anchor": lambda n: "a: &" + "b" * n + " 1\n",
        "a folded scalar": lambda n: "a: >\n" + "  b\n" * (n // 4),
        "a folded scalar of empty lines": lambda n: "a: >\n  b\n" + "\n" * n + "  b\n",
        "a literal scalar that indents more and more": (
            lambda n: "a: |\n" + "".join(" " * (i % 80 + 2) + "b\n" for i in range(n // 44))
        ),
        "a plain scalar of many lines": lambda n: "a: b\n" + "  b\n" * (n // 4),
        "a double-quoted scalar of many lines": lambda n: 'a: "' + "b\n  " * (n // 4) + '"\n',
        "a single-quoted scalar of quotes": lambda n: "a: '" + "''" * (n // 2) + "'\n",
        "escapes": lambda n: 'a: "' + "\\x41" * (n // 4) + '"\n',
        "comments": lambda n: "# b\n" * (n // 4) + "a: 1\n",
        "one comment": lambda n: "a: 1 #" + "b" * n + "\n",
        "blank lines": lambda n: "\n" * n + "a: 1\n",
        "blanks in one line": lambda n: "a: " + " " * n + "1\n",
        "merge keys": (
            lambda n: "a: &a {x: 1}\n" + "".join(f"k{i}: {{<<: *a}}\n" for i in range(n // 18))
        ),
        "binary": lambda n: "a: !!binary " + "QUFB" * (n // 4) + "\n",
        "a number": lambda n: "a: " + "1" * n + "\n",
        "a float": lambda n: "a: 1." + "1" * n + "e5\n",
        "question marks": lambda n: "".join(f"? k{i}\n: 1\n" for i in range(n // 10)),
        "carriage returns": lambda n: "a:\r" + "- 1\r" * (n // 4),
    }
    return [Growth(f"YAML: {name}", text, "values", MIB) for name, text in texts.items()]


def toml() -> list[Growth]:
    """TOML that templates decode."""
    texts = {
        "dotted keys": lambda n: "".join(f"a.b.c{i} = 1\n" for i in range(n // 14)),
        "deep dotted keys": (
            lambda n: (
                ".".join("a" * (n // 200 % 900 + 1))
                + " = 1\n"
                + "".join(f"x{i} = 1\n" for i in range(n // 10))
            )
        ),
        "arrays of tables": lambda n: "[[a]]\n" * (n // 6),
        "arrays of tables within one": lambda n: "[[a]]\n" + "[[a.b]]\n" * (n // 8),
        "tables": lambda n: "".join(f"[a.t{i}]\n" for i in range(n // 12)),
        "inline tables": lambda n: "".join(f"k{i} = {{x = 1}}\n" for i in range(n // 18)),
        "one inline table": (
            lambda n: "a = {" + ", ".join(f"k{i} = 1" for i in range(n // 12)) + "}\n"
        ),
        "an array": lambda n: "a = [" + "1," * (n // 2) + "]\n",
        "an array of comments": lambda n: "a = [" + "1, #b\n" * (n // 6) + "]\n",
        "escapes": lambda n: 'a = "' + "\\u0041" * (n // 6) + '"\n',
        "a text of many lines": lambda n: 'a = """' + "b \\\n" * (n // 4) + '"""\n',
        "a text of quotes": lambda n: "a = '''" + "''b" * (n // 3) + "'''\n",
        "keys": lambda n: "".join(f"k{i} = 1\n" for i in range(n // 12)),
        "comments": lambda n: "#b\n" * (n // 3) + "a = 1\n",
        "a number with underscores": lambda n: "a = 1" + "_1" * 8 + "\n" + "#" * n,
        "super tables after their parts": lambda n: "".join(
            f"[a{i}.b]\n[a{i}]\n" for i in range(n // 20)
        ),
    }
    return [Growth(f"TOML: {name}", text, KIND % "fromToml", MIB) for name, text in texts.items()]


def json() -> list[Growth]:
    """JSON that templates decode."""
    texts = {
        "a list": lambda n: '{"a":[' + "1," * (n // 2) + "1]}",
        "keys": lambda n: "{" + ",".join(f'"k{i}":1' for i in range(n // 12)) + "}",
        "one key over and over": lambda n: "{" + ",".join(['"k":1'] * (n // 6)) + "}",
        "one key over and over with what grows": (
            lambda n: "{" + ",".join(['"k":{"a":1}'] * (n // 12)) + "}"
        ),
        "escapes": lambda n: '{"a":"' + "\\u0041" * (n // 6) + '"}',
        "halves of surrogates": lambda n: '{"a":"' + "\\ud800" * (n // 6) + '"}',
        "pairs of surrogates": lambda n: '{"a":"' + "\\ud83d\\ude00" * (n // 12) + '"}',
        "blanks": lambda n: '{"a":' + " " * n + "1}",
        "a number": lambda n: '{"a":1' + "0" * 300 + "." + "1" * n + "}",
        "small lists": lambda n: '{"a":[' + "[]," * (n // 3) + "[]]}",
        "an error at the end": lambda n: '{"a":[' + "1," * (n // 2) + "x",
    }
    return [Growth(f"JSON: {name}", text, KIND % "fromJson", MIB) for name, text in texts.items()]


def others() -> list[Growth]:
    """Other long input: templates, manifests and patterns."""
    read = "a: {{ len (%s) }}\n"
    return [
        Growth("a template of actions", lambda n: "{{1}}" * (n // 5) + "\n", TPL, MIB),
        Growth("a template of comments", lambda n: "{{/* */}}" * (n // 9) + "\n", TPL, MIB),
        Growth(
            "a template of variables",
            lambda n: "".join(f"{{{{$v{i} := 1}}}}" for i in range(n // 14)),
            TPL,
            MIB // 4,
        ),
        Growth(
            "a template of definitions",
            lambda n: "".join(f'{{{{define "d{i}"}}}}{{{{end}}}}' for i in range(n // 24)),
            TPL,
            MIB // 4,
        ),
        Growth("a template of one long line of text", lambda n: "a" * n + "{{1}}", TPL, 2 * MIB),
        Growth(
            "many lines of a manifest",
            lambda n: "".join(f"k{i}: 1\n" for i in range(n // 10)),
            '{{ .Files.Get "f" }}\n',
            MIB,
        ),
        Growth("many documents", lambda n: "---\na: 1\n" * (n // 9), '{{ .Files.Get "f" }}\n', MIB),
        Growth(
            "many separators",
            lambda n: "---\n" * (n // 4) + "a: 1\n",
            '{{ .Files.Get "f" }}\n',
            MIB,
        ),
        Growth(
            "a pattern that matches little often",
            lambda n: "ab" * (n // 2),
            read % 'regexFindAll "a+b" (.Files.Get "f") -1',
            MIB,
        ),
        Growth("words", lambda n: "a " * (n // 2), read % 'wrap 10 (.Files.Get "f")', MIB),
        Growth("camel case", lambda n: "aB" * (n // 2), read % 'snakecase (.Files.Get "f")', MIB),
        Growth(
            "lines to indent", lambda n: "a\n" * (n // 2), read % 'indent 4 (.Files.Get "f")', MIB
        ),
        Growth(
            "escapes of a URL",
            lambda n: "http://a/" + "%41" * (n // 3),
            read % 'urlParse (.Files.Get "f")',
            MIB,
        ),
        Growth("base64", lambda n: "QUFB" * (n // 4), read % 'b64dec (.Files.Get "f")', MIB),
        Growth(
            "assignments of --set",
            lambda n: ",".join(f"k{i}=1" for i in range(n // 8)),
            "a: 1\n",
            50000,
            arguments=lambda text: ("--set", text),
        ),
        Growth(
            "items of a list of --set",
            lambda n: "a={" + ",".join("1" * (n // 2)) + "}",
            "a: 1\n",
            50000,
            arguments=lambda text: ("--set", text),
        ),
        Growth(
            "escapes of --set",
            lambda n: "a=" + "\\," * (n // 2),
            "a: 1\n",
            50000,
            arguments=lambda text: ("--set", text),
        ),
        Growth(
            "schemas with a name of their own",
            lambda n: (
                '{"$defs":{'
                + ",".join(f'"d{i}":{{"$id":"http://a.example/{i}"}}' for i in range(n))
                + "}}"
            ),
            "schema",
            20000,
        ),
    ]


ALL = [*yaml(), *toml(), *json(), *others()]
