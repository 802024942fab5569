# SPDX-License-Identifier: Apache-2.0
"""Kinds whose charts meet in one CRD: they have it in crds/, render it, or patch it."""

import dataclasses
import json

GROUP = "shared.chartwright.io"  # Of the custom resources.
# Roles whose charts have the CRD in crds/: the same one, another one, one that is kept up to date.
CRDS = ("equal", "other", "update")
CASES = [
    ("equal", "equal"),
    ("equal", "other"),
    ("equal", "update"),
    ("update", "update"),
    ("equal", "child"),
    ("update", "child"),
    ("child", "child"),
    ("equal", "patch"),
    ("update", "patch"),
    ("child", "patch"),
    ("equal", "other", "update"),
    ("equal", "child", "patch"),
    ("update", "child", "patch"),
]
PATCH = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: NAME, labels: {by-LABEL: {{ .Values.text | quote }}}}
"""
INSTANCE = """apiVersion: FOOS/v1
kind: Foo
metadata: {name: {{ .Release.Name }}}
text: {{ .Values.text | quote }}
"""


def definition(group: str, kind: str, plural: str, note: str, *versions: str) -> dict:
    """Returns a CRD of anything, whose last version is the one that is stored."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "description": note}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": version == versions[-1],
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": schema},
                }
                for version in versions
            ],
        },
    }


@dataclasses.dataclass(frozen=True)
class Member:
    """One kind of a case, with its role, and its chart."""

    case: int
    number: int
    role: str

    @property
    def kind(self) -> str:
        """Returns the kind of its custom resources."""
        return f"Case{self.case}Member{self.number}"

    @property
    def foos(self) -> str:
        """Returns the group of the CRD in which its case meets."""
        return f"case{self.case}.chartwright.io"

    @property
    def note(self) -> str:
        """Returns the description that its CRD has."""
        return "equal" if self.role == "equal" else f"of {self.number}"

    def files(self) -> dict[str, str]:
        """Returns its chart."""
        versions = ("v2", "v1") if self.role == "other" else ("v1",)
        crd = json.dumps(definition(self.foos, "Foo", "foos", self.note, *versions))
        files = {
            "Chart.yaml": f"apiVersion: v2\nname: {self.kind.lower()}\nversion: 1.0.0\n",
            "values.yaml": 'text: ""\n',
            "operator/operator.yaml": "allowEmpty: true\n",
        }
        if self.role in CRDS:
            files["crds/foos.yaml"] = crd
            files["templates/foo.yaml"] = INSTANCE.replace("FOOS", self.foos)
        elif self.role == "child":
            note = f"{self.note}, {{{{ .Values.text }}}}"
            files["templates/crd.yaml"] = crd.replace(self.note, note)
        else:
            text = PATCH.replace("NAME", f"foos.{self.foos}").replace("LABEL", str(self.number))
            files["operator/patches/crd.yaml"] = text
        return files


MEMBERS = [
    [Member(case, number, role) for number, role in enumerate(roles)]
    for case, roles in enumerate(CASES)
]
