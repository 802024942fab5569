# SPDX-License-Identifier: Apache-2.0
"""The operator is killed at every single write: before it arrives, and before its answer does.

An undisturbed run shows how many writes an operation makes, and what it leads to. Then the operation
is repeated once for each write: a proxy kills the operator there, another one starts, and everything
must be as after the undisturbed run.
"""

import collections
import concurrent.futures
import contextlib
import dataclasses
import enum
import os
import re
import threading
import time

import pytest

from e2e import releases, session
from e2e.custom_resource import CONFIGMAP, SECRET, STATEFULSET, WIDGET, CustomResource, is_ready
from harness import oracle
from harness.fault_proxy import Cut, Fault, FaultProxy, Sent
from harness.jobs import JobPlayer
from harness.operator import Operator, OperatorOptions

ACCOUNT = "chartwright-e2e-crash"
JOB = "batch/v1/Job"
POLICY = "networking.k8s.io/v1/NetworkPolicy"
POD = "v1/Pod"
KINDS = (CONFIGMAP, SECRET, POLICY, JOB, STATEFULSET, POD)
# Both moments of each write; otherwise each write once, at one of them in turn.
EVERYTHING = "CHARTWRIGHT_CRASH_EVERYWHERE" in os.environ
LANES = 4
QUIET_SECONDS = 0.4
# How many releases of helm-operator there are in a lane.
ADOPTED = 9 if EVERYTHING else 5
POLL_SECONDS = 0.1
TIMEOUT_SECONDS = 60.0

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
# helm-operator upgrades a release whose render differs, at each of its passes.
LOOKED_UP = releases.LOGIN.replace(
    "randAlphaNum 20 }}",
    """randAlphaNum 20 }}
{{- with lookup "v1" "Secret" .Release.Namespace (print .Release.Name "-login") }}
{{- $password = .data.password | b64dec }}
{{- end }}""",
)
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
    "deterministic": {"children.yaml": CHILDREN},
    "random": {"children.yaml": CHILDREN, "login.yaml": releases.LOGIN},
    "hooks": {"children.yaml": CHILDREN, "login.yaml": releases.LOGIN, "hooks.yaml": HOOKS},
    "looked up": {"children.yaml": CHILDREN, "login.yaml": LOOKED_UP},
    "rules": {"ruled.yaml": RULED, "../operator/operator.yaml": RULES},
}


class Moment(enum.Enum):
    """Where a write is when the operator is killed."""

    BEFORE = "before the write"
    AFTER = "after the write, before its answer"


@dataclasses.dataclass(frozen=True)
class Point:
    """The write at which the operator is killed (from 1), and when."""

    number: int
    moment: Moment


class Crash(Fault):
    """Counts the writes of an operator, and kills it at a point, if there is one."""

    def __init__(self, proxy: FaultProxy, operator: Operator, point: Point | None = None):
        self._proxy = proxy
        self._operator = operator
        self._point = point
        self.writes: list[Sent] = []
        self.happened = threading.Event()

    def before(self, request: Sent) -> None:
        if request.changes_state():
            self.writes.append(request)
            self._reach(Moment.BEFORE)

    def after(self, request: Sent) -> None:
        if request.changes_state():
            self._reach(Moment.AFTER)

    def _reach(self, moment: Moment) -> None:
        if self._point == Point(len(self.writes), moment):
            self._proxy.disconnect()
            self._operator.kill()
            self.happened.set()
            raise Cut


def points(writes: int) -> list[Point]:
    """Returns where to kill an operator that makes so many writes."""
    if EVERYTHING:
        return [Point(number, moment) for number in range(1, writes + 1) for moment in Moment]
    moments = list(Moment)
    return [Point(number, moments[number % 2]) for number in range(1, writes + 1)]


class Step(enum.Enum):
    """A thing that a user does with a release."""

    INSTALL = "install"
    UPGRADE = "upgrade"
    ROLLBACK = "rollback"
    UNINSTALL = "uninstall"
    ADOPTION = "adoption"  # Of a release of helm-operator, which the operator does not see before.

    def take(self, widget: CustomResource) -> None:
        """Does it, and does not wait for its end."""
        if self is Step.INSTALL:
            widget.create({"text": "one"})
        elif self is Step.UPGRADE:
            widget.patch({"text": "two"})
        elif self is Step.ROLLBACK:
            widget.annotate(rollback_to="1")
        elif self is Step.UNINSTALL:
            widget.delete()
        else:
            widget.kube.patch(WIDGET, widget.name, widget.namespace, WATCHED)

    def holds(self, obj: dict | None) -> bool:
        """Reports whether the operator has done its part, by the custom resource."""
        if obj is None or self is Step.UNINSTALL:
            return obj is None and self is Step.UNINSTALL
        number = {Step.UPGRADE: 2, Step.ROLLBACK: 3}.get(self)
        return is_ready(obj) and number in (None, obj["status"].get("revision"))

    def is_done(self, widget: CustomResource) -> bool:
        """Reports whether the operator has done its part."""
        return self.holds(widget.kube.find(WIDGET, widget.name, widget.namespace))

    def wait(self, widget: CustomResource) -> None:
        """Blocks until the operator has done its part."""
        widget.kube.wait(
            WIDGET, widget.name, widget.namespace, self.holds, timeout_seconds=TIMEOUT_SECONDS, what=self.value
        )


BEFORE = {
    Step.INSTALL: (),
    Step.UPGRADE: (Step.INSTALL,),
    Step.ROLLBACK: (Step.INSTALL, Step.UPGRADE),
    Step.UNINSTALL: (Step.INSTALL,),
    Step.ADOPTION: (),
}
WATCHED = {"metadata": {"labels": {"watched": "yes"}}}
CASES = [
    *((step, chart) for step in Step if step is not Step.ADOPTION for chart in ("deterministic", "random", "hooks")),
    *((step, "rules") for step in (Step.INSTALL, Step.UPGRADE, Step.ROLLBACK)),
    *((Step.ADOPTION, chart) for chart in ("deterministic", "looked up")),
]


@dataclasses.dataclass
class Run:
    """One run of the operation, which was disturbed at `point` or (None) not at all."""

    name: str
    point: Point | None
    reached: bool
    writes: list[Sent]
    outcome: dict
    passwords: list[str] = dataclasses.field(default_factory=list)
    effects: collections.Counter = dataclasses.field(default_factory=collections.Counter)


class Lane:
    """A namespace with an operator behind a proxy, in which one run follows another."""

    def __init__(self, cluster, folder, kubeconfig, step: Step):
        self.cluster = cluster
        self.step = step
        self.namespace = cluster.create_namespace("e2e")
        self.runs: list[Run] = []
        self._passwords = Passwords(cluster.kube, self.namespace)
        self._jobs = JobPlayer(cluster.kube, self.namespace)
        self._proxy = FaultProxy(cluster.kube.connection.access)
        path = folder / f"{self.namespace}.kubeconfig"
        self._operator = Operator(
            OperatorOptions(
                self._proxy.kubeconfig(kubeconfig, cluster.kubectl.binary, path),
                namespaces=(self.namespace, "default"),
                arguments=("--reconcile-period=0",),
                cwd=folder,
            )
        )

    def __enter__(self) -> "Lane":
        self._jobs.__enter__()
        self._proxy.__enter__()
        return self

    def __exit__(self, *_exc) -> None:
        self._operator.close()
        self._proxy.__exit__()
        self._jobs.__exit__()
        self.cluster.kube.delete("v1/Namespace", self.namespace)

    def widget(self, number: int) -> CustomResource:
        """Returns the custom resource of a run, which need not exist."""
        return CustomResource(self.cluster, WIDGET, self.namespace, f"w{number}")

    def learn(self) -> None:
        """Starts the operator, and runs the operation undisturbed."""
        self._operator.start()
        self._prepare([self.widget(0)])
        self._run(None)

    def crash(self, at: list[Point]) -> None:
        """Runs the operation once for each of these points."""
        assert self.step is not Step.ADOPTION or len(at) < ADOPTED
        self._prepare([self.widget(number) for number in range(1, 1 + len(at))])
        for point in at:
            self._run(point)

    def _prepare(self, widgets: list[CustomResource]) -> None:
        for step in BEFORE[self.step]:
            for widget in widgets:
                step.take(widget)
            for widget in widgets:
                step.wait(widget)
        self._proxy.wait_quiet(QUIET_SECONDS)

    def _run(self, point: Point | None) -> None:
        widget = self.widget(len(self.runs))
        crash = self._proxy.fault = Crash(self._proxy, self._operator, point)
        deadline = time.monotonic() + TIMEOUT_SECONDS
        before = uids(widget)
        self.step.take(widget)
        if point:
            while not crash.happened.wait(POLL_SECONDS) and not self.step.is_done(widget):
                assert time.monotonic() < deadline, f"no write {point.number}: {crash.writes}"
            if crash.happened.wait(2 * QUIET_SECONDS):  # A last write may follow.
                self._operator.revive()
        self.step.wait(widget)
        self._proxy.wait_quiet(QUIET_SECONDS)
        self._proxy.fault = Fault()
        reached = crash.happened.is_set()
        found = {**outcome(widget), "kept": kept(before, uids(widget), widget.namespace)}
        self.runs.append(Run(widget.name, point, reached, crash.writes, found))

    def clear(self) -> None:
        """Has the operator remove everything: no finalizer may stay."""
        count = len(self.runs)
        if self.step is Step.ADOPTION:  # More were made than were needed.
            for number in range(count, ADOPTED):
                self.step.take(self.widget(number))
            count = ADOPTED
        widgets = [self.widget(number) for number in range(count)]
        if self.step is not Step.UNINSTALL:
            for widget in widgets:
                widget.delete()
        for widget in widgets:
            Step.UNINSTALL.wait(widget)
        self._passwords.end()
        for run in self.runs:
            run.passwords = self._passwords.found[f"{run.name}-login"]


class Passwords:
    """Follows the Secrets of a namespace, and notes the passwords that each had, in order."""

    def __init__(self, kube, namespace: str):
        self._kube = kube
        self._namespace = namespace
        self.found: dict[str, list[str]] = collections.defaultdict(list)
        version = listed_version(kube, namespace)
        self._thread = threading.Thread(target=self._follow, args=(version,), daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Returns when all that was written before is noted."""
        fence = {"name": "fence", "namespace": self._namespace}
        self._kube.create({"apiVersion": "v1", "kind": "Secret", "metadata": fence})
        self._thread.join(TIMEOUT_SECONDS)
        assert not self._thread.is_alive()

    def _follow(self, version: str) -> None:
        events = self._kube.watch(
            SECRET, self._namespace, resource_version=version, timeout_seconds=10 * TIMEOUT_SECONDS
        )
        for event, obj in events:
            name = obj["metadata"]["name"]
            if name == "fence":
                return
            if name.endswith("-login") and event != "DELETED":
                password = obj["data"]["password"]
                if self.found[name][-1:] != [password]:
                    self.found[name].append(password)


def listed_version(kube, namespace: str) -> str:
    """Returns a version from which on the Secrets of a namespace can be watched."""
    listed = kube.request("GET", kube.path(SECRET, None, namespace))
    return listed["metadata"]["resourceVersion"]


def plain(name: str, widget: str, namespace: str) -> str:
    """Returns the name of an object as it would be for any run."""
    name = re.sub("-unique-.*", "-unique", name)
    return name.replace(namespace, "NAMESPACE").replace(widget, "w", 1)


def objects(widget: CustomResource) -> list[tuple[str, dict]]:
    """Returns the kind and content of each object of a release that is not terminating."""
    places = [(kind, widget.namespace) for kind in KINDS]
    return [
        (kind, obj)
        for kind, namespace in [*places, (CONFIGMAP, "default")]
        for obj in widget.kube.list(kind, namespace)
        if obj["metadata"]["name"].startswith(f"{widget.name}-")
        and (namespace != "default" or obj["metadata"]["name"] == f"{widget.name}-{widget.namespace}")
        and "deletionTimestamp" not in obj["metadata"]
    ]


def uids(widget: CustomResource) -> dict[str, str]:
    """Returns the uids of the objects of a release by kind and name."""
    return {f"{kind} {obj['metadata']['name']}": obj["metadata"]["uid"] for kind, obj in objects(widget)}


def kept(before: dict[str, str], after: dict[str, str], namespace: str) -> list[str]:
    """Returns which objects are the same as before, without the names of their release."""
    same = (name.partition("-")[2] for name, uid in before.items() if after.get(name) == uid)
    return sorted(name.replace(namespace, "NAMESPACE") for name in same)


def children(widget: CustomResource) -> dict:
    """Returns what there is of a release: generation and content by kind and name."""
    found = collections.defaultdict(list)
    for kind, obj in objects(widget):
        name = obj["metadata"]["name"]
        content = obj.get("data") or (obj.get("spec") if kind == POLICY else None)
        if kind == STATEFULSET:
            content = obj["spec"]["podManagementPolicy"]
        if name.endswith("-login"):
            content = "a password"
        short = f"{kind} {plain(name, widget.name, widget.namespace)}"
        found[short].append((obj["metadata"].get("generation"), content))
    return found


def outcome(widget: CustomResource) -> dict:
    """Returns everything that must be the same whether the operator was killed or not."""
    found = {"children": children(widget)}
    obj = widget.kube.find(WIDGET, widget.name, widget.namespace)
    if obj is None:
        return found
    status = obj["status"]
    return {
        **found,
        "records": releases.records(widget),
        "revision": status["revision"],
        "history": [(one["revision"], one["status"], one["description"]) for one in status["history"]],
        "attempt": status.get("attempt"),
        "conditions": {one["type"]: (one["status"], one["reason"]) for one in status["conditions"]},
        "finalizers": obj["metadata"].get("finalizers"),
        "passwords": len(releases.passwords(widget, status["revision"])),
    }


def effects(cluster, since, namespaces: set[str]) -> dict[tuple[str, str], collections.Counter]:
    """Returns what was created and deleted, how often, by namespace and custom resource."""
    found = collections.defaultdict(collections.Counter)
    requests = cluster.audit.requests(since, user=session.user_of(ACCOUNT), verb={"create", "patch", "delete"})
    for request in requests:
        # An apply that creates answers 201, too. A child elsewhere has the namespace in its name.
        verb = {201: "create", 200: "delete"}.get(request.code)
        if verb is None or (verb == "delete" and request.verb != "delete") or request.resource == "events":
            continue
        owner, _, rest = request.name.removeprefix("sh.helm.release.v1.").replace(".", "-", 1).partition("-")
        namespace = rest if rest in namespaces else request.namespace
        name = plain(request.name, owner, namespace)
        found[namespace, owner][f"{verb} {request.resource} {name}"] += 1
    return found


@pytest.fixture(name="kubeconfig", scope="module")
def crash_account(cluster):
    """The account of all operators, with all rights."""
    with session.admin_account(cluster, ACCOUNT) as kubeconfig:
        yield kubeconfig


@pytest.fixture(name="lanes")
def open_lanes(cluster, kubeconfig, tmp_path):
    """`lanes(CHART, STEP)` writes a project and returns the lanes for it."""
    with contextlib.ExitStack() as stack:

        def make(chart: str, step: Step) -> list[Lane]:
            write_project(tmp_path, chart, step)
            made = [
                stack.enter_context(Lane(cluster, tmp_path, kubeconfig, step)) for _ in range(LANES)
            ]
            if step is Step.ADOPTION:
                install_with_helm_operator(made, tmp_path, kubeconfig)
            return made

        yield make


def write_project(folder, chart: str, step: Step) -> None:
    """Writes watches.yaml, all.yaml for helm-operator, and the chart."""
    watch = session.WIDGET_WATCH
    if step is Step.ADOPTION:
        watch = watch.replace("}\n", ', selector: {matchLabels: {watched: "yes"}}}\n')
    files = {
        "watches.yaml": watch,
        "all.yaml": session.WIDGET_WATCH.replace("}\n", ", dryRunOption: server}\n"),
        "chart/Chart.yaml": "apiVersion: v2\nname: project\nversion: 1.0.0\n",
        **{f"chart/templates/{name}": text for name, text in CHARTS[chart].items()},
    }
    for part in ("templates", "operator"):
        (folder / "chart" / part).mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def install_with_helm_operator(lanes: list[Lane], folder, kubeconfig) -> None:
    """Has helm-operator install releases, more than are needed."""
    options = OperatorOptions(
        kubeconfig,
        watches_file="all.yaml",
        namespaces=(*(lane.namespace for lane in lanes), "default"),
        arguments=("--reconcile-period=1h",),
        cwd=folder,
        binary=oracle.build_helm_operator(),
        has_state_dir=False,
    )
    widgets = [lane.widget(number) for lane in lanes for number in range(ADOPTED)]
    with Operator(options) as process:
        for widget in widgets:
            widget.create({"text": "one"})
        for widget in widgets:
            widget.wait(
                lambda obj: "deployedRelease" in obj.get("status", {}),
                timeout_seconds=TIMEOUT_SECONDS,
                what="a release",
            )
        assert process.stop().code == 0


@pytest.mark.parametrize("step, chart", CASES, ids=[f"{step.value}-{chart}" for step, chart in CASES])
def test_an_operation_survives_a_crash_at_every_write(own_cluster, lanes, step, chart):
    since = own_cluster.audit.mark()
    opened = lanes(chart, step)
    # Operators end with the threads that start them.
    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        list(pool.map(Lane.learn, opened))
        counts = [len(lane.runs[0].writes) for lane in opened]
        where = points(max(counts))
        list(pool.map(Lane.crash, opened, [where[index::LANES] for index in range(LANES)]))
        list(pool.map(Lane.clear, opened))
    done = effects(own_cluster, since, {lane.namespace for lane in opened})
    for lane in opened:
        for run in lane.runs:
            run.effects = done[lane.namespace, run.name]
    undisturbed = opened[0].runs[0]
    print(*undisturbed.writes, undisturbed.effects, counts, sep="\n")
    check_undisturbed(undisturbed, step, chart)
    for run in [run for lane in opened for run in lane.runs]:
        told = f"{run.point} of {[str(sent) for sent in run.writes]}"
        assert run.outcome == undisturbed.outcome, told
        assert run.effects == undisturbed.effects, told
        assert len(run.passwords) == len(undisturbed.passwords), told
        # A few operations make a write more or less, by what comes first of their effects: an uninstall says
        # that it waits unless the children are gone by then.
        assert run.reached or run.point is None or run.point.number >= min(counts), told


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
