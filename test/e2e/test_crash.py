# SPDX-License-Identifier: Apache-2.0
"""The operator is killed at every single write of what users do with a release (crash.py)."""

import pytest

from e2e import crash, releases
from e2e.crash import Project, Run, Step
from e2e.custom_resource import CONFIGMAP, POD, STATEFULSET

CHILDREN = """apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-settings}
data: {text: {{ .Values.text | quote }}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-only-{{ .Values.text }}}
data: {text: {{ .Values.text | quote }}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: {{ .Release.Name }}-policy}
spec: {podSelector: {matchLabels: {app: {{ .Values.text | quote }}}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-{{ .Release.Namespace }}, namespace: default}
data: {text: {{ .Values.text | quote }}}
"""
HOOKS = """{{- range $name, $events := dict
  "before" "pre-install,pre-upgrade,pre-rollback,pre-delete"
  "after" "post-install,post-upgrade,post-rollback,post-delete" }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $.Release.Name }}-{{ $name }}
  annotations:
    helm.sh/hook: {{ $events }}
    {{- if eq $name "before" }}
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
    {{- end }}
spec:
  managedBy: chartwright.io/test
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: main}]
{{- end }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-hook
  annotations: {helm.sh/hook: "pre-install,pre-upgrade,pre-rollback", helm.sh/hook-weight: "-1"}
data: {text: {{ .Values.text | quote }}}
"""
# Each rule meets a change: one and two differ in everything, and two is smaller.
RULED = """{{- $name := .Release.Name }}
{{- $text := .Values.text }}
{{- range list "again-0" "again-1" }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $name }}-{{ . }}}
data: {text: {{ $text | quote }}}
{{- end }}
{{- range list "0" "1" }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $name }}-slot-{{ . }}
  annotations: {chartwright.io/generate-name: {{ $name }}-unique-}
data: {text: {{ $text | quote }}}
{{- end }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $name }}-grown}
data: {text: {{ $text | quote }}, size: {{ ternary "2Gi" "1Gi" (eq $text "one") }}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: {{ $name }}-set}
spec:
  podManagementPolicy: {{ ternary "OrderedReady" "Parallel" (eq $text "one") }}
  selector: {matchLabels: {app: {{ $name }}}}
  serviceName: none
  template:
    metadata: {labels: {app: {{ $name }}}}
    spec: {containers: [{name: main, image: main}]}
"""
RULES = """children:
- match: {kind: ConfigMap, name: '*-again-*'}
  update: recreate
  ready: '{{ hasKey .Object.data "text" }}'
  pace: {max: 1, until: ready}
- match: {kind: ConfigMap, name: '*-slot-*'}
  update: recreate
  pace: {max: 1, until: ready}
- match: {kind: ConfigMap, name: '*-grown'}
  growOnly: [data.size]
- match: {kind: StatefulSet}
  update: orphanRecreate
"""
CHARTS = {
    "deterministic": {"templates/children.yaml": CHILDREN},
    "hooks": {  # And a random password.
        "templates/children.yaml": CHILDREN,
        "templates/login.yaml": releases.LOGIN,
        "templates/hooks.yaml": HOOKS,
    },
    "looked up": {"templates/children.yaml": CHILDREN, "templates/login.yaml": releases.LOOKED_UP},
    "looked up, with hooks": {
        "templates/children.yaml": CHILDREN,
        "templates/login.yaml": releases.LOOKED_UP,
        "templates/hooks.yaml": HOOKS,
    },
    "rules": {"templates/ruled.yaml": RULED, "operator/operator.yaml": RULES},
}
CASES = [
    *(
        (step, chart)
        for step in (Step.INSTALL, Step.UPGRADE, Step.ROLLBACK, Step.UNINSTALL)
        for chart in ("deterministic", "hooks")
    ),
    *((step, "rules") for step in (Step.INSTALL, Step.UPGRADE, Step.ROLLBACK)),
    *((Step.ADOPTION, chart) for chart in ("deterministic", "looked up", "looked up, with hooks")),
]


@pytest.fixture(name="kubeconfig", scope="module")
def crash_account(cluster):
    """The account of all operators, with all rights."""
    with crash.account(cluster) as kubeconfig:
        yield kubeconfig


@pytest.mark.parametrize(
    "step, chart", CASES, ids=[f"{step.value}-{chart}" for step, chart in CASES]
)
def test_an_operation_survives_a_crash_at_every_write(
    own_cluster, kubeconfig, tmp_path, step, chart
):
    with crash.lanes(own_cluster, tmp_path, kubeconfig, Project(CHARTS[chart]), step) as opened:
        check_undisturbed(crash.crash_everywhere(opened), step, chart)


def check_undisturbed(run: Run, step: Step, chart: str) -> None:
    """Asserts of the run that others are compared with that it is as it should be."""
    assert run.writes
    if step is Step.UNINSTALL:
        assert not [one for one in run.outcome["children"] if "-NAMESPACE" in one]
        return
    statuses = list(run.outcome["records"].values())
    assert statuses.count("deployed") == 1
    assert set(statuses) <= {"deployed", "superseded"}
    assert run.outcome["attempt"] is None
    assert run.outcome["passwords"] == (0 if chart in ("deterministic", "rules") else 1)
    if chart == "rules":
        check_rules(run, step)
    if step is Step.ADOPTION:  # Only the hooks of the deletion ran.
        ran = {name: count for name, count in run.effects.items() if name.startswith("create jobs")}
        assert set(ran.values()) == ({1} if chart.endswith("hooks") else set())


def check_rules(run: Run, step: Step) -> None:
    """Asserts that one set of children is there, and that rules kept what they promise to keep."""
    text = {Step.UPGRADE: "two"}.get(step, "one")
    policy = "Parallel" if step is Step.UPGRADE else "OrderedReady"
    content = {name: [what for _, what in found] for name, found in run.outcome["children"].items()}
    assert content == {
        f"{CONFIGMAP} w-again-0": [{"text": text}],
        f"{CONFIGMAP} w-again-1": [{"text": text}],
        f"{CONFIGMAP} w-unique": [{"text": text}] * 2,
        f"{CONFIGMAP} w-grown": [{"text": text, "size": "2Gi"}],
        f"{STATEFULSET} w-set": [policy],
        f"{POD} w-set-0": [None],
    }
    assert run.outcome["kept"] == ([] if step is Step.INSTALL else ["grown", "set-0"])
    assert ("FieldsHeld" in run.outcome["conditions"]) == (step is Step.UPGRADE)
