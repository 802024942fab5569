# SPDX-License-Identifier: Apache-2.0
"""BookStore: several children, immutable fields, claims with another owner."""

import dataclasses
import pathlib
import shutil
import time
from collections.abc import Callable

import pytest

from e2e import meters, session
from e2e import traffic as expect
from e2e.custom_resource import (
    BOOKSTORE,
    CLAIM,
    DEPLOYMENT,
    POD,
    SERVICE,
    STATEFULSET,
    capacity,
    condition,
    is_controlled_by,
    is_current,
    is_ready,
    requested,
)
from harness.container import Container
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions
from harness.paths import REPOSITORY

CHILDREN = (
    (DEPLOYMENT, "shop"),
    (SERVICE, "shop"),
    (STATEFULSET, "shop-mongodb"),
    (SERVICE, "shop-mongodb"),
)
CLAIM_KIND = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
REPAIR_SECONDS_MAX = 5.0


def claim_name(ordinal: int, store: str = "shop") -> str:
    """Returns the name of a claim, as the StatefulSet controller chooses it."""
    return f"mongodb-pvc-{store}-mongodb-{ordinal}"


@pytest.fixture
def shop(declare, operator):
    """A BookStore that has not been created yet."""
    return declare(BOOKSTORE, "shop")


def wait_claims(shop, size: str, ordinals) -> None:
    """Waits until the claims request the size and have it."""
    for ordinal in ordinals:
        shop.wait_child(
            CLAIM,
            claim_name(ordinal),
            lambda claim: requested(claim) == size and capacity(claim) == size,
            what=f"a claim of {size}",
        )


def image(obj: dict) -> str:
    return obj["spec"]["template"]["spec"]["containers"][0]["image"]


def test_bs1_four_children_with_owner_references(shop, cluster):
    sample = REPOSITORY / "deploy" / "samples" / "bookstore.yaml"
    spec = cluster.kubectl.objects(sample)[0]["spec"]
    uid = shop.create(spec).uid()
    reference = {
        "apiVersion": "blog.velotio.com/v1alpha1",
        "kind": "BookStore",
        "name": "shop",
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    for kind, name in CHILDREN:
        child = shop.wait_child(kind, name)
        assert child["metadata"]["ownerReferences"] == [reference]
        assert child["metadata"]["labels"]["helm.sdk.operatorframework.io/chart"] == "bookstore"
    settled = shop.wait_revision(1)["status"]
    assert {(item["kind"], item["name"]) for item in settled["resources"]} >= {
        (kind.rpartition("/")[2], name) for kind, name in CHILDREN
    }


@dataclasses.dataclass(frozen=True)
class Change:
    """A change of the spec, the children that it must reach, and how each shows it."""

    spec: dict
    reaches: dict[str, Callable[[dict], bool]]


def port(obj: dict) -> dict:
    return obj["spec"]["ports"][0]


def container(obj: dict) -> dict:
    return obj["spec"]["template"]["spec"]["containers"][0]


CHANGES = (
    Change({"bookApp": {"tag": "v2"}}, {"deployments/shop": lambda o: image(o).endswith(":v2")}),
    Change(
        {"bookApp": {"replicas": 2}}, {"deployments/shop": lambda o: o["spec"]["replicas"] == 2}
    ),
    Change({"bookApp": {"port": 8080}}, {"services/shop": lambda o: port(o)["port"] == 8080}),
    Change(
        {"bookApp": {"serviceType": "NodePort"}},
        {"services/shop": lambda o: o["spec"]["type"] == "NodePort"},
    ),
    Change(
        {"bookApp": {"imagePullPolicy": "Always"}},
        {"deployments/shop": lambda o: container(o)["imagePullPolicy"] == "Always"},
    ),
    Change(
        {"bookDB": {"tag": "7"}}, {"statefulsets/shop-mongodb": lambda o: image(o) == "mongo:7"}
    ),
    Change(
        {"bookDB": {"replicas": 2}},
        {"statefulsets/shop-mongodb": lambda o: o["spec"]["replicas"] == 2},
    ),
    Change(
        {"bookDB": {"imagePullPolicy": "Never"}},
        {"statefulsets/shop-mongodb": lambda o: container(o)["imagePullPolicy"] == "Never"},
    ),
    Change(
        {"bookDB": {"port": 27018}},
        {
            "services/shop-mongodb": lambda o: port(o)["port"] == 27018,
            "statefulsets/shop-mongodb": lambda o: container(o)["args"] == ["--port", "27018"],
            # The application gets the port of its database.
            "deployments/shop": lambda o: container(o)["env"][1]["value"] == "27018",
        },
    ),
)


def test_bs2_a_change_reaches_its_children_and_no_other(shop, operator, traffic):
    shop.create()
    shop.wait_ready()
    meters.wait_at_rest(operator)
    start = traffic.mark()
    for number, change in enumerate(CHANGES, start=2):
        before = traffic.mark()
        shop.patch(change.spec)
        shop.wait_revision(number)
        for child, shows in change.reaches.items():
            kind, _, name = child.partition("/")
            assert shows(shop.child(kind, name)), f"{change.spec} did not reach {child}"
        traffic.check(before, expect.only_child_writes(*change.reaches))
    shop.wait_ready()
    meters.wait_at_rest(operator)
    # Pods that were created and deleted did not cause further writes.
    reached = [child for change in CHANGES for child in change.reaches]
    traffic.check(start, expect.only_child_writes(*reached))


def test_bs3_a_larger_size_grows_every_claim(shop, operator, traffic):
    shop.create({"bookDB": {"dbSize": "2Gi", "replicas": 2}})
    shop.wait_ready()
    wait_claims(shop, "2Gi", range(2))
    meters.wait_at_rest(operator)
    before = shop.child(STATEFULSET, "shop-mongodb")
    mark = traffic.mark()

    shop.patch({"bookDB": {"dbSize": "3Gi"}})
    wait_claims(shop, "3Gi", range(2))
    ready = shop.wait_ready()
    meters.wait_at_rest(operator)

    after = shop.child(STATEFULSET, "shop-mongodb")
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["metadata"]["generation"] == before["metadata"]["generation"]
    assert not condition(ready, "FieldsHeld")
    traffic.check(mark, expect.no_refusal)
    claims = {claim["name"]: claim for claim in shop.status()["claims"]}
    assert {claims[claim_name(i)]["capacity"] for i in range(2)} == {"3Gi"}


def test_bs3_a_claim_of_others_with_the_same_labels_is_left_alone(shop, operator, traffic):
    shop.create()
    shop.wait_ready()
    wait_claims(shop, "2Gi", range(1))
    # A copy of the first claim, such as one that a backup made. Its name is not one of the set.
    copied = shop.child(CLAIM, claim_name(0))
    labels = copied["metadata"]["labels"]
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": "copy-of-shop-mongodb", "namespace": shop.namespace, "labels": labels}
    shop.kube.create({**CLAIM_KIND, "metadata": metadata, "spec": spec})
    shop.wait_child(
        CLAIM, metadata["name"], lambda obj: obj["status"].get("phase") == "Bound", what="a volume"
    )
    meters.wait_at_rest(operator)
    mark = traffic.mark()

    shop.patch({"bookDB": {"dbSize": "3Gi"}})
    wait_claims(shop, "3Gi", range(1))
    ready = shop.wait_ready()
    meters.wait_at_rest(operator)
    assert requested(shop.child(CLAIM, metadata["name"])) == "1Gi"
    assert [claim["name"] for claim in ready["status"]["claims"]] == [claim_name(0)]
    traffic.check(mark, lambda requests: expect_no_name(requests, metadata["name"]))


def test_claims_keep_their_size_while_the_set_is_recreated(shop, operator, traffic):
    shop.create()
    shop.wait_ready()
    wait_claims(shop, "2Gi", range(1))
    shop.patch({"bookDB": {"dbSize": "3Gi"}})
    wait_claims(shop, "3Gi", range(1))
    shop.wait_ready()
    meters.wait_at_rest(operator)
    mark = traffic.mark()

    for _ in range(3):
        old = shop.child(STATEFULSET, "shop-mongodb")["metadata"]["uid"]
        shop.kube.delete(STATEFULSET, "shop-mongodb", shop.namespace)
        shop.wait_child(
            STATEFULSET,
            "shop-mongodb",
            lambda obj, old=old: obj["metadata"]["uid"] != old,
            what="the set",
        )
        shop.wait_ready()
        meters.wait_at_rest(operator)
    assert requested(shop.child(CLAIM, claim_name(0))) == "3Gi"
    traffic.check(mark, lambda requests: expect_no_name(requests, claim_name(0)))
    traffic.check(mark, expect.no_refusal)


RESIZE = "chartwright.io/test-resize"


def wait_pending_resize(shop) -> dict:
    """Grows the first claim like a driver that needs a restart of the pod."""
    shop.create()
    shop.wait_ready()
    wait_claims(shop, "2Gi", range(1))
    shop.kube.annotate(CLAIM, claim_name(0), shop.namespace, {RESIZE: "filesystem-pending"})
    shop.patch({"bookDB": {"dbSize": "3Gi"}})
    return shop.wait_condition("VolumeResizePending", "True", "FileSystemResizePending")


def test_bs4_a_pending_file_system_resize_is_visible(own_cluster, shop):
    pending = wait_pending_resize(shop)
    claim = shop.child(CLAIM, claim_name(0))
    assert requested(claim) == "3Gi" and capacity(claim) == "2Gi"
    assert condition(claim, "FileSystemResizePending")["status"] == "True"
    assert claim_name(0) in pending["message"]
    assert condition(claim, "FileSystemResizePending")["message"] in pending["message"]

    own_cluster.kube.annotate(CLAIM, claim_name(0), shop.namespace, {RESIZE: None})
    shop.wait_condition("VolumeResizePending", "False", "NoResizePending")
    wait_claims(shop, "3Gi", range(1))


def test_bs5_a_restarted_pod_finds_the_larger_volume(own_cluster, shop):
    wait_pending_resize(shop)
    before = shop.child(POD, "shop-mongodb-0")["metadata"]["uid"]
    own_cluster.kube.delete(POD, "shop-mongodb-0", shop.namespace)
    shop.wait_child(POD, "shop-mongodb-0", lambda pod: pod["metadata"]["uid"] != before)
    wait_claims(shop, "3Gi", range(1))
    shop.wait_condition("VolumeResizePending", "False")
    shop.wait_ready()


ADD_BOOK = """
import sqlite3
with sqlite3.connect("books.db") as books:
    books.execute("create table if not exists books (title text)")
    books.execute("insert into books values ('Moby Dick')")
"""
LIST_BOOKS = """
import pathlib, sqlite3
if pathlib.Path("books.db").exists():
    print(*sqlite3.connect("books.db").execute("select title from books").fetchone())
"""


def test_bs6_data_outlives_a_restart_of_the_database(shop, own_cluster, tmp_path):
    shop.create()
    shop.wait_ready()
    pod = shop.child(POD, "shop-mongodb-0")
    database = Container(shop.kube, pod, tmp_path)
    database.python(ADD_BOOK, "/data/db")  # Where mongod keeps its data, if not told otherwise.
    database.python(ADD_BOOK, "/tmp")

    own_cluster.kube.delete(POD, "shop-mongodb-0", shop.namespace)
    restarted = Container(
        shop.kube,
        shop.wait_child(
            POD, "shop-mongodb-0", lambda new: new["metadata"]["uid"] != pod["metadata"]["uid"]
        ),
        tmp_path,
    )

    assert restarted.python(LIST_BOOKS, "/data/db") == "Moby Dick\n"
    assert restarted.python(LIST_BOOKS, "/tmp") == ""
    assert "--dbpath" not in pod["spec"]["containers"][0].get("args", [])


def test_bs7_deletion_collects_children_and_leaves_claims(shop):
    shop.create()
    shop.wait_ready()
    claim = shop.child(CLAIM, claim_name(0))
    shop.delete()
    shop.wait_gone()
    for kind, name in CHILDREN:
        shop.kube.wait_gone(kind, name, shop.namespace)
    shop.kube.wait_gone(POD, "shop-mongodb-0", shop.namespace)
    kept = shop.child(CLAIM, claim_name(0))
    assert kept["metadata"]["uid"] == claim["metadata"]["uid"]
    assert "deletionTimestamp" not in kept["metadata"]

    # A new BookStore of the same name reuses the data.
    shop.create()
    shop.wait_ready()
    assert shop.child(CLAIM, claim_name(0))["metadata"]["uid"] == claim["metadata"]["uid"]


def test_bs7_the_policy_is_documented():
    text = (REPOSITORY / "charts" / "bookstore" / "README.md").read_text(encoding="utf-8")
    assert "**The claims stay**" in text


def test_bs8_a_missing_custom_resource_is_no_error(declare, operator):
    counters = (meters.ERRORS, "workqueue_retries_total")
    meters.wait_at_rest(operator)
    before = operator.metrics()
    # Deleted before, during and after their reconcile.
    for number in range(5):
        one = declare(BOOKSTORE, f"shop{number}").create()
        if number % 2:
            one.wait(lambda obj: "status" in obj)
        one.delete()
        one.wait_gone()
    meters.wait_at_rest(operator, quiet_seconds=1.0)
    after = operator.metrics()
    for name in counters:
        assert meters.total_of(after, name) == meters.total_of(before, name), name


def service(name: str, namespace: str) -> dict:
    """Returns a Service that belongs to no release."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"ports": [{"port": 1}]},
    }


TRIES_MAX = 20


def test_bs8_an_error_is_retried_with_backoff(shop, operator):
    def errors() -> float:
        return meters.total(operator, meters.ERRORS, controller="bookstore-controller")

    shop.kube.create(service("shop", shop.namespace))
    before = errors()
    # Without pods, because each of their events would cause an extra attempt.
    shop.create({"bookApp": {"replicas": 0}, "bookDB": {"replicas": 0}})
    refused = shop.wait_condition("Ready", "False", "InstallError")
    assert "Service" in refused["message"] and "chartwright.io/adopt" in refused["message"]
    # Eight doublings lead from 5 ms to a pause of more than a second, and the events of other
    # children cause a few more attempts; constant short pauses would never get there.
    meters.wait_at_rest(operator, quiet_seconds=1.0)
    tries = errors() - before
    assert 5 <= tries <= TRIES_MAX
    wait_until(lambda: errors() > before + tries, what="another try")
    # No event reports the deletion of the other Service: only a retry can discover it.
    shop.kube.delete(SERVICE, "shop", shop.namespace)
    shop.wait_ready(timeout_seconds=60)


def test_bs9_a_deleted_child_is_recreated_at_once(shop):
    uid = shop.create().uid()
    shop.wait_ready()
    for kind, name in CHILDREN:
        old = shop.child(kind, name)["metadata"]["uid"]
        started = time.monotonic()
        shop.kube.delete(kind, name, shop.namespace)
        child = shop.wait_child(
            kind, name, lambda obj, old=old: obj["metadata"]["uid"] != old, what="the child"
        )
        seconds = time.monotonic() - started
        print(f"{kind} {name}: back after {seconds * 1000:.0f} ms")
        assert is_controlled_by(child, uid)
        assert seconds < REPAIR_SECONDS_MAX
    shop.wait_ready()


EDITS = (
    (DEPLOYMENT, "shop", {"spec": {"replicas": 7}}),
    (DEPLOYMENT, "shop", {"metadata": {"labels": {"app.kubernetes.io/name": "else"}}}),
    (SERVICE, "shop", {"spec": {"selector": {"app.kubernetes.io/instance": "else"}}}),
    (SERVICE, "shop-mongodb", {"spec": {"publishNotReadyAddresses": None, "selector": None}}),
    (STATEFULSET, "shop-mongodb", {"spec": {"replicas": 0}}),
)


def test_bs9_an_edited_child_is_repaired_at_once(shop):
    shop.create()
    shop.wait_ready()
    for kind, name, edit in EDITS:
        expect_repaired(shop, kind, name, edit)
    shop.wait_ready()


def expect_repaired(shop, kind: str, name: str, edit: dict) -> None:
    """Edits a child and asserts that it is soon restored."""
    before = shop.child(kind, name)
    started = time.monotonic()
    edited = shop.kube.patch(kind, name, shop.namespace, edit)
    assert rendered(edited) != rendered(before)
    shop.wait_child(
        kind, name, lambda obj: rendered(obj) == rendered(before), what=f"the repair of {edit}"
    )
    seconds = time.monotonic() - started
    print(f"{kind} {name}: repaired after {seconds * 1000:.0f} ms")
    assert seconds < REPAIR_SECONDS_MAX


def test_bs9_a_changed_port_is_repaired(shop):
    """For the API server the edited port is another list element, with the same name as ours."""
    shop.create()
    shop.wait_ready()
    ports = {"spec": {"ports": [{"name": "tcp-port", "port": 81, "targetPort": 3000}]}}
    expect_repaired(shop, SERVICE, "shop", ports)
    shop.wait_ready()
    # Nobody but the operator's applies has the port now, so that another one takes its place.
    shop.patch({"bookApp": {"port": 8080}})
    shop.wait_child(
        SERVICE,
        "shop",
        lambda obj: [one["port"] for one in obj["spec"]["ports"]] == [8080],
        what="the port of the spec, alone",
    )
    shop.wait_ready()


def rendered(obj: dict) -> tuple:
    """Returns the parts of an object that the chart renders and that these tests may edit."""
    return obj["metadata"]["labels"], obj["spec"]


def test_bs9_an_added_annotation_stays(shop, operator, traffic):
    shop.create()
    shop.wait_ready()
    meters.wait_at_rest(operator)
    mark = traffic.mark()
    shop.kube.annotate(DEPLOYMENT, "shop", shop.namespace, {"example.com/note": "mine"})
    shop.touch()
    meters.wait_at_rest(operator)
    assert shop.child(DEPLOYMENT, "shop")["metadata"]["annotations"]["example.com/note"] == "mine"
    traffic.check(mark, expect.no_child_write)


def test_bs10_nothing_changed_sends_no_request(shop, operator, traffic):
    shop.create()
    shop.wait_ready()
    wait_claims(shop, "2Gi", range(1))
    meters.wait_at_rest(operator)
    before = meters.total(operator, meters.RECONCILES, controller="bookstore-controller")
    mark = traffic.mark()
    for _ in range(2):
        shop.touch()
        meters.wait_at_rest(operator)
    labels = {"metadata": {"labels": {"team": "books"}}}
    shop.kube.patch(BOOKSTORE, "shop", shop.namespace, labels)
    meters.wait_at_rest(operator)
    after = meters.total(operator, meters.RECONCILES, controller="bookstore-controller")
    # Labels of the custom resource are not inputs of its release and need not cause a reconcile.
    assert after >= before + 2, "the requested reconciles did not run"
    # No request at all, not even a read.
    traffic.check(mark, expect.nothing)


def test_bs11_two_in_one_namespace_do_not_interfere(declare, operator, traffic):
    one, two = declare(BOOKSTORE, "shop"), declare(BOOKSTORE, "other")
    one.create({"bookApp": {"tag": "one"}})
    two.create({"bookApp": {"tag": "two"}})
    uid = {store.name: store.uid() for store in (one, two)}
    for store in (one, two):
        store.wait_ready()
        for kind, name in CHILDREN:
            child = store.child(kind, name.replace("shop", store.name))
            assert is_controlled_by(child, uid[store.name])
    assert image(one.child(DEPLOYMENT, "shop")) == "akash125/pyapp:one"
    assert image(two.child(DEPLOYMENT, "other")) == "akash125/pyapp:two"
    for store in (one, two):
        assert selected_pods(store, SERVICE, store.name) == {store.name}
    meters.wait_at_rest(operator)

    mark = traffic.mark()
    one.patch({"bookApp": {"tag": "three"}, "bookDB": {"dbSize": "3Gi"}})
    wait_claims(one, "3Gi", range(1))
    one.wait_ready()
    meters.wait_at_rest(operator)
    assert requested(two.child(CLAIM, claim_name(0, "other"))) == "2Gi"
    traffic.check(mark, lambda requests: expect_no_name(requests, "other"))

    mark = traffic.mark()
    one.delete()
    one.wait_gone()
    one.kube.wait_gone(DEPLOYMENT, "shop", one.namespace)
    meters.wait_at_rest(operator)
    assert is_ready(two.get())
    traffic.check(mark, lambda requests: expect_no_name(requests, "other"))


def selected_pods(store, kind: str, name: str) -> set[str]:
    """Returns the instances whose pods a Service selects."""
    selector = store.child(kind, name)["spec"]["selector"]
    text = ",".join(f"{key}={value}" for key, value in selector.items())
    pods = store.kube.list(POD, store.namespace, labels=text)
    return {pod["metadata"]["labels"]["app.kubernetes.io/instance"] for pod in pods}


def expect_no_name(requests, name: str) -> None:
    """Asserts that no request was about objects of that BookStore."""
    expect.nothing([request for request in requests if name in request.name])


def test_bs12_all_claims_grow_and_a_later_one_too(shop):
    shop.create({"bookDB": {"replicas": 3, "dbSize": "2Gi"}})
    wait_claims(shop, "2Gi", range(3))
    shop.wait_ready()
    shop.patch({"bookDB": {"dbSize": "3Gi"}})
    wait_claims(shop, "3Gi", range(3))
    shop.patch({"bookDB": {"replicas": 4}})
    wait_claims(shop, "3Gi", range(4))
    shop.wait_ready()


@pytest.mark.parametrize("size", ["2048Mi", 2147483648], ids=str)
def test_bs13_the_same_quantity_in_another_unit_is_no_change(shop, operator, traffic, size):
    shop.create({"bookDB": {"dbSize": "2Gi"}})
    shop.wait_ready()
    wait_claims(shop, "2Gi", range(1))
    meters.wait_at_rest(operator)
    before = shop.child(STATEFULSET, "shop-mongodb")
    mark = traffic.mark()
    shop.patch({"bookDB": {"dbSize": size}})
    ready = shop.wait_ready()
    meters.wait_at_rest(operator)

    assert not condition(ready, "FieldsHeld")
    after = shop.child(STATEFULSET, "shop-mongodb")
    assert after["metadata"]["generation"] == before["metadata"]["generation"]
    assert requested(shop.child(CLAIM, claim_name(0))) == "2Gi"
    traffic.check(mark, expect.no_refusal)
    traffic.check(
        mark,
        lambda requests: expect.nothing(
            [r for r in requests if r.resource == "persistentvolumeclaims"]
        ),
    )


def expect_shrink_refused(shop) -> None:
    """Asserts that the first claim stays at 3Gi and that the condition has the reason."""
    held = shop.wait_condition("FieldsHeld", "True", "ShrinkRefused")
    for part in (claim_name(0), "spec.resources.requests.storage", "3Gi", "2Gi"):
        assert part in held["message"]
    assert requested(shop.child(CLAIM, claim_name(0))) == "3Gi"


def test_bs14_a_smaller_size_is_refused_and_the_rest_applies(shop, operator, traffic):
    shop.create({"bookDB": {"dbSize": "3Gi"}})
    shop.wait_ready()
    wait_claims(shop, "3Gi", range(1))
    meters.wait_at_rest(operator)
    mark = traffic.mark()
    shop.patch({"bookDB": {"dbSize": "2Gi", "tag": "7"}, "bookApp": {"tag": "v2", "replicas": 2}})
    expect_shrink_refused(shop)
    shop.wait_ready()
    assert image(shop.child(DEPLOYMENT, "shop")) == "akash125/pyapp:v2"
    assert image(shop.child(STATEFULSET, "shop-mongodb")) == "mongo:7"
    meters.wait_at_rest(operator)
    # The shrink is not attempted, not even once.
    traffic.check(mark, expect.no_refusal)
    mark = traffic.mark()
    shop.touch()
    meters.wait_at_rest(operator)
    traffic.check(mark, expect.no_write)

    shop.patch({"bookDB": {"dbSize": "4Gi"}})
    wait_claims(shop, "4Gi", range(1))
    shop.wait_condition("FieldsHeld", None)


def test_bs14_a_rollback_leaves_the_claim_and_applies_the_rest(shop):
    shop.create({"bookDB": {"dbSize": "2Gi"}, "bookApp": {"tag": "v1"}})
    shop.wait_ready()
    shop.patch({"bookDB": {"dbSize": "3Gi"}, "bookApp": {"tag": "v2"}})
    wait_claims(shop, "3Gi", range(1))
    shop.wait_ready()
    frozen = shop.wait_condition("FieldsFrozen", "True", "LiveValueKept")
    assert frozen["message"].endswith("shop-mongodb: spec.volumeClaimTemplates")

    shop.annotate(rollback_to="1")
    shop.wait_revision(3)
    shop.wait_condition("RolledBack", "True")
    expect_shrink_refused(shop)
    shop.wait_condition("FieldsFrozen", None)  # The claim template is still that of revision 1.
    assert image(shop.child(DEPLOYMENT, "shop")) == "akash125/pyapp:v1"
    assert shop.wait_ready()["status"]["revision"] == 3


def test_bs15_omitted_replicas_default_to_the_chart_s(shop):
    shop.create({"bookApp": {"tag": "v1"}, "bookDB": {"tag": "7"}})
    shop.wait(lambda obj: is_current(obj) and obj["status"].get("revision") == 1)
    assert shop.wait_child(DEPLOYMENT, "shop")["spec"]["replicas"] == 1
    assert shop.wait_child(STATEFULSET, "shop-mongodb")["spec"]["replicas"] == 1
    shop.wait_ready()


# The database of the earlier operators: a Deployment without a volume, behind a Service with an
# address of its own.
EARLIER_DATABASE = """
{{- $scope := dict "root" . "component" "mongodb" -}}
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ include "bookstore.mongodb" . }}}
spec:
  selector:
    matchLabels:
      {{- include "bookstore.selectorLabels" $scope | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "bookstore.selectorLabels" $scope | nindent 8 }}
    spec:
      containers: [{name: mongodb, image: "mongo:latest"}]
"""


def earlier_project(folder: pathlib.Path) -> pathlib.Path:
    """Makes a project with the earlier chart; returns its chart folder."""
    chart = folder / "charts" / "bookstore"
    shutil.copytree(REPOSITORY / "charts" / "bookstore", chart)
    (chart / "templates" / "db-statefulset.yaml").write_text(EARLIER_DATABASE, encoding="utf-8")
    service = chart / "templates" / "db-service.yaml"
    text = service.read_text(encoding="utf-8")
    assert "  clusterIP: None\n" in text
    service.write_text(text.replace("  clusterIP: None\n", ""), encoding="utf-8")
    watches = (REPOSITORY / "watches.yaml").read_text(encoding="utf-8")
    (folder / "watches.yaml").write_text(watches.split("- group: demo")[0], encoding="utf-8")
    return chart


def test_bs16_from_deployment_to_statefulset_and_from_clusterip_to_headless(
    cluster, declare, namespace, tmp_path
):
    chart = earlier_project(tmp_path)
    kubeconfig = cluster.service_account_kubeconfig(session.SYSTEM, session.OPERATOR)
    options = OperatorOptions(kubeconfig, cwd=tmp_path, namespaces=(namespace,))
    shop = declare(BOOKSTORE, "shop")
    with Operator(options) as operator:
        shop.create({"bookApp": {"tag": "v1"}})
        shop.wait_ready()
        earlier = shop.child(SERVICE, "shop-mongodb")
        assert earlier["spec"]["clusterIP"] != "None"
        app = shop.child(DEPLOYMENT, "shop")
        operator.stop()
    shutil.rmtree(chart)
    shutil.copytree(REPOSITORY / "charts" / "bookstore", chart)
    with Operator(options):
        service = shop.wait_child(
            SERVICE,
            "shop-mongodb",
            lambda obj: obj["metadata"]["uid"] != earlier["metadata"]["uid"],
            what="a new Service",
        )
        assert service["spec"]["clusterIP"] == "None"
        shop.wait_child(STATEFULSET, "shop-mongodb")
        shop.kube.wait_gone(DEPLOYMENT, "shop-mongodb", namespace)
        shop.wait_revision(2)
        shop.wait_ready()
        assert shop.child(DEPLOYMENT, "shop")["metadata"]["uid"] == app["metadata"]["uid"]
