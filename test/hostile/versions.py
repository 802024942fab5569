# SPDX-License-Identifier: Apache-2.0
"""Semantic versions and the constraints on them: in templates, in Chart.yaml, in flags."""

from hostile.vector import CHART, TEMPLATE, Vector, chart

VERSIONS = {
    "a million digits": "1." + "9" * 1000000,
    "numbers beyond 64 bits": "99999999999999999999.1.1",
    "a million parts": "1" + ".1" * 500000,
    "a pre-release of a million parts": "1.0.0-" + "a." * 500000 + "a",
    "a build of a million letters": "1.0.0+" + "a" * 1000000,
    "leading zeros": "01.002.0003",
    "nothing": "",
    "only a v": "v",
    "negative": "-1.0.0",
    "blanks": " 1.0.0 ",
    "a line break": "1.0.0\\n2.0.0",
    "digits of another script": "\u0661.\u0662.\u0663",
    "NUL": "1.0.0\\0",
    "broken pre-release": "1.0.0-..",
}
CONSTRAINTS = {
    "many alternatives": ">1 || " * 31 + ">1",
    "too many alternatives": ">1||" * 100 + ">1",
    "many conditions": ">1 " * 150 + ">1",
    "too long": ">1.0.0, " * 200 + ">1",
    "a range of ranges": "1 - 2 - 3 - 4",
    "only operators": "><=~^!=" * 20,
    "wildcards everywhere": "*.*.*-*+*",
    "a tilde of a million": "~" + "1" * 400,
    "a hyphen range backwards": "9.9.9 - 1.0.0",
    "empty alternatives": "|| || ||",
    "only blanks": " " * 400,
    "control characters": ">\\x01 1.0",
    "a pre-release of stars": "^1.2.3-*.*.*",
    "carets that overflow": "^18446744073709551615.18446744073709551615.18446744073709551615",
}
LONG = r"version string is too long \(max 256 bytes\)"
INVALID = "error calling semver: invalid semantic version"
REFUSED = {
    "a million digits": LONG,
    "numbers beyond 64 bits": "value out of range",
    "a million parts": LONG,
    "a pre-release of a million parts": LONG,
    "a build of a million letters": LONG,
    **dict.fromkeys(
        (
            "nothing",
            "only a v",
            "negative",
            "blanks",
            "a line break",
            "digits of another script",
            "NUL",
            "broken pre-release",
        ),
        INVALID,
    ),
}
IMPROPER = "error calling semverCompare: improper constraint"
COMPARE_REFUSED = {
    "too many alternatives": r"too many constraint groups \(max 32\)",
    "too long": r"constraint string is too long \(max 512 bytes\)",
    "a tilde of a million": "constraint parser error",
    **dict.fromkeys(
        (
            "a range of ranges",
            "only operators",
            "wildcards everywhere",
            "empty alternatives",
            "only blanks",
            "control characters",
            "a pre-release of stars",
        ),
        IMPROPER,
    ),
}
CHART_REFUSED = {
    **dict.fromkeys(VERSIONS, "chart.metadata.version .* is invalid"),
    "nothing": "chart.metadata.version is required",
    "leading zeros": None,
}
# Like Helm, which treats an invalid constraint as one that is not met, and ignores a blank one.
KUBE_REFUSED = {
    **dict.fromkeys(
        CONSTRAINTS, "chart requires kubeVersion: .* which is incompatible with Kubernetes"
    ),
    "control characters": None,
}


def data(key: str, text: str) -> str:
    """Returns YAML with one double-quoted value."""
    return f'{key}: "{text}"\n'


def functions() -> list[Vector]:
    """Attacks by versions in the values, as in a custom resource."""
    one = "a: {{ (semver .Values.v).Original | len }}\n"
    two = 'a: {{ semverCompare .Values.c "1.2.3" }}\n'
    return [
        *(
            Vector(
                f"semver: {name}",
                chart({TEMPLATE: one, "values.yaml": data("v", text)}),
                REFUSED.get(name),
                reconciled=True,
            )
            for name, text in VERSIONS.items()
        ),
        *(
            Vector(
                f"semverCompare: {name}",
                chart({TEMPLATE: two, "values.yaml": data("c", text)}),
                COMPARE_REFUSED.get(name),
                reconciled=True,
            )
            for name, text in CONSTRAINTS.items()
        ),
    ]


def metadata() -> list[Vector]:
    """Attacks by Chart.yaml: its version, and its constraints on Kubernetes and dependencies."""
    made = []
    for name, text in VERSIONS.items():
        made.append(
            Vector(
                f"a chart's version: {name}",
                chart({"Chart.yaml": CHART.replace("0.1.0", f'"{text}"'), TEMPLATE: "a: 1\n"}),
                CHART_REFUSED.get(name),
            )
        )
    for name, text in CONSTRAINTS.items():
        made.append(
            Vector(
                f"kubeVersion: {name}",
                chart({"Chart.yaml": CHART + data("kubeVersion", text), TEMPLATE: "a: 1\n"}),
                KUBE_REFUSED.get(name),
            )
        )
    dependency = "dependencies:\n- {name: sub, repository: '', version: %s}\n"
    for name in ("many conditions", "too long", "only operators", "carets that overflow"):
        files = {
            "Chart.yaml": CHART + dependency % f'"{CONSTRAINTS[name]}"',
            TEMPLATE: "a: 1\n",
            "charts/sub/Chart.yaml": CHART.replace("hostile", "sub"),
        }
        made.append(Vector(f"a dependency's version: {name}", chart(files), None))
    return made


ALL = [*functions(), *metadata()]
