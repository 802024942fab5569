# SPDX-License-Identifier: Apache-2.0
"""The operator is killed at every single write of what it does about a failure (crash.py)."""

import pytest

from e2e import crash, releases
from e2e.crash import Project, Run, Step
from e2e.custom_resource import CONFIGMAP
from harness.jobs import FAILS, MANAGED_BY

CHILDREN = """apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-settings}
data: {text: {{ .Values.text | quote }}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-only-{{ .Values.text }}}
data: {text: {{ .Values.text | quote }}}
"""
# The API server refuses it.
INVALID = """{{- if eq .Values.text "bad" }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-invalid}
data: {"no such key!": x}
{{- end }}
"""


def hook(name: str, events: str, policy: str, *, weight: int = 0, fails: bool = False) -> str:
    """Returns a Job, which fails where the spec is bad if `fails`."""
    failure = (
        f'{{{{- if eq .Values.text "bad" }}}}\n    {FAILS}\n    {{{{- end }}}}' if fails else ""
    )
    return f"""---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{{{ .Release.Name }}}}-{name}
  annotations:
    helm.sh/hook: {events}
    helm.sh/hook-weight: "{weight}"
    helm.sh/hook-delete-policy: {policy}
    {failure}
spec:
  {MANAGED_BY}
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: main}}]
"""


def project(*jobs: str, invalid: bool = False, **options: str) -> Project:
    """Returns a project with these hooks and options of the watch."""
    files = {"templates/children.yaml": CHILDREN, "templates/login.yaml": releases.LOGIN}
    if jobs:
        files["templates/hooks.yaml"] = "".join(jobs)
    if invalid:
        files["templates/invalid.yaml"] = INVALID
    return Project(files, options)


DELETED = "before-hook-creation,hook-failed"


def hooks(event: str, *, policy: str = DELETED, later: str = "") -> tuple[str, ...]:
    """Returns two hooks of an event, of which the second fails, and one of `later`, if given."""
    succeeds = "before-hook-creation,hook-succeeded"
    found = (hook("first", event, succeeds, weight=-1), hook("second", event, policy, fails=True))
    return (*found, hook("last", later, succeeds)) if later else found


UPGRADE_ROLLED_BACK = {1: "superseded", 2: "failed", 3: "deployed"}
# The name of a case -> project, step, records, children (by their last words) and Jobs left.
CASES = {
    "a hook before an upgrade fails, and is deleted": (
        project(*hooks("pre-upgrade")),
        Step.FAILED_UPGRADE,
        {1: "deployed", 2: "failed"},
        ("one", []),
    ),
    "a hook after an install fails, and stays": (
        project(*hooks("post-install", policy="before-hook-creation")),
        Step.FAILED_INSTALL,
        {1: "failed"},
        ("bad", ["second"]),
    ),
    "an upgrade that is refused is rolled back": (
        project(invalid=True, onUpgradeFailure="rollback"),
        Step.FAILED_UPGRADE,
        UPGRADE_ROLLED_BACK,
        ("one", []),
    ),
    "an upgrade whose hook fails is rolled back": (
        project(*hooks("post-upgrade", later="post-rollback"), onUpgradeFailure="rollback"),
        Step.FAILED_UPGRADE,
        UPGRADE_ROLLED_BACK,
        ("one", []),
    ),
    "an install that is refused is deleted": (
        project(invalid=True, onInstallFailure="uninstall"),
        Step.FAILED_INSTALL,
        {1: "failed"},
        (None, []),
    ),
    "an install whose hook fails is deleted": (
        project(*hooks("post-install", later="post-delete"), onInstallFailure="uninstall"),
        Step.FAILED_INSTALL,
        {1: "failed"},
        (None, []),
    ),
}


@pytest.fixture(name="kubeconfig", scope="module")
def crash_account(cluster):
    """The account of all operators, with all rights."""
    with crash.account(cluster) as kubeconfig:
        yield kubeconfig


@pytest.mark.parametrize("case", CASES)
def test_a_failure_survives_a_crash_at_every_write(own_cluster, kubeconfig, tmp_path, case):
    made, step, records, left = CASES[case]
    with crash.lanes(own_cluster, tmp_path, kubeconfig, made, step) as opened:
        undisturbed = crash.crash_everywhere(opened)
    assert undisturbed.outcome["records"] == records
    assert undisturbed.outcome["conditions"]["Stalled"][0] == "True"
    check_objects(undisturbed, *left)
    ran = {
        name: count for name, count in undisturbed.effects.items() if name.startswith("create jobs")
    }
    assert set(ran.values()) == ({1} if "templates/hooks.yaml" in made.files else set())


def check_objects(run: Run, text: str | None, jobs: list[str]) -> None:
    """Asserts that one set of children is left, of that text, and these Jobs."""
    content = {name: [what for _, what in found] for name, found in run.outcome["children"].items()}
    expected = {f"{crash.JOB} w-{name}": [None] for name in jobs}
    if text:
        one = {"text": text}
        expected |= {f"{CONFIGMAP} w-settings": [one], f"{CONFIGMAP} w-only-{text}": [one]}
        expected |= {f"{kind} w-login": ["a password"] for kind in (CONFIGMAP, crash.SECRET)}
    assert content == expected
    assert run.outcome["passwords"] == (1 if text else 0)
