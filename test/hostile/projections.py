# SPDX-License-Identifier: Apache-2.0
"""Evil `project` templates: each shows a good source, and fails for one whose data has the key
`evil`.
"""

import dataclasses

VIEW = """\
group: evil.example.com
version: v1
resource: {{kind: {kind}, plural: {plural}}}
source: {{apiVersion: v1, kind: ConfigMap, selector: {{matchLabels: {{hostile: projection}}}}}}
project: |
  {{{{- define "again" }}}}{{{{ include "again" . }}}}{{{{ end }}}}
  {{{{- if hasKey .source.data "evil" }}}}
{evil}
  {{{{- else }}}}
  spec: {{x: good}}
  {{{{- end }}}}
"""


@dataclasses.dataclass(frozen=True)
class Projection:
    """A template, and a regular expression for the message of the lists of its view."""

    kind: str
    evil: str
    message: str

    @property
    def plural(self) -> str:
        """Returns the name of the resource."""
        return self.kind.lower() + "s"

    def text(self) -> str:
        """Returns the file of the view."""
        evil = "\n".join("  " + line for line in self.evil.split("\n"))
        return VIEW.format(kind=self.kind, plural=self.plural, evil=evil)


def metadata(text: str) -> str:
    """Returns a template that writes metadata."""
    return f"metadata: {text}"


ALL = [
    Projection("Failing", '{{ fail "there is no sheep" }}', "there is no sheep"),
    Projection(
        "Looping", "{{ range until 5000 }}{{ range until 5000 }}{{ end }}{{ end }}", "budget"
    ),
    Projection("Recursing", '{{ include "again" . }}', "nest|depth|budget"),
    Projection(
        "Hoarding",
        '{{ $x := "x" }}{{ range until 40 }}{{ $x = print $x $x }}{{ end }}',
        "memory|budget",
    ),
    Projection("Flooding", 'spec: {x: {{ repeat 8000000 "x" }}}', "budget|output"),
    Projection("Nesting", 'spec: {{ repeat 20000 "[" }}{{ repeat 20000 "]" }}', "nest|deep|depth"),
    Projection(
        "Laughing",
        "a: &a [x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\n"
        + "\n".join(
            f"{chr(99 + i)}: &{chr(99 + i)} [{', '.join([f'*{chr(98 + i)}'] * 8)}]"
            for i in range(10)
        ),
        "alias|memory|budget|excessive",
    ),
    Projection("Listing", "- a\n- b", "no object"),
    Projection("Muttering", "neither this nor that", "no object"),
    Projection("Garbling", '{{ "a: [" }}', "YAML|yaml"),
    Projection("Climbing", metadata('{name: "../../secrets"}'), "not a DNS name"),
    Projection("Nameless", metadata('{name: ""}'), "not a DNS name"),
    Projection("Shouting", metadata('{name: "SHEEP"}'), "not a DNS name"),
    Projection("Endless", metadata('{name: {{ repeat 300 "a" }}}'), "not a DNS name"),
    Projection("Counting", metadata("{name: 5}"), "name"),
    Projection(
        "Fleeing", metadata("{namespace: kube-system}"), "namespace must be that of the source"
    ),
    Projection("Posing", metadata("{uid: 5f0e}"), "metadata.uid cannot be set"),
    Projection("Labelling", metadata("{labels: {a: 1}}"), "metadata.labels"),
    Projection("Annotating", metadata("{annotations: [a]}"), "metadata.annotations"),
    Projection("Shapeless", metadata("sheep"), "metadata"),
]
