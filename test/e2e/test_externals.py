# SPDX-License-Identifier: Apache-2.0
"""Externals beyond those of Pet: they depend on each other, feed templates, and roll back."""

import base64
import pathlib
import re
import shutil

import pytest

from e2e.custom_resource import CONFIGMAP, FINALIZER, PET, SECRET, is_ready
from e2e.session import pet_operator
from harness.kube import wait_until
from harness.operator import Operator
from harness.paths import REPOSITORY
from harness.petstore import PetStore

THOR = {"name": "Thor", "type": "dog", "birthday": "2021-04-01T00:00:00Z"}
FRIEND = """
name: friend
driver: {http: {baseURL: '{{ .Values.store.url }}'}}
observe: {call: 'GET /pets/{{ .id }}'}
create:
  call: POST /pets
  body: |
    pets:
    - name: friend of {{ .External.pet.id }}
      type: PTFeline
      birthday: {year: 2020, month: 1, day: 1}
  capture: '{{ index .response.ids 0 }}'
delete: {call: 'DELETE /pets/{{ .id }}'}
resync: '{{ .Values.store.resync }}'
timeout: '{{ .Values.store.timeout }}'
"""
CHILD = """
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data:
  name: {{ .Values.name }}
  pet: {{ .External.pet.id | quote }}
  friend: {{ .External.friend.id | quote }}
"""
PATCH = """
apiVersion: v1
kind: ConfigMap
metadata: {name: theirs}
data: {friend: {{ .External.friend.id | quote }}}
"""
BEARER = "    bearer: {secret: '{{ .Values.store.tokenSecret }}', key: token}\n"
TOKEN = "t0ken-of-the-store"
BASIC = "    basic: {secret: store, usernameKey: user, passwordKey: password}\n"


class Folder:
    """A copy of the chart of Pet, and the values that its operator gets."""

    def __init__(self, folder: pathlib.Path):
        self.path = folder / "chart"
        shutil.copytree(REPOSITORY / "charts" / "pet", self.path)
        self.values = {"store.resync": "2s", "store.timeout": "1s"}

    def write(self, name: str, text: str) -> None:
        """Writes a file of the chart."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def replace(self, name: str, old: str, new: str) -> None:
        """Replaces a text that must be in a file of the chart."""
        text = (self.path / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))


@pytest.fixture
def chart(tmp_path):
    """The chart of Pet, to be changed before the operator starts."""
    return Folder(tmp_path)


@pytest.fixture
def start(cluster, tmp_path, namespace, chart):
    """`start()` returns the operator of the chart, not started; no other one runs."""
    made = []

    def make(**chosen) -> Operator:
        options = {"namespaces": (namespace,), "kubeconfig": cluster.kubeconfig, **chosen}
        made.append(pet_operator(cluster, tmp_path, chart.values, str(chart.path), **options))
        return made[-1]

    yield make
    for operator in made:
        operator.close()


@pytest.fixture
def store(tmp_path, chart):
    """A petstore without pets, whose address the operator gets."""
    with PetStore(tmp_path) as server:
        chart.values["store.url"] = server.url
        yield server


def by_name(store) -> dict[str, str]:
    """Returns the ids in the store by name."""
    return {pet["name"]: pet["id"] for pet in store.pets()}


def test_an_external_uses_the_capture_of_another_and_templates_that_of_both(
    store, chart, start, declare, cluster, namespace
):
    chart.write("operator/externals/friend.yaml", FRIEND)
    chart.write("templates/child.yaml", CHILD)
    chart.write("operator/patches/theirs.yaml", PATCH)
    metadata = {"name": "theirs", "namespace": namespace}
    cluster.kube.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    with start():
        thor = declare(PET, "thor").create(THOR)
        thor.wait_ready()
        externals = thor.status()["externals"]
        ids = {name: record["id"] for name, record in externals.items()}
        assert by_name(store) == {"Thor": ids["pet"], f"friend of {ids['pet']}": ids["friend"]}
        assert thor.child(CONFIGMAP, "thor")["data"] == {"name": "Thor", **ids}
        assert thor.child(CONFIGMAP, "theirs")["data"] == {"friend": ids["friend"]}

        thor.delete()
        thor.wait_gone()
        assert store.pets() == []
        deleted = [call["what"] for call in store.calls("DELETE /pets/")]
        assert deleted == [f"DELETE /pets/{ids['friend']}", f"DELETE /pets/{ids['pet']}"]


# Every text of a bundle that may be a template, beside those of the test above.
VALUES = """
{{ toYaml .CR.spec }}
petId: {{ .External.pet.id | quote }}
"""
MAPPED_CHILD = """
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {id: {{ .Values.petId | quote }}}
"""
RULES = """
related:
  note: {apiVersion: v1, kind: ConfigMap, name: 'note-{{ .External.pet.id }}'}
children:
- match: {apiVersion: v1, kind: ConfigMap}
  present: '{{ not (empty .External.pet.id) }}'
  ready: '{{ eq .Object.data.id .External.pet.id }}'
"""
STATUS = """
id: {{ .External.pet.id | quote }}
conditions:
- type: Noted
  status: {{ empty .Related.note | ternary "False" "True" | quote }}
  reason: Note
"""


def test_values_related_and_rules_use_the_capture(store, chart, start, declare, cluster, namespace):
    (chart.path / "values.schema.json").unlink()  # It has no petId.
    chart.write("operator/values.yaml", VALUES)
    chart.write("templates/child.yaml", MAPPED_CHILD)
    chart.write("operator/operator.yaml", RULES)
    chart.write("operator/status.yaml", STATUS)
    with start():
        thor = declare(PET, "thor").create(THOR)
        thor.wait_ready()
        identity = by_name(store)["Thor"]
        assert thor.child(CONFIGMAP, "thor")["data"] == {"id": identity}
        thor.wait_condition("Noted", "False")
        metadata = {"name": f"note-{identity}", "namespace": namespace}
        cluster.kube.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
        thor.wait_condition("Noted", "True")

        store.clear()
        wait_until(lambda: by_name(store).get("Thor", identity) != identity, what="another pet")
        other = by_name(store)["Thor"]
        wait_until(
            lambda: thor.child(CONFIGMAP, "thor")["data"] == {"id": other}, what="the other id"
        )
        thor.wait_ready()
        thor.wait_condition("Noted", "False")
        thor.delete()
        thor.wait_gone()


def test_a_rollback_brings_back_the_external_under_its_id(store, chart, start, declare):
    chart.write("operator/externals/friend.yaml", FRIEND)
    chart.write("templates/child.yaml", CHILD)
    with start() as operator:
        thor = declare(PET, "thor").create(THOR)
        thor.wait_ready()
        first = by_name(store)
        thor.patch({"name": "Thorbert"})
        thor.wait_revision(2)
        wait_until(lambda: by_name(store).get("Thorbert") == first["Thor"], what="the new name")

        thor.annotate(rollback_to="1")
        thor.wait_revision(3)
        wait_until(lambda: by_name(store) == first, what="the old name")
        thor.wait_condition("RolledBack", "True")
        assert thor.child(CONFIGMAP, "thor")["data"]["name"] == "Thor"
        # It is kept as it was, also by the next process.
        operator.restart()
        changed = {**store.pets()[0], "name": "edited"}
        store.clear()
        store.add({key: value for key, value in changed.items() if key != "id"})
        wait_until(lambda: "Thor" in by_name(store), what="the pet of revision 1")
        thor.delete()
        thor.wait_gone()


def test_basic_authentication_comes_from_a_secret(
    tmp_path, chart, start, declare, cluster, namespace
):
    pair = base64.b64encode(b"keeper:s3cr3t-of-the-keeper").decode()
    chart.replace("operator/externals/pet.yaml", BEARER, BASIC)
    secret = {"user": b"keeper", "password": b"s3cr3t-of-the-keeper"}
    cluster.kube.create(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "store", "namespace": namespace},
            "data": {key: base64.b64encode(text).decode() for key, text in secret.items()},
        }
    )
    with PetStore(tmp_path, f"-authorization=Basic {pair}") as store:
        chart.values["store.url"] = store.url
        with start() as operator:
            thor = declare(PET, "thor").create(THOR)
            thor.wait_ready()
            assert list(by_name(store)) == ["Thor"]
            echo = {"kind": "status", "status": 400, "body": "you sent {authorization}"}
            store.misbehave({"match": "GET", **echo})
            told = thor.wait_condition("Ready", "False", "ExternalError")
            assert "HTTP status 400 (" in told["message"] and "you sent" not in told["message"]
            store.misbehave()
            thor.delete()
            thor.wait_gone()
            shown = str(told) + operator.log_path.read_text(encoding="utf-8")
    for part in (pair, "s3cr3t-of-the-keeper"):
        assert part not in shown


@pytest.fixture
def guarded(tmp_path, chart, cluster, namespace):
    """A petstore that wants the token of the Secret "store" in the namespace of the pets."""
    chart.values["store.tokenSecret"] = "store"
    cluster.kube.create(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "store", "namespace": namespace},
            "stringData": {"token": TOKEN},
        }
    )
    with PetStore(tmp_path, f"-authorization=Bearer {TOKEN}") as server:
        chart.values["store.url"] = server.url
        yield server


def test_a_namespace_is_deleted_with_the_secret_of_its_external(
    cluster, namespace, start, declare, guarded
):
    with start() as operator:
        declare(PET, "thor").create(THOR).wait_ready()
        cluster.kube.delete("v1/Namespace", namespace)
        cluster.kube.wait_gone("v1/Namespace", namespace)
        assert guarded.pets() == []
        assert TOKEN not in operator.log_path.read_text(encoding="utf-8")


def test_an_operator_that_starts_too_late_for_the_secret_says_so(
    cluster, namespace, start, declare, guarded
):
    operator = start()
    with operator:
        thor = declare(PET, "thor").create(THOR)
        thor.wait_ready()
        operator.stop()
        cluster.kube.delete("v1/Namespace", namespace)
        cluster.kube.wait_gone("v1/Secret", "store", namespace)
        operator.start()
        told = thor.wait_condition("Ready", "False", "UninstallError")
        assert "is gone, and this operator has not used it" in told["message"]
        assert "chartwright.io/deletion-policy: Orphan" in told["message"]
        thor.annotate(deletion_policy="Orphan")
        cluster.kube.wait_gone("v1/Namespace", namespace)
        assert [pet["name"] for pet in guarded.pets()] == ["Thor"]


def edited(old: str, new: str):
    """Returns a change of Pet's external."""
    return lambda chart: chart.replace("operator/externals/pet.yaml", old, new)


def added(text: str):
    """Returns a second external."""
    return lambda chart: chart.write("operator/externals/friend.yaml", text)


# Fault -> how the chart is changed, the file and place of the fault, words of the message.
BROKEN = {
    "unknown key": (edited("resync:", "resnyc:"), "pet.yaml:36:1", ["resnyc", "resync"]),
    "wrong type": (edited("call: GET /pets", "call: [GET]"), "pet.yaml:13:9", ["expected a text"]),
    "no template": (
        edited("{{ eq .item.id .id }}", "{{ eq }"),
        "pet.yaml:15:11",
        ["observe.select"],
    ),
    "name twice": (added(FRIEND.replace("name: friend", "name: pet")), "pet.yaml", ["pet"]),
    "circle": (
        lambda chart: (
            added(FRIEND)(chart),
            edited("call: POST /pets", "call: 'POST /pets{{ .External.friend.id }}'")(chart),
        ),
        "pet.yaml:18:9",
        ["in a circle: friend -> pet -> friend"],
    ),
    "unknown external": (
        added(FRIEND.replace(".External.pet.id", ".External.pett.id")),
        "friend.yaml",
        ["pett"],
    ),
    "unknown name": (
        edited("{{ eq .item.id .id }}", "{{ eq .itm.id .id }}"),
        "pet.yaml:15:11",
        ["observe.select: there is no .itm, did you mean .item?"],
    ),
    "missing descriptors": (
        edited(
            "  http:\n    baseURL: '{{ .Values.store.url }}'\n",
            "  grpc:\n    address: localhost:1\n    descriptors: none.binpb\n",
        ),
        "pet.yaml:6:18",
        ["none.binpb"],
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_wrong_external_ends_the_start(chart, start, case):
    change, place, words = BROKEN[case]
    change(chart)
    chart.values["store.url"] = "http://localhost:1"
    operator = start()
    operator.launch()
    assert operator.wait_exit().code == 1
    said = operator.log_path.read_text(encoding="utf-8")
    for part in (f"operator/externals/{place}", *words):
        assert part in said, said


FINALIZERS = {"metadata": {"finalizers": None}}
ADOPT = re.compile(r"  # Finds the pet that a create.*?(?=\nupdate:)", re.DOTALL)


def lose_status(pet) -> None:
    """The status is wiped."""
    pet.kube.patch(PET, pet.name, pet.namespace, {"status": None}, subresource="status")


def lose_finalizer_too(pet) -> None:
    """The status is wiped, and no finalizer tells of it."""
    lose_status(pet)
    pet.kube.patch(PET, pet.name, pet.namespace, FINALIZERS)


def restore_namespace(pet) -> None:
    """The custom resource is created anew, without a status and with another uid."""
    spec = pet.get()["spec"]
    pet.kube.patch(PET, pet.name, pet.namespace, FINALIZERS)
    pet.delete(propagation="Orphan")
    pet.wait_gone()
    copies = [
        secret
        for secret in pet.kube.list(SECRET, pet.namespace)
        if secret["type"] == "chartwright.io/externals.v1"
    ]
    assert len(copies) == 1 and not copies[0]["metadata"].get("ownerReferences")
    pet.create(spec)


LOSSES = {
    "status": lose_status,
    "status and finalizer": lose_finalizer_too,
    "all but the namespace": restore_namespace,
}


def without_adopt(chart: Folder) -> None:
    """Leaves the operator without a way to find what it has created."""
    file = chart.path / "operator" / "externals" / "pet.yaml"
    text, count = ADOPT.subn("", file.read_text(encoding="utf-8"))
    assert count == 1
    file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("finds", [True, False], ids=["with adopt", "without adopt"])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_lost_status_makes_no_second_object(store, chart, start, declare, loss, finds):
    if not finds:
        without_adopt(chart)
    pet = declare(PET, "thor")
    operator = start(adoption="author")
    with operator:
        pet.create(THOR)
        pet.wait_ready()
        [entry] = store.pets()
        calls = [call["what"] for call in store.calls()]
        assert calls[0].startswith("POST")  # A new one is not searched for.
        operator.stop()
        LOSSES[loss](pet)
        operator.start()
        if not finds and loss == "all but the namespace":  # The copy of the ids is lost, too.
            held = pet.wait_condition("AmbiguousCreate", "True", "SeveralCandidates")
            assert "an object may have been created before" in held["message"]
            decided = {"chartwright.io/external-id.pet": entry["id"]}
            pet.kube.annotate(PET, pet.name, pet.namespace, decided)
        pet.wait(lambda obj: is_ready(obj) and obj["status"].get("id") == entry["id"])
        assert pet.status()["externals"] == {"pet": {"id": entry["id"]}}
        assert len(store.calls("POST")) == 1
        assert [found["id"] for found in store.pets()] == [entry["id"]]
        pet.delete()
        pet.wait_gone()
        assert store.pets() == []
        left = [secret["type"] for secret in pet.kube.list(SECRET, pet.namespace)]
        assert "chartwright.io/externals.v1" not in left


@pytest.mark.parametrize("finds", [True, False], ids=["with adopt", "without adopt"])
def test_an_annotation_takes_no_object_of_others(store, chart, start, declare, finds):
    """The finalizer with which the pet is created makes the operator look for an earlier create."""
    if not finds:
        without_adopt(chart)
    born = {"year": 2021, "month": 4, "day": 1}
    [foreign] = store.add({"name": "Victim", "type": "PTCanine", "birthday": born})
    pet = declare(PET, "thief")
    with start():
        pet.create(
            THOR,
            {"chartwright.io/external-id.pet": foreign},
            finalizers=(FINALIZER,),
        )
        if finds:
            pet.wait_ready()
        else:
            held = pet.wait_condition("AmbiguousCreate", "True", "SeveralCandidates")
            assert foreign not in held["message"]
            assert '"adoption: author"' in held["message"]
            pet.kube.annotate(
                PET, pet.name, pet.namespace, {"chartwright.io/external-id.pet": "none"}
            )
            pet.wait_ready()
        assert pet.status()["id"] != foreign
        pet.delete()
        pet.wait_gone()
    assert [left["id"] for left in store.pets()] == [foreign]
    assert store.calls("PUT") == []


def test_a_deletion_finds_what_the_status_has_lost(store, start, declare):
    pet = declare(PET, "thor")
    operator = start()
    with operator:
        pet.create(THOR)
        pet.wait_ready()
        operator.stop()
        lose_status(pet)
        pet.delete()
        operator.start()
        pet.wait_gone()
        assert store.pets() == []
