# SPDX-License-Identifier: Apache-2.0
"""The operator/ folder of a chart, with excessive or forbidden contents.

Its files are status.yaml, patches and operator.yaml.
"""

from hostile.operators import CONFIG_MAP, Encounter, Stage
from hostile.vector import TEMPLATE

INSTALLED = "InstallSuccessful"
FAILED = 'Irreconcilable", "|Irreconcilable|ReleaseFailed'
ENCODED = "aHVudGVyMmh1bnRlcjI="
MIB = 1 << 20
RELATED = "related: {s: {apiVersion: v1, kind: Secret, selector: {a: b}}}\n"


def bundle(name: str, files: dict[str, str], reported: str, **rest) -> Encounter:
    """An attack by a chart with such a folder."""
    kind = "B" + "".join(
        word.capitalize() for word in "".join(c if c.isalnum() else " " for c in name).split()
    )

    def attack(on: Stage) -> None:
        on.server.put(
            "",
            "secrets",
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": "related", "labels": {"a": "b"}},
                "data": {"p": ENCODED},
            },
        )
        on.put(kind, {"size": 1})

    charts = {TEMPLATE: CONFIG_MAP, **{f"operator/{path}": text for path, text in files.items()}}
    return Encounter(
        f"a bundle whose {name}", kind, attack, reported, charts, secret=ENCODED, **rest
    )


def status(name: str, text: str, reported: str = INSTALLED, **rest) -> Encounter:
    """An attack by status.yaml."""
    return bundle(f"status {name}", {"status.yaml": text}, reported, **rest)


def patch(name: str, text: str, reported: str, **rest) -> Encounter:
    """An attack by a partial object."""
    return bundle(f"patch {name}", {"patches/p.yaml": text}, reported, **rest)


ALL = [
    status(
        "loops",
        "{{ range until 1000 }}{{ range until 1000 }}{{ range until 1000 }}{{ end }}{{ end }}{{"
        " end }}",
        "render budget exceeded",
        cpu_seconds=25,
    ),
    status("is a text", "text\n", "status|Irreconcilable"),
    status("is a list", "- 1\n", "status|Irreconcilable"),
    status("is no YAML", "a: [", "Irreconcilable"),
    status("is deep", 'a: {{ repeat 200 "[" }}{{ repeat 200 "]" }}\n'),
    status("is a million letters", 'a: {{ repeat 1000000 "x" }}\n'),
    # Refused at start if it is plain text, as are the next status and the patch below.
    status(
        "overwrites conditions",
        '{{ "conditions: [{type: Deployed, status: False, reason: Evil}, {type: Ready, status:'
        ' Evil}]\\nresources: []\\nhistory: 5\\nrevision: -1" }}\n',
    ),
    status(
        "has conditions of wrong types",
        '{{ "conditions: [1, {type: [a]}, {status: {}}]" }}\n',
    ),
    status(
        "has a thousand conditions",
        "conditions:\n{{ range until 1000 }}- {type: 'C{{ . }}', status: 'True', reason: R}\n{{"
        " end }}",
    ),
    status("changes each time", "a: {{ randAlphaNum 20 }}\nb: {{ now }}\n"),
    status(
        "aliases its aliases",
        "a: &a [1,1,1,1,1,1,1,1,1]\n"
        + "".join(
            f"b{n}: &b{n} [{','.join(['*' + ('a' if n == 0 else f'b{n - 1}')] * 9)}]\n"
            for n in range(9)
        ),
        "Irreconcilable|aliasing",
    ),
    bundle(
        "status tells related secrets",
        {
            "operator.yaml": RELATED,
            "status.yaml": "a: {{ .Related.s | toJson }}\nb: {{ .Live | toJson }}\n",
        },
        INSTALLED,
    ),
    patch("is a list", "- 1\n", "a rendered document is not an object"),
    patch("is no YAML", '{{ "a: [" }}', "Irreconcilable|ReleaseFailed|YAML"),
    patch(
        "has no name", "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", "no usable metadata.name"
    ),
    patch(
        "is of somebody else's kind",
        "apiVersion: evil.example/v1\nkind: Evil\nmetadata: {name: x}\n",
        "serves no kind evil.example/v1",
    ),
    patch(
        "is a path",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ../../secrets/related}\n",
        "no usable metadata.name",
    ),
    patch(
        "loops",
        "{{ range until 1000 }}{{ range until 1000 }}{{ range until 1000 }}{{ end }}{{ end }}{{"
        " end }}",
        "render budget exceeded",
        cpu_seconds=25,
    ),
    patch(
        "takes the custom resource itself",
        "apiVersion: hostile.example/v1\nkind: BPatchTakesTheCustomResourceItself\nmetadata: {name:"
        ' bpatchtakesthecustomresourceitself}\nspec: {size: {{ now | date "150405" | quote }}}\n',
        "is the custom resource itself, which no patch may take",
    ),
    patch(
        "is of chance",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bpatchisofchance}\ndata: {x: {{"
        " randAlpha 9 }}}\n",
        "random numbers are refused",
    ),
    bundle(
        "patch tells a related secret",
        {"operator.yaml": RELATED, "patches/p.yaml": "{{ fail (.Related.s | toJson) }}"},
        "Irreconcilable|ReleaseFailed",
    ),
    patch(
        "is of another namespace",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: evil, namespace: kube-system}\ndata: {}\n",
        INSTALLED,
    ),
    patch(
        "is deep",
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {{ repeat 9000 "[" }}{{ repeat'
        ' 9000 "]" }}\n',
        INSTALLED,
    ),
    patch(
        "takes a child",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bpatchtakesachild}\ndata: {size:"
        " evil}\n",
        INSTALLED,
    ),
    patch(
        "is a thousand objects",
        "{{ range until 1000 }}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'p{{ ."
        " }}'}\n{{ end }}",
        INSTALLED,
    ),
]
