# SPDX-License-Identifier: Apache-2.0
"""Templates that need too much memory, steps, depth or time."""

from hostile.vector import TEMPLATE, Vector, chart, template

BUDGET = "render budget exceeded"
LONG = "text is longer than 67108864 bytes|nested too deeply or too large|" + BUDGET
DEEP = "nested|depth|deep"
# Each dict contains the previous one twice: as a tree it has 2^60 leaves.
TREE = '{{ $d := dict "k" 1 }}{{ range until 60 }}{{ $d = dict "a" $d "b" $d }}{{ end }}'
# A string that doubles 60 times.
DOUBLING = '{{ $x := "\\\\" }}{{ range until 60 }}{{ $x = %s }}{{ end }}{{ $x }}'


def sizes() -> list[Vector]:
    """Attacks by functions whose argument is the size of the result."""
    calls = {
        "until": "until 2000000000",
        "untilStep": "untilStep 0 2000000000 1",
        "seq": "seq 1 2000000000",
        "repeat": 'repeat 2000000000 "x"',
        "indent": 'indent 2000000000 "x"',
        "nindent of many lines": 'nindent 1000000 (repeat 1000000 "\\n")',
        "randAlpha": "randAlpha 2000000000",
        "randAlphaNum": "randAlphaNum 2000000000",
        "randAscii": "randAscii 2000000000",
        "randNumeric": "randNumeric 2000000000",
        "randBytes": "randBytes 2000000000",
        "replace": 'replace "a" (repeat 1000000 "b") (repeat 1000000 "a")',
        "regexReplaceAll": 'regexReplaceAll "a" (repeat 1000000 "a") (repeat 1000000 "b")',
        "regexReplaceAllLiteral": (
            'regexReplaceAllLiteral "a" (repeat 1000000 "a") (repeat 1000000 "b")'
        ),
        "join": 'join (repeat 1000000 "x") (until 1000000)',
        "wrapWith": 'wrapWith 1 (repeat 1000000 "x") (repeat 1000000 "y ")',
        "printf": 'range until 1000000 }}{{ printf "%999999d" 1',
        "date": 'date (repeat 200000000 "2006") now',
        "splitList": 'splitList "" (repeat 200000000 "x")',
        "chunk": "chunk 1 (until 20000000)",
    }
    return [
        template(name, f"{{{{ {call} }}}}{'{{ end }}' if 'range' in call else ''}", BUDGET)
        for name, call in calls.items()
    ]


def growth() -> list[Vector]:
    """Attacks by small values that keep doubling."""
    texts = (
        "cat $x $x",
        "print $x $x",
        "js $x",
        "quote $x",
        "toJson $x",
        "join $x (list $x $x $x)",
    )
    doubled = [template(f"doubling by {c}", DOUBLING % c, BUDGET) for c in texts]
    uses = (
        "toYaml $d",
        "toJson $d",
        "toToml $d",
        "toYamlPretty $d",
        "print $d",
        "deepCopy $d",
        "deepEqual $d (deepCopy $d)",
        "quote $d",
        "merge (dict) $d",
        "mergeOverwrite (dict) $d",
    )
    trees = [template(f"shared dicts in {u}", f"{TREE}{{{{ {u} }}}}", LONG) for u in uses]
    cycle = '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ %s }}'
    itself = [
        template(f"a dict within itself in {u}", cycle % u, "contains itself|" + LONG)
        for u in ("toYaml $d", "print $d", "deepCopy $d", "merge (dict) $d")
    ]
    lists = template(
        "doubling lists",
        "{{ $l := list 1 }}{{ range until 60 }}{{ $l = concat $l $l }}{{ end }}",
        BUDGET,
    )
    return [*doubled, lists, *trees, *itself]


def loops() -> list[Vector]:
    """Attacks by endless loops and recursion."""
    nested = "{{ range until 1000 }}" * 4 + "{{ end }}" * 4
    twice = "{{ tpl .Values.t . }}{{ tpl .Values.t . }}"
    depth = "exceeded maximum template depth|nested too deeply|" + BUDGET
    return [
        template(
            "range over an integer",
            "{{ range .Values.n }}{{ end }}",
            BUDGET,
            cpu_seconds=20,
            arguments=("--set", "n=100000000000"),
        ),
        template("nested ranges", nested, BUDGET, cpu_seconds=20),
        template(
            "tpl in tpl", "{{ tpl .Values.t . }}", depth, values="t: '{{ tpl .Values.t . }}'\n"
        ),
        template("tpl twice in tpl", twice, depth, values=f"t: '{twice}'\n", cpu_seconds=20),
        template(
            "template in itself",
            '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
            depth,
        ),
        template(
            "include in itself",
            '{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}',
            "rendering template has a nested reference name: a|" + BUDGET,
        ),
        template(
            "two includes in turn",
            '{{ define "a" }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ include "a" . }}{{ end'
            ' }}{{ include "a" . }}',
            depth,
        ),
        template(
            "include as a tree",
            '{{ define "a" }}{{ if lt .n 40 }}{{ $m := dict "n" (add1 .n) }}{{ include "a" $m }}'
            '{{ include "a" $m }}{{ end }}{{ end }}{{ include "a" (dict "n" 0) }}',
            BUDGET,
            cpu_seconds=20,
        ),
        template(
            "output",
            '{{ $x := repeat 1000000 "x" }}{{ range until 1000 }}{{ $x }}{{ end }}',
            BUDGET,
        ),
        template(
            "deep parentheses",
            "{{ " + "(" * 100000 + "1" + ")" * 100000 + " }}",
            "nest|depth|paren|deep",
        ),
        template("deep branches", "{{ if 1 }}" * 100000 + "{{ end }}" * 100000, "nest|depth|deep"),
    ]


def crypto() -> list[Vector]:
    """Attacks by functions that take long for short input."""
    calls = ('genPrivateKey "rsa"', 'bcrypt "a"', 'derivePassword 1 "long" "a" "b" "c"')
    return [
        template(
            f"{c.split()[0]} in a loop",
            f"{{{{ range until 1000000 }}}}{{{{ $_ := {c} }}}}{{{{ end }}}}",
            BUDGET,
            cpu_seconds=31,
        )
        for c in calls
    ]


def certificates() -> list[Vector]:
    """Attacks by names so long that OpenSSL cannot read its own certificate, or refuses them."""
    calls = {
        "genCA": "genCA {name} 1",
        "genSelfSignedCert": "genSelfSignedCert {name} nil nil 1",
        "genSignedCert": 'genSignedCert {name} nil nil 1 (genCA "ca" 1)',
    }
    long = [
        template(
            f"{function} for {size} bytes",
            f"a: {{{{ $c := {call} }}}}ok\n".replace("{name}", f'(repeat {size} "a")'),
            f"{function}: error creating certificate: x509: a name of {size + 25} bytes; it may"
            " have 1048576",
        )
        for function, call in calls.items()
        for size in (1_048_576, 10_000_000)
    ]
    names = '{{ $l := list }}{{ range until 5000 }}{{ $l = append $l (printf "n%d" .) }}{{ end }}'
    many = chart(
        {
            TEMPLATE: (
                names
                + 'a: {{ (genSelfSignedCert "a" nil (append $l (repeat 1000000 "a")) 1).Cert | len'
                " | lt 1000000 }}\n"
            )
        }
    )
    digits = {"mulf": "1.2345678901234567 ", "divf": "1e-308 "}
    return [
        *long,
        Vector(
            "a certificate of many and long names",
            many,
            None,
            output="---\n# Source: hostile/templates/t.yaml\na: true\n",
        ),
        *(
            template(
                f"{function} of a million digits",
                f'{{{{ tpl (printf "{{{{ {function} 1 %s }}}}" (repeat 60000 "{operand}")) . }}}}',
                f"error calling {function}: a decimal number of more than 100000 digits",
            )
            for function, operand in digits.items()
        ),
    ]


def texts() -> list[Vector]:
    """Attacks by functions that parse a language."""
    deep = {
        "fromJson": '(repeat 5000000 "[")',
        "fromYaml": '(repeat 5000000 "[")',
        "fromToml": '(cat "a =" (repeat 5000000 "["))',
        "fromYamlArray": '(repeat 2000000 "- ")',
        "fromJsonArray": '(repeat 5000000 "[")',
    }
    rest = [
        Vector(
            f"deep text in {name}",
            chart({TEMPLATE: f"a: {{{{ kindOf ({name} {text}) }}}}"}),
            DEEP if "Toml" in name else None,
        )
        for name, text in deep.items()
    ]
    return [
        *rest,
        Vector(
            "regexp that backtracks elsewhere",
            chart(
                {
                    TEMPLATE: (
                        'a: {{ regexMatch "^(([a-z])+.)+[A-Z]([a-z])+$" (repeat 1000000 "a") }}\n'
                    )
                }
            ),
            None,
            output="---\n# Source: hostile/templates/t.yaml\na: false\n",
        ),
        template(
            "regexp of great size",
            '{{ regexFind "((a{100}){100}){100}" "a" }}',
            "invalid repeat count|too large|budget",
        ),
        template(
            "constraints of great size",
            '{{ semverCompare (repeat 1000000 ">1.0.0 || ") "1.0.0" }}',
            "constraint|" + BUDGET,
        ),
        template("environment", '{{ env "HOME" }}', 'function "env" not defined'),
        Vector(
            "name look-up",
            chart({TEMPLATE: 'a: {{ getHostByName "example.com" | quote }}\n'}),
            None,
            output='---\n# Source: hostile/templates/t.yaml\na: ""\n',
        ),
        Vector(
            "files outside",
            chart({TEMPLATE: 'a: {{ .Files.Get "../../../../../../etc/passwd" | quote }}\n'}),
            None,
            output='---\n# Source: hostile/templates/t.yaml\na: ""\n',
        ),
        Vector(
            "glob of many stars",
            chart(
                {
                    TEMPLATE: 'a: {{ len (.Files.Glob "' + "*a" * 60 + '*b") }}\n',
                    "files/" + "a" * 200: "x",
                }
            ),
            None,
        ),
        Vector(
            "glob of many alternatives",
            chart(
                {
                    TEMPLATE: 'a: {{ len (.Files.Glob "' + "{a,aa,*}" * 60 + 'b") }}\n',
                    "files/" + "a" * 200: "x",
                }
            ),
            None,
        ),
    ]


ALL = [*sizes(), *growth(), *loops(), *crypto(), *certificates(), *texts()]
