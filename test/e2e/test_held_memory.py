# SPDX-License-Identifier: Apache-2.0
"""Memory that is kept while servers do not answer: nobody else waits for it; and its limits."""

import base64
import json
import os
import shutil
import socket
import time

import pytest

from e2e import session
from e2e.custom_resource import CONFIGMAP, GADGET, PET, SECRET, WIDGET, is_ready
from e2e.session import WIDGET_FILES
from harness.confinement import MIB, confined, shipped_limit
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions
from harness.paths import REPOSITORY
from harness.petstore import PetStore

HANG_SECONDS = 30
# Beside 1.5 times what it takes alone: another load of the machine, but far less than a hang.
MARGIN_SECONDS = 4
VALUES = 10_000
SMALL = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n"
# Three megabytes, in a chart whose release is recorded before it is applied.
LARGE = """{{- range until 30 }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $.Release.Name }}-{{ . }}
  labels: {hang: {{ $.Values.hang | quote }}}
data: {random: {{ randAlpha 8 }}, text: {{ repeat 100000 "y" }}}
{{- end }}
"""


@pytest.fixture(name="silent")
def silent_server():
    """A port whose connections are accepted, and never answered."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        yield server.getsockname()[1]


@pytest.fixture(name="webhook")
def hanging_webhook(cluster, namespace, silent):
    """Makes the API server ask the silent port about ConfigMaps with the label hang."""
    name = f"hang-{namespace}"
    hook = {
        "name": "hang.e2e.chartwright.io",
        "clientConfig": {"url": f"https://127.0.0.1:{silent}/"},
        "rules": [
            {
                "apiGroups": [""],
                "apiVersions": ["v1"],
                "operations": ["CREATE", "UPDATE"],
                "resources": ["configmaps"],
            }
        ],
        "objectSelector": {"matchLabels": {"hang": "yes"}},
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": HANG_SECONDS,
    }
    kind = "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration"
    cluster.kube.create(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": name},
            "webhooks": [hook],
        }
    )
    yield name
    cluster.kube.delete(kind, name)


@pytest.fixture(name="store")
def pet_store(tmp_path):
    """The server of the Pets, which works until it is suspended."""
    (tmp_path / "store").mkdir()
    with PetStore(tmp_path / "store") as server:
        yield server


def write_chart(folder, name: str, template: str) -> None:
    (folder / name / "templates").mkdir(parents=True)
    (folder / name / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n")
    (folder / name / "values.yaml").write_text('hang: "no"\n')
    (folder / name / "templates" / "all.yaml").write_text(template)


@pytest.fixture(name="gadgets")
def gadget_kind(cluster):
    """Serves a second kind."""
    definition = str(WIDGET_FILES / "gadgets.yaml")
    cluster.kubectl("apply", "-f", definition)
    cluster.kubectl("wait", "--for=condition=Established", "-f", definition)
    yield
    cluster.kubectl("delete", "-f", definition)


@pytest.fixture(name="operator")
def operator_of_three(cluster, tmp_path, namespace, store, gadgets):  # pylint: disable=unused-argument
    """The operator of Pets with many values, of large Gadgets and of small Widgets."""
    shutil.copytree(REPOSITORY / "charts" / "pet", tmp_path / "pet")
    with (tmp_path / "pet" / "values.yaml").open("a", encoding="utf-8") as values:
        values.write("filler:\n")
        values.writelines(f"  key{number}: value {number}\n" for number in range(VALUES))
    schema = tmp_path / "pet" / "values.schema.json"
    content = json.loads(schema.read_text(encoding="utf-8"))
    content.get("properties", {})["filler"] = {"type": "object"}
    schema.write_text(json.dumps(content), encoding="utf-8")
    write_chart(tmp_path, "widget", SMALL)
    write_chart(tmp_path, "gadget", LARGE)
    overrides = {
        "store.url": store.url,
        "store.timeout": f"{HANG_SECONDS}s",
        "store.resync": "5s",
    }
    watches = [
        {
            "group": "petstore.example.com",
            "version": "v1alpha1",
            "kind": "Pet",
            "chart": "pet",
            "overrideValues": overrides,
        },
        {"group": "e2e.chartwright.io", "version": "v1", "kind": "Widget", "chart": "widget"},
        {"group": "e2e.chartwright.io", "version": "v1", "kind": "Gadget", "chart": "gadget"},
    ]
    (tmp_path / "watches.yaml").write_text(json.dumps(watches), encoding="utf-8")
    options = OperatorOptions(
        cluster.kubeconfig,
        cwd=tmp_path,
        watches_file=tmp_path / "watches.yaml",
        namespaces=(namespace,),
        arguments=("--reconcile-period=0", "--max-concurrent-reconciles=2"),
        wrapper=confined(shipped_limit()),
    )
    with Operator(options) as process:
        yield process


def seconds_of_work(cluster, namespace, widget) -> float:
    """Returns how long an install takes, and the repair of its child."""
    began = time.monotonic()
    widget.create({})
    widget.wait(is_ready, timeout_seconds=3 * HANG_SECONDS, what="Ready")
    first = cluster.kube.get(CONFIGMAP, widget.name, namespace)["metadata"]["uid"]
    cluster.kube.delete(CONFIGMAP, widget.name, namespace)
    cluster.kube.wait(
        CONFIGMAP,
        widget.name,
        namespace,
        lambda obj: obj is not None and obj["metadata"]["uid"] != first,
        timeout_seconds=3 * HANG_SECONDS,
        what="repaired",
    )
    return time.monotonic() - began


def test_what_hung_reconciles_keep_holds_up_no_other_kind(
    cluster, declare, namespace, operator, store, webhook
):
    assert webhook
    alone = seconds_of_work(cluster, namespace, declare(WIDGET, "alone"))
    store.suspend()
    try:
        pets = [declare(PET, f"pet-{number}") for number in range(2)]
        for pet in pets:
            pet.create({"name": pet.name, "type": "dog", "birthday": "2021-04-01T00:00:00Z"})
        for pet in pets:
            pet.wait(lambda obj: "externals" in obj.get("status", {}), what="the first call")
        beside_pets = seconds_of_work(cluster, namespace, declare(WIDGET, "beside-pets"))
        large = declare(GADGET, "large").create({"hang": "yes"})
        cluster.kube.wait(
            SECRET,
            "sh.helm.release.v1.large.v1",
            namespace,
            lambda obj: obj is not None,
            what="the record of the large release",
        )
        beside_all = seconds_of_work(cluster, namespace, declare(WIDGET, "beside-all"))
    finally:
        store.resume()
    print(f"alone {alone:.2f} s, beside Pets {beside_pets:.2f} s, beside all {beside_all:.2f} s")
    assert beside_pets < 1.5 * alone + MARGIN_SECONDS
    assert beside_all < 1.5 * alone + MARGIN_SECONDS
    assert operator.peak_resident_bytes() < shipped_limit()
    for one in (*pets, large):
        one.delete()
    for one in (*pets, large):
        one.kube.wait_gone(one.kind, one.name, namespace, timeout_seconds=3 * HANG_SECONDS)


def test_a_large_release_in_little_memory_has_one_deployed_record(
    cluster, declare, namespace, operator
):
    assert operator.running()
    gadget = declare(GADGET, "large").create({}).wait(is_ready, what="Ready")
    assert gadget["status"]["revision"] == 1
    large = declare(GADGET, "large")
    for hang in ("never", "not"):
        large.patch({"hang": hang})
        large.wait_ready()
    secrets = cluster.kube.list(SECRET, namespace, labels="owner=helm,name=large")
    statuses = {
        int(secret["metadata"]["labels"]["version"]): secret["metadata"]["labels"]["status"]
        for secret in secrets
    }
    assert statuses == {1: "superseded", 2: "superseded", 3: "deployed"}
    large.delete()
    large.wait_gone()


def flood(cluster, namespace: str, name: str, count: int) -> None:
    """Writes Secrets of a megabyte that seem to be records of a release."""
    for number in range(1, count + 1):
        cluster.kube.create(
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "type": "helm.sh/release.v1",
                "metadata": {
                    "name": f"sh.helm.release.v1.{name}.v{number}",
                    "namespace": namespace,
                    "labels": {
                        "owner": "helm",
                        "name": name,
                        "status": "deployed",
                        "version": str(number),
                    },
                },
                "data": {"release": base64.b64encode(os.urandom(1_000_000)).decode()},
            }
        )


def test_a_flood_of_secrets_is_an_error_of_the_resource_it_is_for(cluster, declare, namespace):
    limit = shipped_limit()
    flood(cluster, namespace, "flooded", 150)
    options = {"namespaces": (namespace,), "wrapper": confined(limit)}
    with session.widget_operator(cluster, **options) as operator:
        before = operator.peak_resident_bytes()
        cluster.kube.create(
            {
                "apiVersion": "e2e.chartwright.io/v1",
                "kind": "Widget",
                "metadata": {
                    "name": "flooded",
                    "namespace": namespace,
                    "finalizers": ["uninstall-helm-release"],
                },
                "spec": {},
            }
        )
        flooded = declare(WIDGET, "flooded")
        message = flooded.wait_error()
        assert "the records of flooded cannot be read now: 20 of the newest are damaged" in message
        declare(WIDGET, "other").create({}).wait_ready()
        assert operator.running()
        peak = operator.peak_resident_bytes()
        print(f"peak {peak / MIB:.0f} MiB of {limit / MIB:.0f}, {before / MIB:.0f} before")
        assert peak < limit
        for secret in cluster.kube.list(SECRET, namespace, labels="owner=helm,name=flooded"):
            cluster.kube.delete(SECRET, secret["metadata"]["name"], namespace)
        flooded.touch()
        flooded.wait_ready()
        flooded.delete()
        wait_until(lambda: cluster.kube.find(WIDGET, "flooded", namespace) is None, what="gone")
