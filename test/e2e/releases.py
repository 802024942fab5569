# SPDX-License-Identifier: Apache-2.0
"""The records of a release, and a password that a chart draws at random."""

import base64
import re

from e2e.custom_resource import CONFIGMAP, SECRET, CustomResource

# A template: two children with one password of 20 characters, another one at each render.
LOGIN = """{{- $password := randAlphaNum 20 }}
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-login}
data: {password: {{ $password | b64enc }}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-login}
data: {password: {{ $password }}}
"""
# The same, but a password that is there stays. helm-operator upgrades a release whose render
# differs, at each of its passes.
LOOKED_UP = LOGIN.replace(
    "randAlphaNum 20 }}",
    """randAlphaNum 20 }}
{{- with lookup "v1" "Secret" .Release.Namespace (print .Release.Name "-login") }}
{{- $password = .data.password | b64dec }}
{{- end }}""",
)


def records(widget: CustomResource) -> dict[int, str]:
    """Returns the statuses of its release records by number."""
    found = widget.kube.list(SECRET, widget.namespace, labels=f"owner=helm,name={widget.name}")
    labels = [secret["metadata"]["labels"] for secret in found]
    return {int(each["version"]): each["status"] for each in labels}


def deployed(widget: CustomResource) -> list[int]:
    """Returns the numbers of its deployed records."""
    return [number for number, status in records(widget).items() if status == "deployed"]


def passwords(widget: CustomResource, revision: int) -> set[str]:
    """Returns the passwords of LOGIN in children and record: one, or none without LOGIN."""
    login = f"{widget.name}-login"
    secret = widget.kube.find(SECRET, login, widget.namespace)
    if secret is None:
        return set()
    manifest = widget.record(revision)["manifest"]
    recorded = re.findall(r"\{password: (\S+)\}", manifest)
    assert len(recorded) == 2
    return {
        decoded(secret["data"]["password"]),
        widget.child(CONFIGMAP, login)["data"]["password"],
        *(text if len(text) == 20 else decoded(text) for text in recorded),
    }


def decoded(text: str) -> str:
    """Returns the text that is encoded in base64."""
    return base64.b64decode(text).decode()
