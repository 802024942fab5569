# SPDX-License-Identifier: Apache-2.0
"""Every union of the built-in kinds, as `union_search` finds them in the server: if somebody sets
another member than that of the chart, it is repaired, and an upgrade from one member to another
one ends with the other one alone. The judge is the API server.

The unions are in a table, so that a new version of Kubernetes shows new ones; with
`CW_WRITE_TABLES=1` it is written.
"""

import concurrent.futures
import dataclasses
import json
import os

import pytest

from e2e import raw_chart, union_search
from e2e.custom_resource import WIDGET, CustomResource, condition, remove_all
from e2e.raw_chart import NAME, manifest
from e2e.session import ensure_running
from e2e.test_immutables import is_answered, is_stalled
from e2e.union_forms import Schemas, Server, get, with_value
from e2e.union_search import THREADS, Form, Search, Union, text_of
from e2e.wrong_values import shape
from harness.connection import ApiError
from harness.kube import wait_until
from harness.paths import REPOSITORY

TABLE = REPOSITORY / "test" / "e2e" / "unions.txt"
# Of one custom resource.
CASES_MAX = 20
CONFLICTS_MAX = 5
ANSWER_MAX = 200
CHANGES_MIN = 400
# One operator repairs all of them; sanitizers make it slow.
PATIENCE_SECONDS = 180
# They change, or refuse, what else is in their namespace.
OF_NAMESPACES = ("v1/LimitRange", "v1/ResourceQuota")
# So that no pod is made or scheduled.
RESTS = {
    "apps/v1/Deployment": {"replicas": 0},
    "apps/v1/ReplicaSet": {"replicas": 0},
    "apps/v1/StatefulSet": {"replicas": 0},
    "v1/ReplicationController": {"replicas": 0},
    "batch/v1/Job": {"suspend": True},
    "batch/v1/CronJob": {"suspend": True},
    "v1/Pod": {"schedulerName": "none"},
}


@dataclasses.dataclass
class Case:
    """An object with one member of a union, and its form with another one."""

    number: int
    union: Union
    before: Form
    after: Form
    namespace: str
    refused: str = ""  # The answer of the server to the change; empty if it takes it.
    faults: list[str] = dataclasses.field(default_factory=list)

    def obj(self, form: Form) -> dict:
        """Returns the object of a form; its name is that of the release with the number."""
        obj = union_search.renamed(form.obj, f"{NAME}-{self.number}")
        obj["metadata"].pop("namespace", None)
        if self.union.kind.endswith("/CustomResourceDefinition"):
            # Each has a group of its own. A kind that is served, and whose webhook for conversions
            # does not answer, would hold up the end of each namespace of the cluster.
            obj = union_search.renamed(obj, f"{NAME}-{self.number}.example.com", "example.com")
            obj = with_value(obj, ("spec", "versions", 0, "served"), False)
        rests = RESTS.get(self.union.kind, {})
        if rests:
            obj["spec"] = {**rests, **obj["spec"]}
        if self.union.kind == "apps/v1/DaemonSet":
            obj["spec"]["template"]["spec"].setdefault("nodeSelector", {"none": "none"})
        return obj

    def live_name(self) -> str:
        """Returns the name of the object in the cluster."""
        name = self.obj(self.before)["metadata"]["name"]
        return name.replace(NAME, self.release())

    def release(self) -> str:
        """Returns the name of the custom resource of the case."""
        return f"u{self.number // CASES_MAX}"

    def live(self, kube) -> dict:
        """Returns the object in the cluster."""
        return kube.get(self.union.kind, self.live_name(), self.namespace)

    def struct(self, obj: dict) -> dict:
        """Returns the struct of the union in an object."""
        return get(obj, self.union.path) or {}

    def is_as(self, obj: dict, form: Form, other: Form) -> bool:
        """Reports whether an object has one form, and not the member of the other one."""
        struct = self.struct(obj)
        wanted = json.loads(json.dumps(self.struct(self.obj(form))).replace(NAME, self.release()))
        if not self.union.path:
            wanted = {key: wanted[key] for key in form.struct}
        is_other = struct.get(other.member) == other.struct[other.member]
        is_there = struct.get(form.member) is not None or wanted[form.member] != {}
        return is_there and shows(struct, wanted) and (other.member in form.struct or not is_other)

    def __str__(self) -> str:
        place = f"{self.union.kind} {text_of(self.union.path)}"
        return f"{place}: {self.before.label} -> {self.after.label}"


def shows(live, wanted) -> bool:
    """Reports whether `live` has everything that `wanted` has; what is empty may be absent, or have
    defaults.
    """
    if wanted == {}:
        return True
    if not wanted:
        return not live
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(
            shows(live.get(key), value) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(live, list) and len(live) == len(wanted) and all(map(shows, live, wanted))
    return live == wanted


def cases_of(unions: list[Union], namespaces: tuple[str, str]) -> list[Case]:
    """Returns each pair of the unions in both directions."""
    cases: list[Case] = []
    for union in sorted(unions, key=lambda union: union.kind in OF_NAMESPACES):
        namespace = namespaces[union.kind in OF_NAMESPACES]
        for one, two in union.cover():
            for before, after in ((one, two), (two, one)):
                cases.append(Case(len(cases), union, before, after, namespace))
    return cases


class Run:
    """All cases, by one operator."""

    def __init__(self, cluster, process, cases: list[Case]):
        self._kube, self._process = cluster.kube, process
        self._cases = cases
        self._pool = concurrent.futures.ThreadPoolExecutor(THREADS)
        self._releases: dict[str, list[Case]] = {}
        for case in cases:
            self._releases.setdefault(f"{case.namespace}/{case.release()}", []).append(case)
        self._resources = {
            key: CustomResource(cluster, WIDGET, *key.split("/")) for key in self._releases
        }

    def run(self) -> None:
        """Installs, lets somebody set other members, repairs, and upgrades."""
        for key, cases in self._releases.items():
            spec = manifest(*(case.obj(case.before) for case in cases))
            self._resources[key].create(spec)
        self._await_releases("install")
        self._process.stop()
        list(self._pool.map(self._drift, self._cases))
        ensure_running(self._process)
        drifted = [case for case in self._cases if not case.refused]
        self._await_forms(drifted, "repair", lambda case: (case.before, case.after))
        for key, cases in self._releases.items():
            objects = (case.obj(case.before if case.refused else case.after) for case in cases)
            self._resources[key].patch(manifest(*objects))
        self._await_releases("upgrade")
        self._await_forms(drifted, "upgrade", lambda case: (case.after, case.before))

    def _await_releases(self, what: str) -> None:
        for key, cases in self._releases.items():
            obj = self._resources[key].wait(is_answered, what=f"the {what} of {key}")
            if is_stalled(obj):
                message = condition(obj, "Stalled")["message"]
                cases[0].faults.append(f"{what} of {[str(case) for case in cases]}: {message}")

    def _drift(self, case: Case) -> None:
        """Replaces the object by its other form; where some fields must stay, by that with them."""
        text = json.dumps(case.obj(case.after)).replace(NAME, case.release())
        for keep in (False, True):
            case.refused = self._replace(case, json.loads(text), keep=keep)
            if not case.refused:
                return

    def _replace(self, case: Case, obj: dict, *, keep: bool) -> str:
        """Returns the refusal, if it is one."""
        for _ in range(CONFLICTS_MAX):
            live = case.live(self._kube)
            if keep:
                struct = {**case.struct(live), **case.struct(obj)}
                for key in case.before.struct.keys() - case.after.struct.keys():
                    struct.pop(key, None)
                obj = with_value(live, case.union.path, struct)
            try:
                reply = self._kube.replace({**obj, "metadata": live["metadata"]})
                if case.is_as(reply, case.before, case.after):
                    case.faults.append(f"nothing is changed by {case}")
                return ""
            except ApiError as error:
                if error.code != 409:
                    return error.message
        return "there are always conflicts"

    def _await_forms(self, cases: list[Case], what: str, forms) -> None:
        left = {case.number: (case, None) for case in cases}

        def look() -> bool:
            for case, live in self._pool.map(
                lambda case: (case, case.live(self._kube)), [case for case, _ in left.values()]
            ):
                if case.is_as(live, *forms(case)):
                    del left[case.number]
                else:
                    left[case.number] = (case, live)
            return not left

        try:
            wait_until(look, timeout_seconds=PATIENCE_SECONDS, what=what)
        except AssertionError:
            for case, live in left.values():
                case.faults.append(f"{what} of {case}: {json.dumps(case.struct(live))}")


@pytest.fixture(scope="module", name="search")
def start_search(cluster):
    """The search, when it has ended."""
    namespace = cluster.create_namespace("unions")
    search = Search(Server(cluster.kube, namespace), Schemas(cluster.kube))
    search.run()
    cluster.abandon_namespace(namespace)
    return search


@pytest.fixture(scope="module", name="cases")
def run_cases(cluster, search, shared_operators, tmp_path_factory):
    """All cases, when they have run."""
    namespaces = (cluster.create_namespace("unions"), cluster.create_namespace("unions"))
    cases = cases_of(search.unions, namespaces)
    with raw_chart.started(cluster, tmp_path_factory.mktemp("unions")) as process:
        shared_operators["all_unions_process"] = process
        Run(cluster, process, cases).run()
        ensure_running(process)
        for namespace in namespaces:
            remove_all(cluster, WIDGET, namespace)
    for namespace in namespaces:
        cluster.abandon_namespace(namespace)
    return cases


def line_of(union: Union, cases: list[Case]) -> dict:
    """Returns the line of a union in the table: `fixed` has the changes that the server refuses."""
    line = {
        "kind": union.kind,
        "path": text_of(union.path),
        "members": [form.label for form in union.forms],
        "pairs": len(union.pairs),
        "answer": short(union.refusal),
    }
    fixed = {
        f"{case.before.label} -> {case.after.label}": shape(case.refused).rpartition(" ")[0]
        for case in cases
        if case.refused
    }
    if len(fixed) == len(cases):
        fixed = {"all": min(fixed.values())}
    return {**line, "fixed": fixed} if fixed else line


def short(answer: str) -> str:
    """Returns the first words of an answer."""
    return answer if len(answer) <= ANSWER_MAX else answer[:ANSWER_MAX].rpartition(" ")[0]


def lines_of(search: Search, cases: list[Case]) -> list[dict]:
    """Returns the lines of the table; at its end are the members that were not valid alone."""
    by_union: dict[int, list[Case]] = {}
    for case in cases:
        by_union.setdefault(id(case.union), []).append(case)
    lines = [line_of(union, by_union[id(union)]) for union in search.unions]
    for kind, path, label, answer in search.untried:
        lines.append({"kind": kind, "path": path, "untried": label, "answer": short(answer)})
    return lines


def key_of(line: dict) -> str:
    """Returns a line of the table without the words of the server."""
    return json.dumps({**line, "answer": "", "fixed": sorted(line.get("fixed", ()))})


def test_each_union_is_in_the_table(cluster, search, cases):
    lines = lines_of(search, cases)
    if "CW_WRITE_TABLES" in os.environ:
        TABLE.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    table = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
    found, known = {key_of(line) for line in lines}, {key_of(line) for line in table}
    assert sorted(found - known) == []
    # Another cluster may have other versions, or less switched on.
    assert cluster.external or sorted(known - found) == []


def test_drift_and_upgrades_end_with_what_the_chart_says(search, cases):
    changed = [case for case in cases if not case.refused]
    counts = {
        "kinds": search.kinds,
        "structs": search.structs,
        "unions": len(search.unions),
        "pairs": sum(len(union.pairs) for union in search.unions),
        "drifts and upgrades": len(changed),
        "refused": len(cases) - len(changed),
    }
    print(counts)
    assert counts["drifts and upgrades"] >= CHANGES_MIN
    faults = [fault for case in cases for fault in case.faults]
    assert not faults, "\n".join(faults)
