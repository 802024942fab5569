# SPDX-License-Identifier: Apache-2.0
"""Custom resources that meet in one object, in every role, created and deleted in every order.

After each step: those who still want a field have it, nobody fights, and a custom resource whose
patch is refused names the other one.
"""

import dataclasses
import itertools
import json

import pytest

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, WIDGET, CustomResource, condition, remove_all
from harness.kube import Kube, wait_until
from harness.operator import Operator, OperatorOptions

ACCOUNT = "chartwright-e2e-shared"
OBJECT = "met"
# Roles in which a custom resource owns the object.
OWNING = ("child", "adopted", "hook")

# The spec says which role a custom resource has in the object, and with which data.
CHILD = """{{- with .Values.child }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $.Values.object }}, labels: {child: "yes"}}
data: {{ toJson . }}
{{- end }}
"""
HOOK = """{{- with .Values.hook }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $.Values.object }}
  annotations: {helm.sh/hook: "post-install,post-upgrade"}
data: {{ toJson . }}
{{- end }}
"""
PATCH = """{{- with .Values.patch }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $.Values.object }}}
data: {{ toJson . }}
{{- end }}
"""
RULES = """
allowEmpty: true
related:
  read: {apiVersion: v1, kind: ConfigMap, name: '{{ .CR.spec.reads | default "none" }}'}
"""
STATUS = """{{- range .Related.read }}
seen: {{ toJson .data }}
{{- end }}
"""


@dataclasses.dataclass
class Meeting:
    """A namespace, the operator in it, and the object that all meet in."""

    kube: Kube
    audit: object
    namespace: str
    operator: Operator

    def member(self, name: str) -> CustomResource:
        """Returns a custom resource, which need not exist."""
        return CustomResource(self, WIDGET, self.namespace, name)

    def found(self) -> dict | None:
        """Returns the object, or None."""
        return self.kube.find(CONFIGMAP, OBJECT, self.namespace)

    def settle(self) -> None:
        """Waits for rest, and proves that nobody writes again when all are asked to.

        Those that were refused are asked once more before: what was in their way may be gone.
        """
        self.touch_all()
        mark = self.audit.mark()
        self.touch_all()
        assert self.writes(mark) == []

    def touch_all(self) -> None:
        """Asks all custom resources for a reconcile, at rest, and waits for rest again."""
        meters.wait_at_rest(self.operator, quiet_seconds=1.2)  # An old hook may be about to go.
        for obj in self.kube.list(WIDGET, self.namespace):
            self.member(obj["metadata"]["name"]).touch()
        meters.wait_at_rest(self.operator, quiet_seconds=1.2)

    def writes(self, since) -> list[str]:
        """Returns the operator's writes of ConfigMaps since then that were not refused."""
        return [
            f"{one.verb} {one.uri} {one.name}"
            for one in self.audit.requests(since, user=session.user_of(ACCOUNT))
            if one.is_write() and one.resource == "configmaps" and one.code < 300
        ]


@pytest.fixture(name="meeting")
def new_meeting(own_cluster, namespace, tmp_path):
    """A meeting with its operator, which has all rights."""
    files = {
        "Chart.yaml": "apiVersion: v2\nname: shared\nversion: 1.0.0\n",
        "values.yaml": f"object: {OBJECT}\n",
        "templates/child.yaml": CHILD,
        "templates/hook.yaml": HOOK,
        "operator/patches/patch.yaml": PATCH,
        "operator/operator.yaml": RULES,
        "operator/status.yaml": STATUS,
    }
    for name, text in files.items():
        path = tmp_path / "chart" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    entry = {"group": "e2e.chartwright.io", "version": "v1", "kind": "Widget", "chart": "chart"}
    (tmp_path / "watches.yaml").write_text(json.dumps([entry]), encoding="utf-8")
    with session.admin_account(own_cluster, ACCOUNT) as kubeconfig:
        operator = Operator(
            OperatorOptions(
                kubeconfig,
                cwd=tmp_path,
                watches_file=tmp_path / "watches.yaml",
                namespaces=(namespace,),
                arguments=("--reconcile-period=0",),
            )
        )
        with operator:
            meeting = Meeting(own_cluster.kube, own_cluster.audit, namespace, operator)
            yield meeting
            remove_all(own_cluster, WIDGET, namespace)


def make_object(meeting: Meeting, name: str = OBJECT, adoptable_by: str | None = None) -> None:
    """Creates the object, as somebody else, who consents to its adoption by a custom resource."""
    metadata: dict = {"name": name, "namespace": meeting.namespace}
    if adoptable_by:
        metadata["annotations"] = {
            "chartwright.io/adoptable-by": f"{meeting.namespace}/{adoptable_by}"
        }
    meeting.kube.create(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"own": "x"}}
    )


def refusal(meeting: Meeting, name: str) -> str:
    """Returns why the patch of a custom resource is not in force, or nothing."""
    ready = condition(meeting.member(name).get(), "Ready")
    return ready["message"] if ready.get("reason") == "PatchRefused" else ""


def end(meeting: Meeting, name: str) -> None:
    """Deletes a custom resource, and waits until it is gone."""
    member = meeting.member(name)
    member.delete()
    member.wait_gone()


@dataclasses.dataclass
class Case:
    """Custom resources that meet in an object of their own, in one order."""

    meeting: Meeting
    roles: tuple[str, ...]
    first: tuple[int, ...]  # The order in which they are created and changed.
    last: tuple[int, ...]  # That in which they are deleted.
    data: dict[int, dict] = dataclasses.field(default_factory=dict)  # Wanted by those that exist.
    owner: str | None = None

    def object_name(self) -> str:
        """Returns the name of the object."""
        order = "".join(map(str, self.first + self.last))
        return "-".join((*self.roles, order))

    def name(self, number: int) -> str:
        """Returns the name of a custom resource."""
        return f"{self.object_name()}-{number}"

    def prepare(self) -> None:
        """Creates the object as somebody else, if that is to be adopted or nobody else would."""
        if "adopted" in self.roles or not {"child", "hook"} & set(self.roles):
            adopting = [n for n, role in enumerate(self.roles) if role == "adopted"]
            by = self.name(adopting[0]) if adopting else None
            make_object(self.meeting, self.object_name(), by)

    def spec(self, number: int, changes: dict) -> dict:
        """Returns the spec of a custom resource in its role."""
        role = self.roles[number]
        if role == "related":
            return {"reads": self.object_name()}
        key = "child" if role == "adopted" else role
        return {"object": self.object_name(), key: changes}

    def begin(self, number: int) -> None:
        """Creates a custom resource."""
        self.data[number] = {f"by-{number}": "1"}
        annotations = {"chartwright.io/adopt": "true"} if self.roles[number] == "adopted" else None
        spec = self.spec(number, self.data[number])
        self.meeting.member(self.name(number)).create(spec, annotations)

    def change(self, number: int) -> None:
        """Changes a field, and adds another one."""
        self.data[number] = {f"by-{number}": "2", f"more-{number}": "2"}
        spec = self.spec(number, self.data[number])
        self.meeting.member(self.name(number)).patch(spec)
        self.give_way(number)

    def give_way(self, number: int) -> None:
        """A hook that runs again replaces its object, and another that wants it may be faster."""
        if self.roles[number] == "hook" and self.owner == self.name(number):
            self.owner = None

    def drop(self, number: int) -> None:
        """Gives up a field."""
        self.data[number] = {f"more-{number}": "2"}
        spec = self.spec(number, {f"by-{number}": None, **self.data[number]})
        self.meeting.member(self.name(number)).patch(spec)
        self.give_way(number)

    def end(self, number: int) -> None:
        """Deletes a custom resource, and waits for the end of what it owns."""
        name, before = self.name(number), self.found()
        end(self.meeting, name)
        data = self.data.pop(number)
        if before and name == self.owner:
            self.owner = None
            self.meeting.kube.wait(
                CONFIGMAP,
                self.object_name(),
                self.meeting.namespace,
                lambda obj: obj is None or obj["metadata"]["uid"] != before["metadata"]["uid"],
                what="the end of what it owned",
            )
        elif self.roles[number] == "patch" and (found := self.found()):
            assert not data.keys() & found["data"].keys(), (name, found)

    def found(self) -> dict | None:
        """Returns the object, or None."""
        return self.meeting.kube.find(CONFIGMAP, self.object_name(), self.meeting.namespace)

    def check(self) -> None:
        """Asserts that each has what it wants, or a condition that says what is in its way."""
        found = self.found()
        if found is None:
            assert not {self.roles[number] for number in self.data} & set(OWNING), self
            return
        owners = [one["name"] for one in found["metadata"].get("ownerReferences", [])]
        assert len(owners) <= 1, found
        owner = owners[0] if owners else None
        assert self.owner in (None, owner), (self, found)  # It is not taken away.
        self.owner = owner
        for number, data in self.data.items():
            self.check_one(number, data, found)

    def check_one(self, number: int, data: dict, found: dict) -> None:
        """The same for one of them."""
        name, role = self.name(number), self.roles[number]
        obj = self.meeting.member(name).get()
        if role == "related":
            assert obj["status"]["seen"] == found["data"], (obj, found)
        elif role == "patch" and self.owner:
            assert self.owner in refusal(self.meeting, name), (obj, found)
        elif role == "patch" or name == self.owner:
            assert data.items() <= found["data"].items(), (obj, found)
            assert refusal(self.meeting, name) == ""
        else:
            assert condition(obj, "Ready").get("status") != "True", obj
            assert self.object_name() in json.dumps(obj["status"]["conditions"]), obj


def go_through(meeting: Meeting, cases: list[Case]) -> None:
    """Goes through all steps of all cases at the same time."""
    for case in cases:
        case.prepare()
    count = len(cases[0].roles)
    for step in (Case.begin, Case.change, Case.drop, Case.end):
        for turn in range(count):
            for case in cases:
                order = case.last if step is Case.end else case.first
                step(case, order[turn])
            meeting.settle()
            for case in cases:
                case.check()


# At most one of them owns the object; two that would are among the triples. Those that are refused
# try again and again, and too many of them would never be at rest.
PAIRS = [
    pair
    for pair in itertools.combinations_with_replacement(
        ("child", "adopted", "hook", "patch", "related"), 2
    )
    if "patch" in pair or ("related" in pair and pair != ("related", "related"))
]
TRIPLES = [
    ("child", "patch", "patch"),
    ("child", "patch", "related"),
    ("child", "child", "patch"),
    ("adopted", "patch", "patch"),
    ("hook", "child", "patch"),
    ("patch", "patch", "patch"),
    ("patch", "patch", "related"),
]


def test_two_that_meet_keep_what_is_theirs(meeting):
    orders = list(itertools.permutations(range(2)))
    cases = [
        Case(meeting, pair, first, last) for pair in PAIRS for first in orders for last in orders
    ]
    go_through(meeting, cases)


def test_three_that_meet_keep_what_is_theirs(meeting):
    orders = list(itertools.permutations(range(3)))
    cases = [
        Case(meeting, roles, first, last)
        for roles in TRIPLES
        for first, last in zip(orders, orders[2:] + orders[:2], strict=True)
    ]
    go_through(meeting, cases)


@pytest.mark.parametrize("goes", ["first", "second"])
def test_two_values_of_one_field_are_a_condition_of_both(meeting, goes):
    make_object(meeting)
    first, second = meeting.member("first"), meeting.member("second")
    first.create({"patch": {"color": "red"}})
    first.wait_ready()
    mark = meeting.audit.mark()
    second.create({"patch": {"color": "blue", "more": "1"}})
    ready = second.wait_condition("Ready", "False", "PatchRefused")
    assert f"{meeting.namespace}/first" in ready["message"]
    assert "data.color" in ready["message"]
    contested = first.wait_condition("Contested", "True", "PatchConflict")
    assert f"{meeting.namespace}/second" in contested["message"]
    meeting.settle()
    assert len(meeting.writes(mark)) <= 3
    assert meeting.found()["data"] == {"own": "x", "color": "red", "more": "1"}
    end(meeting, goes)
    meeting.settle()
    if goes == "first":
        second.wait_ready()
        assert meeting.found()["data"] == {"own": "x", "color": "blue", "more": "1"}
    else:
        first.wait_condition("Contested", None)
        assert meeting.found()["data"] == {"own": "x", "color": "red"}


def test_three_that_set_one_value_share_it(meeting):
    make_object(meeting)
    names = ["a", "b", "c"]
    for name in names:
        meeting.member(name).create({"patch": {"color": "red", f"by-{name}": "1"}})
        meeting.member(name).wait_ready()
    meeting.settle()
    for gone, name in enumerate(names, start=1):
        end(meeting, name)
        meeting.settle()
        left = {f"by-{other}": "1" for other in names[gone:]}
        wanted = {"own": "x", **left, **({"color": "red"} if left else {})}
        assert meeting.found()["data"] == wanted


def shared_fields(meeting: Meeting, kind: str, name: str) -> None:
    """Hands the fields of all custom resources of an object to the manager of earlier versions."""
    obj = meeting.kube.get(kind, name, meeting.namespace)
    managers = obj["metadata"]["managedFields"]
    for entry in managers:
        if entry["manager"].startswith("chartwright-") and entry["operation"] == "Apply":
            entry["manager"] = "chartwright"
    meeting.kube.patch(kind, name, meeting.namespace, {"metadata": {"managedFields": managers}})


def test_what_earlier_versions_applied_moves_by_one_write_each(meeting):
    make_object(meeting)
    owner, patcher = meeting.member("owner"), meeting.member("patcher")
    owner.create({"object": "mine", "child": {"a": "1", "b": "2"}})
    patcher.create({"patch": {"color": "red"}})
    owner.wait_ready()
    patcher.wait_ready()
    meters.wait_at_rest(meeting.operator)
    meeting.operator.stop()
    before = {}
    for name in ("mine", OBJECT):
        shared_fields(meeting, CONFIGMAP, name)
        before[name] = meeting.kube.get(CONFIGMAP, name, meeting.namespace)

    mark = meeting.audit.mark()
    meeting.operator.start()
    meters.wait_at_rest(meeting.operator)
    written = [
        f"{one.verb} {one.name}"
        for one in meeting.audit.requests(mark, user=session.user_of(ACCOUNT))
        if one.is_write() and one.resource == "configmaps"
    ]
    assert sorted(written) == [f"patch {OBJECT}", "patch mine"]
    for name, member in (("mine", owner), (OBJECT, patcher)):
        after = meeting.kube.get(CONFIGMAP, name, meeting.namespace)
        names = {entry["manager"] for entry in after["metadata"]["managedFields"]}
        assert member.manager() in names
        assert "chartwright" not in names
        for obj in (after, before[name]):
            del obj["metadata"]["managedFields"], obj["metadata"]["resourceVersion"]
        assert after == before[name]
    meeting.operator.stop()
    mark = meeting.audit.mark()
    meeting.operator.start()
    meters.wait_at_rest(meeting.operator)
    assert meeting.writes(mark) == []
    # A field that is no longer rendered goes, as if it had never had another manager.
    owner.patch({"child": {"b": None}})
    wait_until(
        lambda: meeting.kube.get(CONFIGMAP, "mine", meeting.namespace)["data"] == {"a": "1"},
        what="the field to go",
    )
    end(meeting, "patcher")
    assert meeting.found()["data"] == {"own": "x"}
