# SPDX-License-Identifier: Apache-2.0
"""Custom resources of several kinds whose charts meet in one CRD: in crds/, as a child, as a patch.

They are created, changed and deleted in several orders. After each step: as long as one of them has
the CRD in crds/, it is there, with all instances, and the same, unless it was the child of one that
has gone; nobody fights; and a custom resource that is refused says what is in its way.
"""

import dataclasses
import itertools
import json

import pytest

from e2e import meters, session
from e2e.custom_resource import CustomResource, condition, is_ready
from e2e.definers import CRDS, GROUP, MEMBERS, Member, definition
from harness.connection import ApiError
from harness.kube import Kube, WaitTimeout, wait_until
from harness.operator import Operator, OperatorOptions

ACCOUNT = "chartwright-e2e-shared-definitions"
CRD = "apiextensions.k8s.io/v1/CustomResourceDefinition"
OWNER = "operator-sdk/primary-resource"


@dataclasses.dataclass
class Place:
    """A namespace, and the operator of all kinds in it."""

    kube: Kube
    audit: object
    namespace: str
    operator: Operator

    def settle(self, cases: list["Case"]) -> list[str]:
        """Waits for rest, and returns what is written of CRDs when all are asked to go on."""
        try:
            self.touch(cases)
            mark = self.audit.mark()
            self.touch(cases)
        except WaitTimeout as error:
            return [str(error)]
        sent = self.audit.requests(mark, user=session.user_of(ACCOUNT))
        return [
            f"written at rest: {one.verb} {one.uri}"
            for one in sent
            if one.is_write() and one.resource == "customresourcedefinitions" and one.code < 300
        ]

    def touch(self, cases: list["Case"]) -> None:
        """Asks all custom resources for a reconcile, at rest, and waits for rest again."""
        meters.wait_at_rest(self.operator)
        for case in cases:
            for member in case.live:
                case.resource(member).touch()
        meters.wait_at_rest(self.operator)


@pytest.fixture(scope="module", name="place")
def _place(cluster, tmp_path_factory):
    folder, watches = tmp_path_factory.mktemp("definitions"), []
    for member in itertools.chain(*MEMBERS):
        for name, text in member.files().items():
            path = folder / member.kind / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        watch = {"group": GROUP, "version": "v1", "kind": member.kind, "chart": member.kind}
        policy = {"crds": "createOrUpdate"} if member.role == "update" else {}
        watches.append({**watch, **policy})
        plural = f"{member.kind.lower()}s"
        cluster.kube.create(definition(GROUP, member.kind, plural, "a kind", "v1"))
    (folder / "watches.yaml").write_text(json.dumps(watches), encoding="utf-8")
    for watch in watches:
        kind = f"{GROUP}/v1/{watch['kind']}"
        wait_until(lambda kind=kind: session.is_served(cluster, kind), what=kind)
    namespace = cluster.create_namespace("definitions")
    with session.admin_account(cluster, ACCOUNT) as kubeconfig:
        options = OperatorOptions(
            kubeconfig,
            cwd=folder,
            watches_file=folder / "watches.yaml",
            namespaces=(namespace,),
            arguments=("--reconcile-period=0",),
        )
        with Operator(options) as operator:
            yield Place(cluster.kube, cluster.audit, namespace, operator)
    for watch in watches:
        cluster.kube.delete(CRD, f"{watch['kind'].lower()}s.{GROUP}")


@dataclasses.dataclass
class Case:
    """Custom resources that meet in the CRD of their case."""

    place: Place
    members: list[Member]
    name: str
    live: list[Member] = dataclasses.field(default_factory=list)
    uid: str | None = None  # Of the CRD, if it has to stay.
    generation: int | None = None  # Of the CRD, before the step.
    text: str = "1"

    def resource(self, member: Member) -> CustomResource:
        """Returns the custom resource of a member."""
        kind = f"{GROUP}/v1/{member.kind}"
        return CustomResource(self.place, kind, self.place.namespace, self.name_of(member))

    def name_of(self, member: Member) -> str:
        """Returns its name, which no release of another kind has."""
        return f"{member.kind.lower()}-{self.name}"

    def found(self) -> dict | None:
        """Returns the CRD."""
        return self.place.kube.find(CRD, f"foos.{self.members[0].foos}")

    def remember(self) -> None:
        """Remembers how often the CRD has been written."""
        crd = self.found()
        self.generation = crd["metadata"]["generation"] if crd else None

    def begin(self, member: Member) -> None:
        """Creates a custom resource."""
        self.resource(member).create({"text": "1"})
        self.live.append(member)

    def change(self, member: Member) -> None:
        """Changes what it wants."""
        self.resource(member).patch({"text": "2"})

    def end(self, member: Member) -> None:
        """Deletes it."""
        self.live.remove(member)
        self.resource(member).delete()
        self.resource(member).wait_gone()

    def clear(self) -> None:
        """Removes all of it, whatever has become of it."""
        for member in list(self.live):
            self.end(member)
        self.place.kube.delete(CRD, f"foos.{self.members[0].foos}")
        self.place.kube.wait_gone(CRD, f"foos.{self.members[0].foos}")

    def check(self) -> list[str]:
        """Returns what is wrong."""
        crd = self.found()
        metadata = crd["metadata"] if crd else {}
        if self.uid and metadata.get("uid") != self.uid:
            self.uid = None
            return [f"{self.text}: the CRD was removed"]
        if crd is None:
            without = [one.role for one in self.live if one.role != "patch"]
            return [f"{self.text}: there is no CRD for {without}"] if without else []
        owner = metadata.get("annotations", {}).get(OWNER, "")
        # A child goes with its owner. Otherwise it is of crds/, and stays for ever.
        self.uid = None if owner else metadata["uid"]
        wrong = [self.check_one(member, crd, owner) for member in self.live]
        # Who acts may write the CRD. A second write is an answer to the first.
        if self.generation and metadata["generation"] > self.generation + 1:
            wrong.append(f"written {metadata['generation'] - self.generation} times")
        return [f"{self.text}: {one}" for one in wrong if one]

    def instance(self, member: Member) -> str | None:
        """Returns the text of the instance of a member; why it cannot be read, if it cannot."""
        path = f"/apis/{member.foos}/v1/namespaces/{self.place.namespace}/foos"
        try:
            foos = self.place.kube.request("GET", path)["items"]
        except ApiError as error:
            return str(error)
        texts = {foo["metadata"]["name"]: foo["text"] for foo in foos}
        return texts.get(self.name_of(member))

    def check_one(self, member: Member, crd: dict, owner: str) -> str | None:
        """Returns what is wrong with one of them."""
        obj = self.resource(member).get()
        conditions = obj.get("status", {}).get("conditions", [])
        said = " | ".join(f"{one['type']} {one['reason']}: {one['message']}" for one in conditions)
        text, ready = obj["spec"]["text"], is_ready(obj)
        note = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"]
        if member.role in CRDS:
            good = ready and self.instance(member) == text
        elif member.role == "child":
            good = ready and note == f"{member.note}, {text}"
        else:
            label = crd["metadata"].get("labels", {}).get(f"by-{member.number}")
            good = ready and label == text
        if good or ((not ready or condition(obj, "Contested")) and crd["metadata"]["name"] in said):
            return None
        return f"{member.role} of {member.kind}: {note=} {owner=} {said}"


def go_through(place: Place, count: int, first: tuple[int, ...], last: tuple[int, ...]) -> None:
    """Goes through all steps of all cases of that many members at the same time."""
    name = "r" + "".join(map(str, first + last))
    cases = [Case(place, members, name) for members in MEMBERS if len(members) == count]
    wrong = []
    try:
        for step in (Case.begin, Case.change, Case.end):
            for turn in last if step is Case.end else first:
                for case in cases:
                    case.remember()
                    case.text = f"{[one.role for one in case.members]} {step.__name__} {turn}"
                    step(case, case.members[turn])
                after = f"after {step.__name__} {turn}: "
                wrong += [after + one for one in place.settle(cases)]
                wrong += itertools.chain(*(case.check() for case in cases))
    finally:
        for case in cases:
            case.clear()
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("first", [(0, 1), (1, 0)])
def test_two_that_meet_in_a_crd_keep_it(place, first):
    go_through(place, 2, first, (0, 1))


@pytest.mark.parametrize("first, last", [((0, 1, 2), (1, 0, 2)), ((2, 1, 0), (0, 2, 1))])
def test_three_that_meet_in_a_crd_keep_it(place, first, last):
    go_through(place, 3, first, last)
