# SPDX-License-Identifier: Apache-2.0
"""A backup and its restore, by the steps of docs/operate/backup.md."""

import json

import pytest

from e2e import console, raw_chart
from e2e.custom_resource import (
    CLAIM,
    DEMOVOLUME,
    DEPLOYMENT,
    FINALIZER,
    SECRET,
    WIDGET,
    capacity,
    is_controlled_by,
    is_marked,
    requested,
)
from e2e.session import ensure_running
from harness.connection import ApiError
from harness.kube import wait_until

# A backup has them as they were; the server assigns them anew.
ASSIGNED = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields")
VOLUME = "v1/PersistentVolume"
RECORD_TYPE = "helm.sh/release.v1"


@pytest.fixture(name="process")
def fixture_process(operator):
    """The operator, which runs again for the next test."""
    yield operator
    ensure_running(operator)


def backup_of(cluster, kind: str, namespace: str) -> list[dict]:
    """Returns the objects of a kind without owner references, and their status."""
    api_version, _, name = kind.rpartition("/")
    objects = cluster.kube.list(kind, namespace)
    for obj in objects:
        obj |= {"apiVersion": api_version, "kind": name}
        obj.pop("status", None)
        for key in (*ASSIGNED, "ownerReferences", "finalizers"):
            obj["metadata"].pop(key, None)
    return objects


def test_claims_and_history_come_back(cluster, process, namespace, declare):
    volume = declare(DEMOVOLUME, "volume").create({"name": "one", "size": 1})
    volume.wait_child(CLAIM, "volume", lambda claim: capacity(claim) == requested(claim))
    volume.wait_ready()
    volume.patch({"name": "two", "size": 2})
    volume.wait_revision(2)

    claims = backup_of(cluster, CLAIM, namespace)
    for claim in claims:  # The volume is restored as a new one.
        del claim["spec"]["volumeName"]
        annotations = claim["metadata"].get("annotations", {})
        for key in [key for key in annotations if "kubernetes.io/" in key]:
            del annotations[key]
    records = [s for s in backup_of(cluster, SECRET, namespace) if s["type"] == RECORD_TYPE]
    resources = backup_of(cluster, DEMOVOLUME, namespace)
    assert (len(claims), len(records), len(resources)) == (1, 2, 1)
    volume.delete()
    volume.wait_gone()
    cluster.kube.wait_gone(CLAIM, "volume", namespace)
    for record in records:
        cluster.kube.wait_gone(SECRET, record["metadata"]["name"], namespace)

    process.stop()
    for obj in (*claims, *records):
        cluster.kube.create(obj)
    restored = volume.child(CLAIM, "volume")["metadata"]["uid"]
    cluster.kube.create(resources[0])
    process.start()
    volume.wait_ready()
    claim = volume.child(CLAIM, "volume")
    assert claim["metadata"]["uid"] == restored
    assert is_marked(claim, volume)
    assert [item["revision"] for item in volume.status()["history"]] == [2, 1]
    volume.patch({"size": 3})
    volume.wait_revision(3)
    history = volume.status()["history"]
    assert [item["status"] for item in history] == ["deployed", "superseded", "superseded"]


# The generated password, and what is kept with it.
CHART = {
    "templates/secret.yaml": """
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
data:
  password: {{ with lookup "v1" "Secret" .Release.Namespace .Release.Name -}}
    {{ .data.password }}
  {{- else -}}
    {{ randAlphaNum 20 | b64enc }}
  {{- end }}
""",
}
NAME = raw_chart.NAME
PVC = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": NAME},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    },
}
KINDS = (WIDGET, CLAIM, SECRET, DEPLOYMENT)


@pytest.fixture(name="shop", scope="module")
def fixture_shop(cluster, tmp_path_factory):
    """The operator of a chart with a volume, a generated password, and what uses the two."""
    with raw_chart.started(cluster, tmp_path_factory.mktemp("backup"), files=CHART) as process:
        yield process


@pytest.fixture(name="deployed")
def fixture_deployed(cluster, shop, namespace):
    """A release of that chart."""
    ensure_running(shop)
    widget = raw_chart.create(cluster, namespace, "shop", PVC, raw_chart.deployment())
    widget.wait_child(CLAIM, "shop", lambda claim: capacity(claim) == requested(claim))
    widget.wait_ready()
    return widget


def everything(cluster, namespace: str) -> list[dict]:
    """Returns what `kubectl get -o yaml` shows of these kinds: also what the server assigns."""
    found = []
    for kind in KINDS:
        api_version, _, name = kind.rpartition("/")
        for obj in cluster.kube.list(kind, namespace):
            found.append(obj | {"apiVersion": api_version, "kind": name})
    return found


def restore(cluster, objects: list[dict]) -> list[tuple[str, str]]:
    """Creates them in order, as `kubectl create` does; returns those that were there already."""
    there = []
    for obj in objects:
        obj["metadata"].pop("resourceVersion", None)
        try:
            cluster.kube.create(obj)
        except ApiError as refusal:
            assert refusal.code == 409, refusal
            there.append((obj["kind"], obj["metadata"]["name"]))
    return there


def lose(cluster, widget) -> None:
    """Deletes all that the backup has, as the end of its namespace does."""
    widget.delete()
    widget.wait_gone()
    for kind in KINDS[1:]:
        for obj in cluster.kube.list(kind, widget.namespace):
            cluster.kube.wait_gone(kind, obj["metadata"]["name"], widget.namespace)


@pytest.fixture(name="volume_name")
def fixture_volume_name(cluster, deployed):
    """The volume of its claim, which outlives that."""
    name = deployed.child(CLAIM, "shop")["spec"]["volumeName"]
    cluster.kube.patch(VOLUME, name, None, {"spec": {"persistentVolumeReclaimPolicy": "Retain"}})
    yield name
    cluster.kube.delete(VOLUME, name)


def free(cluster, volume: str) -> None:
    """Has a volume that was kept forget its claim, so that the restored one can be bound to it."""
    cluster.kube.wait(VOLUME, volume, None, lambda obj: obj["status"]["phase"] == "Released")
    cluster.kube.patch(VOLUME, volume, None, {"spec": {"claimRef": None}})


def warnings_about(widget) -> dict[str, str]:
    """Returns the messages of the warnings about a custom resource, by reason."""
    events = widget.kube.list(
        "v1/Event", widget.namespace, fields=f"involvedObject.uid={widget.uid()}"
    )
    return {e["reason"]: e["message"] for e in events if e["type"] == "Warning"}


def test_a_plain_restore_keeps_the_claims(cluster, deployed, volume_name):
    backup = everything(cluster, deployed.namespace)
    assert FINALIZER in backup[0]["metadata"]["finalizers"]
    former = backup[0]["metadata"]["uid"]
    assert {obj["kind"] for obj in backup if is_controlled_by(obj, former)} == {
        "Secret",
        "Deployment",
    }
    lose(cluster, deployed)
    free(cluster, volume_name)
    claims_first = sorted(backup, key=lambda obj: obj["kind"] != "PersistentVolumeClaim")
    assert not restore(cluster, claims_first)
    restored = deployed.child(CLAIM, "shop")["metadata"]["uid"]

    deployed.wait_ready()
    claim = deployed.child(CLAIM, "shop")
    assert claim["metadata"]["uid"] == restored
    assert "deletionTimestamp" not in claim["metadata"]
    assert is_marked(claim, deployed)
    assert claim["spec"]["volumeName"] == volume_name and claim["status"]["phase"] == "Bound"
    # The password had an owner that is gone.
    told = wait_until(lambda: warnings_about(deployed).get("CreatedAnew"), what="a warning")
    assert "Secret shop" in told and "docs/operate/backup.md" in told
    for kind in (SECRET, DEPLOYMENT):
        assert is_controlled_by(deployed.child(kind, "shop"), deployed.uid())
    deployed.delete()
    deployed.wait_gone()
    cluster.kube.wait_gone(CLAIM, "shop", deployed.namespace)


def test_a_claim_that_is_made_before_its_restore_is_told(cluster, deployed):
    backup = everything(cluster, deployed.namespace)
    lose(cluster, deployed)
    restore(cluster, backup[:1])
    deployed.wait_child(CLAIM, "shop")
    assert ("PersistentVolumeClaim", "shop") in restore(cluster, backup[1:])
    deployed.wait_ready()
    told = wait_until(lambda: warnings_about(deployed).get("CreatedEmpty"), what="a warning")
    assert "PersistentVolumeClaim shop" in told and "docs/operate/backup.md" in told


def test_a_claim_of_an_earlier_version_loses_its_owner_reference_once(cluster, shop, deployed):
    uid = deployed.child(CLAIM, "shop")["metadata"]["uid"]
    reference = {
        "apiVersion": "e2e.chartwright.io/v1",
        "kind": "Widget",
        "name": "shop",
        "uid": deployed.uid(),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    cluster.kube.patch(
        CLAIM, "shop", deployed.namespace, {"metadata": {"ownerReferences": [reference]}}
    )
    claim = deployed.wait_child(CLAIM, "shop", lambda claim: is_marked(claim, deployed))
    assert claim["metadata"]["uid"] == uid
    deployed.wait_ready()
    version = deployed.child(CLAIM, "shop")["metadata"]["resourceVersion"]
    shop.stop()
    shop.start()
    deployed.touch()
    deployed.wait_ready()
    assert deployed.child(CLAIM, "shop")["metadata"]["resourceVersion"] == version


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
def test_a_deletion_takes_the_claims_along(cluster, deployed, policy):
    deployed.delete(propagation=policy)
    deployed.wait_gone()
    for kind in (CLAIM, DEPLOYMENT):
        cluster.kube.wait_gone(kind, "shop", deployed.namespace)


@pytest.mark.parametrize("runs", [True, False], ids=["running", "stopped"])
def test_a_deletion_that_leaves_the_dependents_leaves_the_claims(cluster, shop, deployed, runs):
    if not runs:
        shop.stop()
    deployed.delete(propagation="Orphan")
    if not runs:
        deployed.wait(lambda obj: "orphan" not in obj["metadata"]["finalizers"])
        shop.start()
    deployed.wait_gone()
    for kind in (CLAIM, DEPLOYMENT):
        left = cluster.kube.get(kind, "shop", deployed.namespace)
        assert "deletionTimestamp" not in left["metadata"]
        cluster.kube.delete(kind, "shop", deployed.namespace)


def test_an_export_brings_all_back(cluster, shop, deployed, volume_name, tmp_path):
    deployed.patch(raw_chart.manifest(PVC, raw_chart.deployment(replicas=2)))
    deployed.wait_revision(2)
    password = deployed.child(SECRET, "shop")["data"]
    backup = tmp_path / "backup.yaml"
    done = console.run(cluster, deployed.namespace, "export", "widget/shop")
    assert (done.returncode, done.stderr) == (0, "")
    backup.write_text(done.stdout, encoding="utf-8")
    lose(cluster, deployed)
    free(cluster, volume_name)
    cluster.kubectl("create", "-f", str(backup))
    claim = deployed.child(CLAIM, "shop")["metadata"]["uid"]
    deployed.wait_ready()
    deployed.wait_revision(2)
    assert deployed.child(SECRET, "shop")["data"] == password
    restored = deployed.child(CLAIM, "shop")
    assert restored["metadata"]["uid"] == claim
    assert restored["spec"]["volumeName"] == volume_name
    assert [item["revision"] for item in deployed.status()["history"]] == [2, 1]
    assert not {"CreatedAnew", "CreatedEmpty"} & set(warnings_about(deployed))


def test_an_export_for_another_cluster(cluster, deployed):
    done = console.run(
        cluster,
        deployed.namespace,
        *("export", "widget", "--paused", "--new-volumes", "--without-secrets", "-o", "json"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    claim, widget = json.loads(done.stdout)["items"]
    assert claim["kind"] == "PersistentVolumeClaim" and "volumeName" not in claim["spec"]
    assert widget["metadata"]["annotations"]["chartwright.io/paused"]
    assert "status" not in widget and "uid" not in widget["metadata"]


def test_an_export_says_what_is_missing(cluster, deployed):
    ns = deployed.namespace
    kubeconfig = console.viewer(
        cluster,
        ns,
        ("e2e.chartwright.io", "widgets", "get list"),
        ("apps", "deployments replicasets", "get list"),
        ("", "pods persistentvolumeclaims", "get list"),
    )
    done = console.run(cluster, ns, "export", "widget/shop", kubeconfig=kubeconfig)
    assert done.returncode == 1
    assert "no right to get Secrets in " + ns in done.stderr
    assert "kind: PersistentVolumeClaim" in done.stdout and "kind: Secret" not in done.stdout
    assert console.run(cluster, ns, "export", "widget/nobody").returncode == 1


def test_an_export_leaves_out_secrets_that_a_status_only_names(cluster, shop, deployed):
    ns = deployed.namespace
    theirs = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "theirs", "namespace": ns}}
    cluster.kube.create({**theirs, "stringData": {"token": "hunter2"}})
    shop.stop()
    named = {"version": "v1", "kind": "Secret", "namespace": ns, "name": "theirs"}
    resources = [*deployed.status()["resources"], named]
    history = [*deployed.status()["history"], *({"revision": n} for n in range(2, 2000))]
    cluster.kubectl(
        *("-n", ns, "patch", "widget", "shop", "--subresource=status", "--type=merge"),
        *("-p", json.dumps({"status": {"resources": resources, "history": history}})),
    )
    done = console.run(cluster, ns, "export", "widget/shop")
    shop.start()
    assert done.returncode == 1
    assert "theirs does not belong to it, and is left out" in done.stderr
    assert "only the 256 newest records were looked for" in done.stderr
    assert "theirs" not in done.stdout and "hunter2" not in done.stdout
