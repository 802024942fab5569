# SPDX-License-Identifier: Apache-2.0
"""Kills the operator at every single write of an operation, and compares what comes of it.

An undisturbed run shows how many writes the operation makes, and what it leads to. Then it is
repeated once for each write: a proxy kills the operator there, another one starts, and everything
must be as after the undisturbed run.
"""

import collections
import concurrent.futures
import contextlib
import dataclasses
import enum
import json
import os
import pathlib
import re
import threading
import time
from collections.abc import Callable, Iterable

from e2e import releases, session
from e2e.custom_resource import (
    CONFIGMAP,
    SECRET,
    STATEFULSET,
    WIDGET,
    CustomResource,
    condition,
    is_current,
    is_ready,
)
from harness import oracle
from harness.audit import Mark
from harness.cluster import Cluster
from harness.fault_proxy import Cut, Fault, FaultProxy, Sent
from harness.jobs import JobPlayer
from harness.kube import Kube
from harness.operator import Operator, OperatorOptions

ACCOUNT = "chartwright-e2e-crash"
JOB = "batch/v1/Job"
POLICY = "networking.k8s.io/v1/NetworkPolicy"
POD = "v1/Pod"
KINDS = (CONFIGMAP, SECRET, POLICY, JOB, STATEFULSET, POD)
# Both moments of each write. The one before a write finds the cluster as the one after the write
# before.
EVERYTHING = "CHARTWRIGHT_CRASH_EVERYWHERE" in os.environ
LANES = 4
QUIET_SECONDS = 0.4
# How many releases of helm-operator there are in a lane.
ADOPTED = 9 if EVERYTHING else 5
POLL_SECONDS = 0.1
TIMEOUT_SECONDS = 60.0


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


def points(writes: int, moments: Iterable[Moment]) -> list[Point]:
    """Returns where to kill an operator that makes so many writes."""
    return [Point(number, moment) for number in range(1, writes + 1) for moment in moments]


class Step(enum.Enum):
    """A thing that a user does with a release."""

    INSTALL = "install"
    UPGRADE = "upgrade"
    ROLLBACK = "rollback"
    UNINSTALL = "uninstall"
    ADOPTION = "adoption"  # Of a release of helm-operator, which the operator does not see before.
    FAILED_INSTALL = "failed install"
    FAILED_UPGRADE = "failed upgrade"
    FAILED_ROLLBACK = "failed rollback"
    FAILED_UNINSTALL = "failed uninstall"
    STUCK_INSTALL = "failed install that is not undone, either"
    STUCK_UPGRADE = "failed upgrade that is not undone, either"
    REPEATED_ROLLBACK = "repeated rollback"  # The cause of its failure is gone.
    REPEATED_UNINSTALL = "repeated uninstall"

    def take(self, widget: CustomResource) -> None:
        """Does it, and does not wait for its end."""
        if self is Step.INSTALL:
            widget.create({"text": "one"})
        elif self is Step.UPGRADE:
            widget.patch({"text": "two"})
        elif self in (Step.FAILED_INSTALL, Step.STUCK_INSTALL):
            widget.create({"text": "bad"})
        elif self in (Step.FAILED_UPGRADE, Step.STUCK_UPGRADE):
            widget.patch({"text": "bad"})
        elif self in (Step.ROLLBACK, Step.FAILED_ROLLBACK):
            widget.annotate(rollback_to="1")
        elif self in (Step.UNINSTALL, Step.FAILED_UNINSTALL):
            widget.delete()
        elif self in (Step.REPEATED_ROLLBACK, Step.REPEATED_UNINSTALL):
            bring_remedy(widget)
            widget.touch()
        else:
            widget.kube.patch(WIDGET, widget.name, widget.namespace, WATCHED)

    def holds(self, obj: dict | None) -> bool:
        """Reports whether the operator has done its part, by the custom resource."""
        if obj is None or self in GONE:
            return obj is None and self in GONE
        if self in FAILED:
            return has_failed(obj)
        if self in (Step.STUCK_INSTALL, Step.STUCK_UPGRADE):
            return is_stuck(obj)
        number = {Step.UPGRADE: 2, Step.ROLLBACK: 3, Step.REPEATED_ROLLBACK: 4}.get(self)
        return is_ready(obj) and number in (None, obj["status"].get("revision"))

    def is_done(self, widget: CustomResource) -> bool:
        """Reports whether the operator has done its part."""
        return self.holds(widget.kube.find(WIDGET, widget.name, widget.namespace))

    def wait(self, widget: CustomResource) -> None:
        """Blocks until the operator has done its part."""
        widget.kube.wait(
            WIDGET,
            widget.name,
            widget.namespace,
            self.holds,
            timeout_seconds=TIMEOUT_SECONDS,
            what=self.value,
        )


GONE = (Step.UNINSTALL, Step.REPEATED_UNINSTALL)
FAILED = (
    Step.FAILED_INSTALL,
    Step.FAILED_UPGRADE,
    Step.FAILED_ROLLBACK,
    Step.FAILED_UNINSTALL,
)
# A hook of the deletion has failed.
HELD_UP = (Step.FAILED_UNINSTALL, Step.STUCK_INSTALL)
REMEDY = "remedy-{{ .Release.Name }}"


def bring_remedy(widget: CustomResource) -> None:
    """Creates the ConfigMap without which some hooks of the release fail."""
    metadata = {"name": f"remedy-{widget.name}", "namespace": widget.namespace}
    widget.kube.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})


def has_failed(obj: dict) -> bool:
    """Reports whether the current spec has failed, and whether that is undone if it is to be."""
    failed = obj.get("status", {}).get("pin", {}).get("failed", {"undone": True, "dryRun": None})
    is_settled = failed["undone"] and failed["dryRun"] != "Pending"
    return is_current(obj) and condition(obj, "Stalled").get("status") == "True" and is_settled


def is_stuck(obj: dict) -> bool:
    """Reports whether the current spec has failed, and a hook of what was to undo that."""
    status = obj.get("status", {})
    stays = not status.get("pin", {}).get("failed", {"undone": True})["undone"]
    hook_has_failed = "failure" in status.get("attempt", {})
    stalled = condition(obj, "Stalled").get("status") == "True"
    return is_current(obj) and stalled and stays and hook_has_failed


BEFORE = {
    Step.INSTALL: (),
    Step.FAILED_INSTALL: (),
    Step.STUCK_INSTALL: (),
    Step.UPGRADE: (Step.INSTALL,),
    Step.FAILED_UPGRADE: (Step.INSTALL,),
    Step.STUCK_UPGRADE: (Step.INSTALL,),
    Step.ROLLBACK: (Step.INSTALL, Step.UPGRADE),
    Step.FAILED_ROLLBACK: (Step.INSTALL, Step.UPGRADE),
    Step.REPEATED_ROLLBACK: (Step.INSTALL, Step.UPGRADE, Step.FAILED_ROLLBACK),
    Step.UNINSTALL: (Step.INSTALL,),
    Step.FAILED_UNINSTALL: (Step.INSTALL,),
    Step.REPEATED_UNINSTALL: (Step.INSTALL, Step.FAILED_UNINSTALL),
    Step.ADOPTION: (),
}
WATCHED = {"metadata": {"labels": {"watched": "yes"}}}


@dataclasses.dataclass(frozen=True)
class Project:
    """The input of the operator: files of the chart, by path, and options of the watch."""

    files: dict[str, str]
    options: dict = dataclasses.field(default_factory=dict)
    # Returns what belongs to the outcome beside the cluster.
    also: Callable[[CustomResource], dict] = lambda _: {}


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

    def __init__(
        self,
        cluster: Cluster,
        folder: pathlib.Path,
        kubeconfig: pathlib.Path | str,
        step: Step,
        also: Callable[[CustomResource], dict],
    ):
        self.cluster = cluster
        self.step = step
        self._also = also
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
        self.cluster.abandon_namespace(self.namespace)

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
        found = {
            **outcome(widget),
            "kept": kept(before, uids(widget), widget.namespace),
            **self._also(widget),
        }
        self.runs.append(Run(widget.name, point, reached, crash.writes, found))

    def clear(self) -> None:
        """Has the operator remove everything: no finalizer may stay."""
        count = len(self.runs)
        if self.step is Step.ADOPTION:  # More were made than were needed.
            for number in range(count, ADOPTED):
                self.step.take(self.widget(number))
            count = ADOPTED
        widgets = [self.widget(number) for number in range(count)]
        if self.step not in GONE:
            for widget in widgets:
                self._delete(widget)
        for widget in widgets:
            Step.UNINSTALL.wait(widget)
        self._passwords.end()
        for run in self.runs:
            run.passwords = self._passwords.found[f"{run.name}-login"]

    def _delete(self, widget: CustomResource) -> None:
        """Deletes it; a hook that has failed holds that up until it is tried again."""
        if self.step is not Step.FAILED_UNINSTALL:
            Step.UNINSTALL.take(widget)
        if self.step in HELD_UP:
            Step.REPEATED_UNINSTALL.take(widget)


class Passwords:
    """Follows the Secrets of a namespace, and notes the passwords that each had, in order."""

    def __init__(self, kube: Kube, namespace: str):
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


def listed_version(kube: Kube, namespace: str) -> str:
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
        and (
            namespace != "default" or obj["metadata"]["name"] == f"{widget.name}-{widget.namespace}"
        )
        and "deletionTimestamp" not in obj["metadata"]
    ]


def uids(widget: CustomResource) -> dict[str, str]:
    """Returns the uids of the objects of a release by kind and name."""
    return {
        f"{kind} {obj['metadata']['name']}": obj["metadata"]["uid"] for kind, obj in objects(widget)
    }


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
    history = status.get("history", [])
    return {
        **found,
        "records": releases.records(widget),
        "revision": status.get("revision"),
        "history": [
            (one["revision"], one["status"], common(one["description"], widget)) for one in history
        ],
        "attempt": progress(status.get("attempt"), widget),
        "dry run": status.get("pin", {}).get("failed", {}).get("dryRun"),
        "conditions": {one["type"]: (one["status"], one["reason"]) for one in status["conditions"]},
        "finalizers": obj["metadata"].get("finalizers"),
        "passwords": (
            len(releases.passwords(widget, status["revision"])) if status.get("revision") else 0
        ),
    }


def progress(attempt: dict | None, widget: CustomResource) -> dict | None:
    """Returns how far an attempt came that has failed."""
    if attempt is None:
        return None
    told = {key: attempt.get(key) for key in ("revision", "phase", "hooksDone")}
    return {**told, "failure": common(attempt["failure"], widget)}


def common(text: str, widget: CustomResource) -> str:
    """Returns a text without the names of a run."""
    return text.replace(widget.namespace, "NAMESPACE").replace(widget.name, "w")


def effects(
    cluster: Cluster, since: Mark, namespaces: set[str]
) -> dict[tuple[str, str], collections.Counter]:
    """Returns what was created and deleted, how often, by namespace and custom resource."""
    found = collections.defaultdict(collections.Counter)
    requests = cluster.audit.requests(
        since, user=session.user_of(ACCOUNT), verb={"create", "patch", "delete"}
    )
    for request in requests:
        # An apply that creates answers 201, too. A child elsewhere has the namespace in its name.
        verb = {201: "create", 200: "delete"}.get(request.code)
        if (
            verb is None
            or (verb == "delete" and request.verb != "delete")
            or request.resource == "events"
        ):
            continue
        if "dryRun=" in request.uri:
            continue
        owner, _, rest = (
            request.name.removeprefix("sh.helm.release.v1.").replace(".", "-", 1).partition("-")
        )
        namespace = rest if rest in namespaces else request.namespace
        name = plain(request.name, owner, namespace)
        found[namespace, owner][f"{verb} {request.resource} {name}"] += 1
    return found


def write_project(folder: pathlib.Path, project: Project, step: Step) -> None:
    """Writes watches.yaml, all.yaml for helm-operator, and the chart."""
    watch = {"group": "e2e.chartwright.io", "version": "v1", "kind": "Widget", "chart": "chart"}
    chosen = {"selector": {"matchLabels": {"watched": "yes"}}} if step is Step.ADOPTION else {}
    files = {
        "watches.yaml": json.dumps([{**watch, **project.options, **chosen}]),
        "all.yaml": json.dumps([{**watch, "dryRunOption": "server"}]),
        "chart/Chart.yaml": "apiVersion: v2\nname: project\nversion: 1.0.0\n",
        **{f"chart/{name}": text for name, text in project.files.items()},
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def install_with_helm_operator(
    lanes: list[Lane], folder: pathlib.Path, kubeconfig: pathlib.Path | str
) -> None:
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


@contextlib.contextmanager
def account(cluster: Cluster):
    """Provides the kubeconfig of the account of all operators, which has all rights."""
    with session.admin_account(cluster, ACCOUNT) as kubeconfig:
        yield kubeconfig


@contextlib.contextmanager
def lanes(
    cluster: Cluster,
    folder: pathlib.Path,
    kubeconfig: pathlib.Path | str,
    project: Project,
    step: Step,
):
    """Writes a project, and provides the lanes for it."""
    write_project(folder, project, step)
    with contextlib.ExitStack() as stack:
        made = [
            stack.enter_context(Lane(cluster, folder, kubeconfig, step, project.also))
            for _ in range(LANES)
        ]
        if step is Step.ADOPTION:
            install_with_helm_operator(made, folder, kubeconfig)
        yield made


def difference(run: Run, undisturbed: Run) -> dict:
    """Returns what is not the same in the outcomes of two runs: of the first, of the second."""
    names = run.outcome.keys() | undisturbed.outcome.keys()
    pairs = {name: (run.outcome.get(name), undisturbed.outcome.get(name)) for name in names}
    return {name: (one, other) for name, (one, other) in pairs.items() if one != other}


def crash_everywhere(opened: list[Lane], moments: Iterable[Moment] = (Moment.AFTER,)) -> Run:
    """Runs the operation undisturbed, and once for each of these moments of each of its writes;
    asserts that nothing differs. Returns the undisturbed run.
    """
    cluster = opened[0].cluster
    since = cluster.audit.mark()
    # Operators end with the threads that start them.
    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        list(pool.map(Lane.learn, opened))
        counts = [len(lane.runs[0].writes) for lane in opened]
        where = points(max(counts), Moment if EVERYTHING else moments)
        list(pool.map(Lane.crash, opened, [where[index::LANES] for index in range(LANES)]))
        list(pool.map(Lane.clear, opened))
    done = effects(cluster, since, {lane.namespace for lane in opened})
    for lane in opened:
        for run in lane.runs:
            run.effects = done[lane.namespace, run.name]
    undisturbed = opened[0].runs[0]
    print(*undisturbed.writes, undisturbed.effects, undisturbed.outcome, counts, sep="\n")
    for run in [run for lane in opened for run in lane.runs]:
        told = f"{run.point} of {[str(sent) for sent in run.writes]}"
        assert run.outcome == undisturbed.outcome, (difference(run, undisturbed), told)
        assert run.effects == undisturbed.effects, told
        assert len(run.passwords) == len(undisturbed.passwords), told
        # A few operations make a write more or less, by the order of their effects: an uninstall
        # says that it waits unless the children are gone by then.
        assert run.reached or run.point is None or run.point.number >= min(counts), told
    return undisturbed
