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
from e2e.custom_resource import CONFIGMAP, WIDGET, CustomResource, condition
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
        return next(
            (
                one
                for one in self.kube.list(CONFIGMAP, self.namespace)
                if one["metadata"]["name"] == OBJECT
            ),
            None,
        )

    def settle(self) -> None:
        """Waits for rest, and proves that nobody writes the object again when all are asked to."""
        meters.wait_at_rest(self.operator)
        mark = self.audit.mark()
        for obj in self.kube.list(WIDGET, self.namespace):
            self.member(obj["metadata"]["name"]).touch()
        meters.wait_at_rest(self.operator)
        assert self.writes(mark) == []

    def part(self) -> None:
        """Deletes all custom resources, which wait for the operator to give up their patches."""
        left = [self.member(obj["metadata"]["name"]) for obj in self.kube.list(WIDGET, self.namespace)]
        for member in left:
            member.delete()
        for member in left:
            member.wait_gone()

    def writes(self, since) -> list[str]:
        """Returns the operator's writes of the object since then."""
        return [
            f"{one.verb} {one.uri} {json.dumps(one.body)}"
            for one in self.audit.requests(since, user=session.user_of(ACCOUNT))
            if one.is_write() and one.resource == "configmaps" and one.name == OBJECT
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
            meeting.part()


def spec_of(role: str, data: dict) -> dict:
    """Returns the spec of a custom resource in that role."""
    if role == "related":
        return {"reads": OBJECT}
    return {"child" if role == "adopted" else role: data}


def begin(meeting: Meeting, name: str, role: str, data: dict) -> None:
    """Creates a custom resource in that role."""
    annotations = {"chartwright.io/adopt": "true"} if role == "adopted" else None
    meeting.member(name).create(spec_of(role, data), annotations)


def make_object(meeting: Meeting, adoptable_by: str | None = None) -> None:
    """Creates the object, as somebody else, who consents to its adoption by a custom resource."""
    metadata: dict = {"name": OBJECT, "namespace": meeting.namespace}
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


def wait_for_hook(meeting: Meeting, data: dict) -> None:
    """Waits for the object of a hook: the one of the run before may still be about to go."""

    def has_run() -> bool:
        found = meeting.found()
        return found is not None and data.items() <= found["data"].items()

    wait_until(has_run, what=f"a hook with {data}")


def check(meeting: Meeting, members: dict[str, tuple[str, dict]]) -> None:
    """Asserts that each has what it wants of the object, or a condition that says who has it."""
    for role, data in members.values():
        if role == "hook":
            wait_for_hook(meeting, data)
    meeting.settle()
    owners = [name for name, (role, _) in members.items() if role in OWNING]
    found = meeting.found()
    for name, (role, data) in members.items():
        if found is None:
            continue
        if role == "patch" and owners:
            assert f"{meeting.namespace}/{owners[0]}" in refusal(meeting, name)
        elif role != "related":
            assert data.items() <= found["data"].items(), (name, found)
            assert refusal(meeting, name) == ""
    if found is not None and owners:
        (reference,) = found["metadata"]["ownerReferences"]
        assert reference["name"] == owners[0]


def end(meeting: Meeting, name: str) -> None:
    """Deletes a custom resource, and the object if it owned that."""
    member = meeting.member(name)
    member.delete()
    member.wait_gone()


PAIRS = [("patch", "patch"), ("child", "patch"), ("adopted", "patch"), ("related", "patch"),
         ("hook", "patch")]  # fmt: skip
ORDERS = list(itertools.permutations("ab"))


@pytest.mark.parametrize("last", ORDERS, ids=lambda order: "end-" + "".join(order))
@pytest.mark.parametrize("first", ORDERS, ids=lambda order: "begin-" + "".join(order))
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_two_that_meet_keep_what_is_theirs(meeting, pair, first, last):
    roles = dict(zip("ab", pair))
    if not {"child", "hook"} & set(pair):
        make_object(meeting, "a" if pair[0] == "adopted" else None)
    members: dict[str, tuple[str, dict]] = {}
    for name in first:
        data = {f"by-{name}": "1"}
        begin(meeting, name, roles[name], data)
        members[name] = (roles[name], data)
        check(meeting, members)
    for name in first:
        data = {f"by-{name}": "2", f"more-{name}": "2"}
        meeting.member(name).patch(spec_of(roles[name], data))
        members[name] = (roles[name], data)
        check(meeting, members)
    for name in first:
        data = {f"more-{name}": "2"}
        meeting.member(name).patch(spec_of(roles[name], {f"by-{name}": None, **data}))
        members[name] = (roles[name], data)
        check(meeting, members)
    for name in last:
        end(meeting, name)
        role, data = members.pop(name)
        if role in OWNING:
            meeting.kube.wait_gone(CONFIGMAP, OBJECT, meeting.namespace)
        check(meeting, members)
        found = meeting.found()
        if found is not None and role == "patch":
            assert not data.keys() & found["data"].keys()


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
