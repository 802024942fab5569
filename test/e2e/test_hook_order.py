# SPDX-License-Identifier: Apache-2.0
"""Hooks judged by the real helm-operator: what is created and deleted, in its order.

One chart holds all cases; each custom resource chooses one. helm-operator and Chartwright get the
same ones, in namespaces of their own, and the API server's audit log tells what they did.
"""

import contextlib
import functools
import json
import re

import pytest

from e2e import session
from e2e.custom_resource import WIDGET, CustomResource, condition
from harness import jobs, oracle
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions

ACCOUNTS = {
    "helm-operator": "chartwright-e2e-order-theirs",
    "chartwright": "chartwright-e2e-order-ours",
}
HOOK_RESOURCES = ("jobs", "configmaps", "secrets", "serviceaccounts", "roles", "rolebindings")
TIMEOUT_SECONDS = 120.0
RECORD = re.compile(r"sh\.helm\.release\.v1\.(?P<release>.*)\.v\d+")

JOB = f"""spec:
  {jobs.MANAGED_BY}
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: main}}]"""
BODIES = {
    "batch/v1/Job": JOB,
    "v1/ConfigMap": "data: {text: hook}",
    "v1/Secret": "stringData: {text: hook}",
    "v1/ServiceAccount": "automountServiceAccountToken: false",
    "rbac.authorization.k8s.io/v1/Role": (
        'rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]'
    ),
    "rbac.authorization.k8s.io/v1/RoleBinding": (
        """roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, \
name: "{{ .Release.Name }}-role"}
subjects: [{kind: ServiceAccount, name: "{{ .Release.Name }}-account"}]"""
    ),
}
EVERY = "pre-install,post-install,pre-upgrade,post-upgrade"
CHILD = """apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-child"}
data: {text: {{ .Values.text | quote }}}
"""


def hook(name: str, events: str, kind: str = "batch/v1/Job", **more) -> str:
    """Returns a hook; `more`: weight, policy, and `fails`, the text for which it fails."""
    api_version, _, short = kind.rpartition("/")
    lines = [f"helm.sh/hook: {events}", f'helm.sh/hook-weight: "{more.get("weight", 0)}"']
    if "policy" in more:
        lines.append(f"helm.sh/hook-delete-policy: {more['policy']}")
    if "fails" in more:
        lines.append(
            f'{{{{- if eq .Values.text "{more["fails"]}" }}}}\n    {jobs.FAILS}\n    {{{{- end }}}}'
        )
    annotations = "\n    ".join(lines)
    return f"""---
apiVersion: {api_version}
kind: {short}
metadata:
  name: {{{{ .Release.Name }}}}-{name}
  annotations:
    {annotations}
{BODIES[kind]}
"""


CASES = {
    "each": (
        hook("before", EVERY) + hook("after", "post-install,post-upgrade,pre-delete,post-delete")
    ),
    "weights": (
        hook("a", "pre-install,post-upgrade", weight=5)
        + hook("b", "pre-install,post-upgrade", weight=-5)
        + hook("c", "pre-install,post-upgrade")
    ),
    "kinds": (
        hook("z", "pre-install", "v1/ConfigMap")
        + hook("y", "pre-install")
        + hook("x", "pre-install,pre-upgrade", "v1/Secret")
        + hook("w", "post-install,post-upgrade", "v1/ConfigMap")
    ),
    "succeeded": (
        hook("a", EVERY, policy="hook-succeeded") + hook("b", EVERY, policy="hook-succeeded")
    ),
    "both": hook("a", EVERY, policy="before-hook-creation,hook-succeeded"),
    "iffailed": (
        hook("a", "pre-install", policy="hook-failed")
        + hook("b", "post-upgrade", policy="hook-failed")
    ),
    "delete": (
        hook("first", "pre-delete", weight=-1, policy="hook-succeeded")
        + hook("second", "pre-delete")
        + hook("last", "post-delete", policy="hook-succeeded")
    ),
    "samename": (
        hook("same", "pre-install,pre-upgrade", weight=-1)
        + hook("same", "pre-install,post-upgrade", weight=1)
    ),
    "account": (
        hook("account", "pre-install,pre-upgrade", "v1/ServiceAccount", weight=-10)
        + hook("role", "pre-install,pre-upgrade", "rbac.authorization.k8s.io/v1/Role", weight=-9)
        + hook(
            "binding",
            "pre-install,pre-upgrade",
            "rbac.authorization.k8s.io/v1/RoleBinding",
            weight=-8,
        )
        + hook("job", "pre-install,pre-upgrade", policy="before-hook-creation,hook-succeeded")
    ),
    "failsfirst": (
        hook("ok", "pre-install", weight=-1, policy="hook-succeeded")
        + hook("bad", "pre-install", policy="hook-failed", fails="one")
        + hook("never", "pre-install", weight=1)
    ),
    "failslater": (
        hook("ok", "pre-upgrade", weight=-1, policy="hook-succeeded")
        + hook("bad", "pre-upgrade", fails="two")
        + hook("never", "post-upgrade")
    ),
    "failslast": hook("bad", "post-install", policy="hook-failed", fails="one"),
    "rollback": (
        hook("bad", "post-upgrade", fails="two")
        + hook("first", "pre-rollback", weight=-1, policy="hook-succeeded")
        + hook("second", "pre-rollback")
        + hook("last", "post-rollback")
    ),
}
# The step at which a hook fails.
FAILING = {
    "failsfirst": "install",
    "failslast": "install",
    "failslater": "upgrade",
    "rollback": "upgrade",
}
# Cases in which Chartwright, too, rolls back after that; and the last Job of the rollback.
ROLLED_BACK = {"rollback": "last"}
STEPS = ("install", "upgrade", "delete")


def write_project(folder) -> None:
    """Writes a chart with all cases."""
    templates = folder / "chart" / "templates"
    templates.mkdir(parents=True)
    (folder / "watches.yaml").write_text(session.WIDGET_WATCH, encoding="utf-8")
    (folder / "chart" / "Chart.yaml").write_text(
        "apiVersion: v2\nname: project\nversion: 1.0.0\n", encoding="utf-8"
    )
    (templates / "child.yaml").write_text(CHILD, encoding="utf-8")
    for name, text in CASES.items():
        chosen = f'{{{{- if eq .Values.case "{name}" }}}}\n{text}\n{{{{- end }}}}\n'
        (templates / f"{name}.yaml").write_text(chosen, encoding="utf-8")


def has_failed(obj: dict) -> bool:
    """Reports whether the release of a custom resource has failed."""
    return condition(obj, "ReleaseFailed").get("status") == "True"


def is_deployed(operator: Operator, widget: CustomResource, text: str) -> bool:
    """Reports whether Chartwright has deployed a spec."""
    assert operator.running()
    found = condition(widget.get(), "Deployed")
    reason = {"one": "InstallSuccessful", "two": "UpgradeSuccessful"}[text]
    return (found.get("status"), found.get("reason")) == ("True", reason)


def has_settled(operator: Operator, widget: CustomResource, text: str) -> bool:
    """Reports whether helm-operator has deployed a spec, and found no more to do for it.

    It reads its records from a cache that may be older than its own last write. Then it deletes the
    record that it has just written, and installs once more.
    """
    release = widget.get().get("status", {}).get("deployedRelease") or {}
    if f'text: "{text}"' not in release.get("manifest", ""):
        return False
    lines = operator.log_path.read_text(encoding="utf-8").splitlines()
    told = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
    last = [line["msg"] for line in told if line.get("release") == widget.name][-1:]
    return last == ["Reconciled release"]


IS_DONE = {"helm-operator": has_settled, "chartwright": is_deployed}


def annotations_of(case: str) -> dict[str, str] | None:
    """Returns what makes Chartwright do in a case what helm-operator always does."""
    return {"chartwright.io/on-upgrade-failure": "rollback"} if case in ROLLED_BACK else None


def take(step: str, widgets: dict[str, CustomResource], is_done) -> None:
    """Has all custom resources take a step, and waits until `is_done(widget, text)` for each."""
    text = {"install": "one", "upgrade": "two"}.get(step)
    for case, widget in widgets.items():
        if step == "install":
            widget.create({"case": case, "text": text}, annotations_of(case))
        elif step == "upgrade":
            widget.patch({"text": text})
        else:
            widget.delete()
    for case, widget in widgets.items():
        options = {"timeout_seconds": TIMEOUT_SECONDS, "what": step}
        if step == "delete":
            widget.kube.wait_gone(WIDGET, widget.name, widget.namespace, **options)
        elif FAILING.get(case) == step:
            widget.wait(has_failed, **options)
            if case in ROLLED_BACK:
                job = f"{case}-{ROLLED_BACK[case]}"
                widget.kube.wait(jobs.JOB, job, widget.namespace, bool, **options)
        else:
            wait_until(functools.partial(is_done, widget, text), **options)


def first_attempts(requests, step: str) -> list:
    """Returns the requests up to the second record of a release that did not fail in this step.

    See `has_settled` for why helm-operator repeats an attempt that succeeded.
    """
    found = []
    recorded, repeated = set(), set()
    for request in requests:
        record = RECORD.fullmatch(request.name)
        case = record["release"] if record else request.name.partition("-")[0]
        if record and (request.verb, request.code) == ("create", 201) and FAILING.get(case) != step:
            (repeated if case in recorded else recorded).add(case)
        if case not in repeated:
            found.append(request)
    return found


def effects(cluster, since, who: str, namespace: str, step: str) -> dict[str, list[str]]:
    """Returns what happened to hooks and to the child, by case.

    Not compared, since they differ on purpose:
    - reads: helm-operator polls a hook's Job, Chartwright watches it;
    - requests that were refused: Helm deletes a hook's object before it creates one, whether it is
      there or not; Chartwright creates, and deletes what is in the way;
    - how a child is written: helm-operator creates and patches, Chartwright applies. Its writes
      between two hooks are told as one;
    - the child's deletion: under Chartwright garbage collection deletes it.
    """
    user = session.user_of(ACCOUNTS[who])
    found: dict[str, list[str]] = {case: [] for case in CASES}
    requests = cluster.audit.requests(since, user=user, namespace=namespace)
    for request in first_attempts(requests, step) if who == "helm-operator" else requests:
        case, _, name = request.name.partition("-")
        if (
            request.resource not in HOOK_RESOURCES
            or (request.code or 500) >= 300
            or case not in CASES
        ):
            continue
        told = f"{request.verb} {request.resource} {name}"
        if name == "child":
            told = "write child"
            if request.verb == "delete" or not request.is_write() or found[case][-1:] == [told]:
                continue
        elif request.verb not in ("create", "delete"):
            continue
        found[case].append(told)
    return found


def until_end(case: str, events: list[str]) -> list[str]:
    """Returns the events of the first attempt, whose hook `bad` failed, and of its rollback.

    The rest is a policy: helm-operator uninstalls or rolls back, with hooks, and tries again;
    Chartwright waits for a person. Only the deletion of that hook by its own policy is the hook's.
    """
    if case in ROLLED_BACK:
        return events[: events.index(f"create jobs {ROLLED_BACK[case]}") + 1]
    at = events.index("create jobs bad")
    after = ["delete jobs bad"] if events[at + 1 : at + 2] == ["delete jobs bad"] else []
    return events[: at + 1] + after


def operator_of(who: str, cluster, folder, kubeconfig, namespace: str) -> Operator:
    """Returns one of the two, not started."""
    options = {
        "kubeconfig": kubeconfig,
        "namespaces": (namespace,),
        "cwd": folder,
        "arguments": (
            f"--max-concurrent-reconciles={len(CASES)}",
            f"--reconcile-period={'0' if who == 'chartwright' else '1h'}",
        ),
    }
    if who == "helm-operator":
        options |= {"binary": oracle.build_helm_operator(), "has_state_dir": False}
    return Operator(OperatorOptions(**options))


def play(cluster, who: str, folder) -> dict[str, dict]:
    """Returns the effects of one of the two, by step and case, in a namespace of its own."""
    namespace = cluster.create_namespace("e2e")
    widgets = {case: CustomResource(cluster, WIDGET, namespace, case) for case in CASES}
    done = {}
    with contextlib.ExitStack() as stack:
        stack.callback(abandon, cluster, namespace, widgets)
        kubeconfig = stack.enter_context(session.admin_account(cluster, ACCOUNTS[who]))
        stack.enter_context(jobs.JobPlayer(cluster.kube, namespace))
        operator = stack.enter_context(operator_of(who, cluster, folder, kubeconfig, namespace))
        is_done = functools.partial(IS_DONE[who], operator)
        for step in STEPS:
            # The state after a failure is not the same, and a later step not comparable.
            taking = {
                case: widget
                for case, widget in widgets.items()
                if case not in FAILING or STEPS.index(step) <= STEPS.index(FAILING[case])
            }
            since = cluster.audit.mark()
            take(step, taking, is_done)
            done[step] = effects(cluster, since, who, namespace, step)
        for case in FAILING:
            widgets[case].delete()
        for case in FAILING:
            widgets[case].kube.wait_gone(WIDGET, case, namespace, timeout_seconds=TIMEOUT_SECONDS)
    return done


def abandon(cluster, namespace: str, widgets: dict[str, CustomResource]) -> None:
    """Abandons the namespace, and removes the custom resources that a failure has left there."""
    for widget in widgets.values():
        if cluster.kube.find(WIDGET, widget.name, namespace):
            cluster.kube.patch(WIDGET, widget.name, namespace, {"metadata": {"finalizers": None}})
            widget.delete()
    cluster.abandon_namespace(namespace)


@pytest.fixture(name="played", scope="module")
def play_both(cluster, tmp_path_factory):
    """The effects of each of the two, by step and case."""
    if cluster.external:
        pytest.skip("reads the audit log of a cluster of our own")
    folder = tmp_path_factory.mktemp("order")
    write_project(folder)
    return {
        "chartwright": play(cluster, "chartwright", folder),
        "helm-operator": oracle.try_again(lambda: play(cluster, "helm-operator", folder)),
    }


@pytest.mark.parametrize("case", CASES)
def test_hooks_run_in_the_order_of_helm_operator(own_cluster, played, case):
    assert own_cluster.audit
    for step in STEPS:
        theirs, ours = (played[who][step][case] for who in ACCOUNTS)
        if FAILING.get(case) == step:
            theirs, ours = until_end(case, theirs), until_end(case, ours)
        assert ours == theirs, step
        if FAILING.get(case) == step:
            return


def test_each_case_has_hooks_that_helm_operator_runs(own_cluster, played):
    assert own_cluster.audit
    for case in CASES:
        told = [one for step in STEPS for one in played["helm-operator"][step][case]]
        assert [one for one in told if one.startswith("create")], case
