# SPDX-License-Identifier: Apache-2.0
"""The operator is killed at every single write of what it does about a failure (crash.py)."""

import pytest

from e2e import crash, releases
from e2e.crash import Project, Run, Step
from e2e.custom_resource import CONFIGMAP
from harness.jobs import FAILS, MANAGED_BY, fails_without

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


# When a Job fails.
IF_BAD = f'{{{{- if eq .Values.text "bad" }}}}\n    {FAILS}\n    {{{{- end }}}}'
AT_FIRST = fails_without(crash.REMEDY)


def hook(name: str, events: str, policy: str, *, weight: int = 0, failure: str = "") -> str:
    """Returns a Job."""
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


def hooks(
    event: str, *, policy: str = DELETED, later: str = "", failure: str = IF_BAD
) -> tuple[str, ...]:
    """Returns two hooks of an event, of which the second fails, and one of `later`, if given."""
    succeeds = "before-hook-creation,hook-succeeded"
    found = (
        hook("first", event, succeeds, weight=-1),
        hook("second", event, policy, failure=failure),
    )
    return (*found, hook("last", later, succeeds)) if later else found


UPGRADE_ROLLED_BACK = {1: "superseded", 2: "failed", 3: "deployed"}
ROLLBACK_FAILED = {1: "superseded", 2: "deployed", 3: "failed"}
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
    "a hook before a rollback fails, and is deleted": (
        project(*hooks("pre-rollback", failure=AT_FIRST)),
        Step.FAILED_ROLLBACK,
        ROLLBACK_FAILED,
        ("two", []),
    ),
    "a hook after a rollback fails, and stays": (
        project(
            *hooks("post-rollback", policy="before-hook-creation", failure=AT_FIRST),
        ),
        Step.FAILED_ROLLBACK,
        ROLLBACK_FAILED,
        ("one", ["second"]),
    ),
    "a hook before a deletion fails, and stays": (
        project(
            *hooks("pre-delete", policy="before-hook-creation", failure=AT_FIRST),
        ),
        Step.FAILED_UNINSTALL,
        {1: "deployed"},
        ("one", ["second"]),
    ),
    "a hook after a deletion fails, and is deleted": (
        project(*hooks("post-delete", failure=AT_FIRST)),
        Step.FAILED_UNINSTALL,
        {1: "deployed"},
        (None, []),
    ),
    "the hook of a rollback fails after an upgrade was refused": (
        project(
            *hooks("pre-rollback", failure=AT_FIRST), invalid=True, onUpgradeFailure="rollback"
        ),
        Step.STUCK_UPGRADE,
        {1: "deployed", 2: "failed", 3: "failed"},
        ("one", []),
    ),
    "the hook of a deletion fails after an install was refused": (
        project(*hooks("pre-delete", failure=AT_FIRST), invalid=True, onInstallFailure="uninstall"),
        Step.STUCK_INSTALL,
        {1: "failed"},
        ("bad", []),
    ),
}
# The hook succeeds the second time: a case -> project, step, what is left.
REPEATED = {
    "a hook before a rollback": (
        project(*hooks("pre-rollback", failure=AT_FIRST)),
        Step.REPEATED_ROLLBACK,
        ("one", ["second"]),
    ),
    "a hook after a rollback": (
        project(*hooks("post-rollback", failure=AT_FIRST)),
        Step.REPEATED_ROLLBACK,
        ("one", ["second"]),
    ),
    "a hook before a deletion": (
        project(*hooks("pre-delete", later="post-delete", failure=AT_FIRST)),
        Step.REPEATED_UNINSTALL,
        (None, []),
    ),
    "a hook after a deletion": (
        project(*hooks("post-delete", failure=AT_FIRST)),
        Step.REPEATED_UNINSTALL,
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
    times = 2 if step in crash.HELD_UP else 1  # Once more for the end of the test.
    assert set(runs(undisturbed).values()) == (
        {times} if "templates/hooks.yaml" in made.files else set()
    )


@pytest.mark.parametrize("case", REPEATED)
def test_another_try_survives_a_crash_at_every_write(own_cluster, kubeconfig, tmp_path, case):
    made, step, left = REPEATED[case]
    with crash.lanes(own_cluster, tmp_path, kubeconfig, made, step) as opened:
        undisturbed = crash.crash_everywhere(opened)
    if step is Step.REPEATED_ROLLBACK:
        statuses = list(undisturbed.outcome["records"].values())
        assert (statuses.count("deployed"), statuses.count("failed")) == (1, 1)
        assert undisturbed.outcome["attempt"] is None
        assert "Stalled" not in undisturbed.outcome["conditions"]
    check_objects(undisturbed, *left)
    ran = runs(undisturbed)
    assert {ran[f"create jobs w-{name}"] for name in ("first", "second")} == {2}
    assert ran.get("create jobs w-last", 1) == 1


def runs(run: Run) -> dict[str, int]:
    """Returns how often each Job was created."""
    return {name: count for name, count in run.effects.items() if name.startswith("create jobs")}


def check_objects(run: Run, text: str | None, jobs: list[str]) -> None:
    """Asserts that one set of children is left, of that text, and these Jobs."""
    content = {name: [what for _, what in found] for name, found in run.outcome["children"].items()}
    expected = {f"{crash.JOB} w-{name}": [None] for name in jobs}
    if text:
        one = {"text": text}
        expected |= {f"{CONFIGMAP} w-settings": [one], f"{CONFIGMAP} w-only-{text}": [one]}
        expected |= {f"{kind} w-login": ["a password"] for kind in (CONFIGMAP, crash.SECRET)}
    assert content == expected
    in_force = run.outcome.get("revision")
    assert run.outcome.get("passwords", 0) == (1 if text and in_force else 0)
