# SPDX-License-Identifier: Apache-2.0
"""Farm: resources that are served, not stored. On a cluster of its own: an aggregated API that is
down is felt by everybody.
"""

import base64
import http.client
import json
import ssl
import subprocess
import threading
import time

import pytest

from e2e import farm as farms
from e2e.farm import API, ROOT
from harness.cluster import Cluster
from harness.connection import ApiError
from harness.kube import wait_until
from harness.kubectl import KubectlError
from harness.paths import REPOSITORY
from harness.views import ViewOptions, ViewServer

HERD = REPOSITORY / "test" / "e2e" / "views"
SHEEP_API = "v1.herd.example.com"
SHEEP_ROOT = "/apis/herd.example.com/v1"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=%s;as=APIGroupDiscoveryList"


@pytest.fixture(name="plane", scope="module")
def fixture_plane():
    """A control plane of our own, with the farm's account and rights."""
    with Cluster.start() as cluster:
        farms.install(cluster)
        yield cluster


@pytest.fixture(name="farm_process", scope="module")
def fixture_farm_process(plane):
    """The farm under the rights that it ships with; tests use `farm`."""
    with farms.declared(plane) as server:
        yield server


@pytest.fixture(name="farm")
def fixture_farm(farm_process):
    """The farm, serving."""
    return farms.ensure_serving(farm_process)


@pytest.fixture(name="herd", scope="module")
def fixture_herd(plane):
    """Views with a store and without namespaces, with all rights."""
    options = ViewOptions(plane.kubeconfig, HERD, "default/herd", ("--subject-access-review",))
    with ViewServer(plane.kube, options) as server:
        server.create_service()
        server.start()
        server.wait_available(SHEEP_API)
        yield server


@pytest.fixture(name="namespace")
def fixture_namespace(plane):
    """A new namespace."""
    name = plane.create_namespace("farm")
    yield name
    plane.kube.delete("v1/Namespace", name)


def create_pod(plane, namespace: str, name: str, containers: int = 1, **labels) -> None:
    """Creates a pod with that many containers."""
    plane.kube.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace, "labels": labels},
            "spec": {"containers": [{"name": f"c{i}", "image": "x"} for i in range(containers)]},
        }
    )


def names(listed: dict) -> list[str]:
    """Returns the names of a list."""
    return [item["metadata"]["name"] for item in listed["items"]]


def refusal(call, *arguments, **options) -> ApiError:
    """Returns the error of a call, which must be a whole Status."""
    with pytest.raises(ApiError) as caught:
        call(*arguments, **options)
    body = caught.value.body
    assert (body["kind"], body["apiVersion"], body["status"]) == ("Status", "v1", "Failure")
    assert body["code"] == caught.value.code and body["reason"] and body["message"]
    return caught.value


def connect(plane, port: int, certificate: str | None) -> http.client.HTTPSConnection:
    """Returns a connection to the server itself. `certificate` is a file's stem."""
    tls = ssl.create_default_context()
    tls.check_hostname = False
    tls.verify_mode = ssl.CERT_NONE
    if certificate is not None:
        pki = plane.state.pki
        tls.load_cert_chain(pki / f"{certificate}.crt", pki / f"{certificate}.key")
    return http.client.HTTPSConnection("127.0.0.1", port, context=tls, timeout=20)


def ask(plane, port: int, path: str, headers: dict, certificate: str | None):
    """Asks the server itself; returns (status, headers, text)."""
    connection = connect(plane, port, certificate)
    try:
        connection.request("GET", path, headers=headers)
        reply = connection.getresponse()
        return reply.status, dict(reply.getheaders()), reply.read().decode()
    finally:
        connection.close()


def test_fm1_the_api_service_is_available_and_discovery_exact(plane, farm):
    listed = plane.kube.request("GET", ROOT)
    assert (listed["kind"], listed["groupVersion"]) == (
        "APIResourceList",
        "farm.example.com/v1alpha",
    )
    verbs = {r["name"]: r["verbs"] for r in listed["resources"]}
    assert verbs == {"farmpods": ["get", "list", "watch"], "llamas": ["get", "list"]}
    fields = ("kind", "singularName", "namespaced")
    kinds = {r["name"]: tuple(r[field] for field in fields) for r in listed["resources"]}
    assert kinds == {"farmpods": ("FarmPod", "farmpod", True), "llamas": ("Llama", "llama", True)}
    wait_until(lambda: shown_by_kubectl(plane) == {"farmpods", "llamas"}, what="api-resources")
    assert farm.availability(API)["reason"] == "Passed"


def shown_by_kubectl(plane) -> set[str]:
    """Returns the resources of the farm that kubectl knows."""
    group = "--api-group=farm.example.com"
    text = plane.kubectl("api-resources", group, "-o", "name", "--cached=false")
    return {line.split(".")[0] for line in text.split()}


def test_fm2_llamas_are_listed_and_read(plane, farm):
    assert farm.running()
    assert "dolly" in plane.kubectl("get", "llamas", "-n", "default")
    dolly = json.loads(plane.kubectl("get", "llama", "dolly", "-n", "default", "-o", "json"))
    assert dolly["spec"] == {"weight": 0.5, "height": 31.4}
    with pytest.raises(KubectlError, match=r'llamas\.farm\.example\.com "polly" not found'):
        plane.kubectl("get", "llama", "polly", "-n", "default")


def test_fm3_each_pod_is_shown_as_it_is_now(plane, farm, namespace):
    path = f"{ROOT}/namespaces/{namespace}/farmpods"
    assert farm.running() and plane.kube.request("GET", path)["items"] == []
    create_pod(plane, namespace, "one")
    create_pod(plane, namespace, "two", containers=2)
    # The very next list, without waiting.
    listed = plane.kube.request("GET", path)
    assert {i["metadata"]["name"]: i["spec"]["containers"] for i in listed["items"]} == {
        "farm-one": 1,
        "farm-two": 2,
    }
    assert plane.kube.request("GET", f"{path}/farm-two")["spec"] == {"containers": 2}
    plane.kube.delete("v1/Pod", "one", namespace)
    plane.kube.wait_gone("v1/Pod", "one", namespace)
    assert names(plane.kube.request("GET", path)) == ["farm-two"]
    assert refusal(plane.kube.request, "GET", f"{path}/farm-one").code == 404


def test_fm4_kubectl_explains_the_kinds(plane, farm):
    assert farm.running()

    def published() -> bool:
        index = plane.kubectl("get", "--raw", "/openapi/v3")
        return ROOT.removeprefix("/") in json.loads(index)["paths"]

    wait_until(published, timeout_seconds=90, what="OpenAPI")
    explained = plane.kubectl("explain", "llama.spec")
    assert "weight\t<number>" in explained and "Height in hands." in explained
    assert "Number of containers in the pod." in plane.kubectl("explain", "farmpods.spec")


def test_fm4_openapi_v2_is_merged_by_the_api_server(plane, farm):
    assert farm.running()

    def model():
        return plane.kube.request("GET", "/openapi/v2")["definitions"].get(
            "com.example.farm.v1alpha.Llama"
        )

    found = wait_until(model, timeout_seconds=90, what="the model of Llama")
    assert found["properties"]["spec"]["properties"]["weight"]["type"] == "number"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_fm5_a_verb_that_is_not_declared_is_refused(plane, farm, method):
    assert farm.running()
    path = f"{ROOT}/namespaces/default/llamas" + ("" if method == "POST" else "/dolly")
    refused = refusal(plane.kube.request, method, path, {})
    assert (refused.code, refused.reason) == (405, "MethodNotAllowed")
    watch = refusal(plane.kube.request, "GET", f"{ROOT}/llamas", query={"watch": "true"})
    assert watch.code == 405


def sheep(name: str, namespace: str, spec: dict, **metadata) -> dict:
    """Returns a Sheep."""
    return {
        "apiVersion": "herd.example.com/v1",
        "kind": "Sheep",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": spec,
    }


def test_fm5_writes_go_to_the_store(plane, herd, namespace):
    assert herd.running()
    path = f"{SHEEP_ROOT}/namespaces/{namespace}/sheep"
    made = plane.kube.request(
        "POST", path, sheep("molly", namespace, {"wool": 3}, labels={"farm": "north"})
    )
    stored = plane.kube.get("v1/ConfigMap", "sheep-molly", namespace)
    assert json.loads(stored["data"]["spec"]) == {"wool": 3}
    assert stored["metadata"]["labels"] == {"farm": "north", "herd.example.com/kind": "sheep"}
    assert made["metadata"]["resourceVersion"] == stored["metadata"]["resourceVersion"]
    assert made["metadata"]["uid"] != stored["metadata"]["uid"]
    twice = refusal(plane.kube.request, "POST", path, sheep("molly", namespace, {"wool": 3}))
    assert (twice.code, twice.reason) == (409, "AlreadyExists")

    made["spec"]["wool"] = 4
    replaced = plane.kube.request("PUT", f"{path}/molly", made)
    assert replaced["spec"] == {"wool": 4}
    stale = refusal(plane.kube.request, "PUT", f"{path}/molly", made)
    assert (stale.code, stale.reason) == (409, "Conflict")

    for body, content_type in (
        ({"spec": {"wool": 5}}, "application/merge-patch+json"),
        ([{"op": "replace", "path": "/spec/wool", "value": 5}], "application/json-patch+json"),
    ):
        patched = plane.kube.request("PATCH", f"{path}/molly", body, content_type=content_type)
        assert patched["spec"] == {"wool": 5}
    apply = refusal(
        plane.kube.request,
        "PATCH",
        f"{path}/molly",
        {},
        content_type="application/strategic-merge-patch+json",
    )
    assert (apply.code, apply.reason) == (415, "UnsupportedMediaType")

    plane.kube.request("DELETE", f"{path}/molly")
    plane.kube.wait_gone("v1/ConfigMap", "sheep-molly", namespace)
    assert refusal(plane.kube.request, "DELETE", f"{path}/molly").code == 404


def test_fm5_kubectl_creates_applies_edits_and_deletes(plane, herd, namespace):
    assert herd.running()
    first = json.dumps(sheep("dora", namespace, {"wool": 1}))
    kubectl = plane.kubectl
    assert "created" in kubectl("create", "-f", "-", "--dry-run=server", input=first)
    assert plane.kube.find("v1/ConfigMap", "sheep-dora", namespace) is None
    assert "created" in kubectl("apply", "-f", "-", input=first)
    second = json.dumps(sheep("dora", namespace, {"wool": 2}))
    assert "configured" in kubectl("apply", "-f", "-", input=second)
    assert "unchanged" in kubectl("apply", "-f", "-", input=second)
    kubectl("label", "sheep", "dora", "-n", namespace, "shorn=true")
    kubectl("patch", "sheep", "dora", "-n", namespace, "--type=merge", "-p", '{"spec":{"wool":0}}')
    shown = json.loads(kubectl("get", "sheep", "dora", "-n", namespace, "-o", "json"))
    assert shown["spec"] == {"wool": 0} and shown["metadata"]["labels"]["shorn"] == "true"
    assert "Wool:" in kubectl("describe", "sheep", "dora", "-n", namespace)
    kubectl("delete", "sheep", "--all", "-n", namespace)
    assert plane.kube.list("v1/ConfigMap", namespace, labels="herd.example.com/kind=sheep") == []


def test_fm5_a_wrong_object_is_refused(plane, herd, namespace):
    assert herd.running()
    path = f"{SHEEP_ROOT}/namespaces/{namespace}/sheep"

    def post(obj, **options):
        return refusal(plane.kube.request, "POST", path, obj, **options)

    wrong = post(sheep("a", namespace, {"wool": -1}))
    assert (wrong.code, wrong.reason) == (422, "Invalid")
    assert wrong.causes[0]["field"] == "spec.wool"
    assert post(sheep("a", namespace, {})).code == 422
    assert post(sheep("A_b", namespace, {"wool": 1})).code == 422
    assert post(sheep("a", "elsewhere", {"wool": 1})).code == 400
    assert post({**sheep("a", namespace, {"wool": 1}), "kind": "Goat"}).code == 400
    strict = post(sheep("a", namespace, {"wool": 1, "wol": 2}), query={"fieldValidation": "Strict"})
    assert strict.code == 400 and 'unknown field "spec.wol"' in strict.message
    assert post(sheep("a", namespace, {"wool": 1}), content_type="text/plain").code == 415
    assert plane.kube.list("v1/ConfigMap", namespace, labels="herd.example.com/kind=sheep") == []


def test_fm6_errors_are_status_objects_and_list_kinds_are_right(plane, farm):
    assert farm.running()
    missing = refusal(plane.kube.request, "GET", f"{ROOT}/namespaces/default/llamas/polly")
    assert (missing.code, missing.reason) == (404, "NotFound")
    assert missing.body["details"] == {
        "group": "farm.example.com",
        "kind": "llamas",
        "name": "polly",
    }
    assert plane.kube.request("GET", f"{ROOT}/llamas")["kind"] == "LlamaList"
    assert plane.kube.request("GET", f"{ROOT}/farmpods")["kind"] == "FarmPodList"
    for path in (f"{ROOT}/goats", f"{ROOT}/namespaces/default/llamas/dolly/status"):
        assert refusal(plane.kube.request, "GET", path).code == 404
    bad = refusal(plane.kube.request, "GET", f"{ROOT}/farmpods", query={"labelSelector": "a in"})
    assert (bad.code, bad.reason) == (400, "BadRequest")


def test_fm7_all_namespaces_single_reads_and_metadata(plane, farm, namespace):
    assert farm.running()
    create_pod(plane, namespace, "web")
    pod = plane.kube.get("v1/Pod", "web", namespace)
    every = plane.kube.request("GET", f"{ROOT}/farmpods")
    assert (namespace, "farm-web") in {
        (i["metadata"]["namespace"], i["metadata"]["name"]) for i in every["items"]
    }
    assert namespace in plane.kubectl("get", "farmpods", "-A")
    assert "farm-web" in plane.kubectl("get", "farmpods", "farm-web", "-n", namespace)
    shown = plane.kube.request("GET", f"{ROOT}/namespaces/{namespace}/farmpods/farm-web")
    metadata = shown["metadata"]
    assert metadata["namespace"] == namespace
    assert metadata["creationTimestamp"] == pod["metadata"]["creationTimestamp"]
    # The garbage collector takes objects of one uid for one object.
    assert len(metadata["uid"]) == 36 and metadata["uid"] != pod["metadata"]["uid"]
    assert "managedFields" not in metadata and "annotations" not in metadata


def test_fm7_a_view_without_namespaces(plane, herd):
    assert herd.running()
    shown = plane.kube.request("GET", f"{SHEEP_ROOT}/flocks/default")
    assert shown["spec"] == {"phase": "Active"} and "namespace" not in shown["metadata"]
    assert "kube-system" in plane.kubectl("get", "flocks")
    path = f"{SHEEP_ROOT}/namespaces/default/flocks"
    assert refusal(plane.kube.request, "GET", path).code == 404


def test_fm8_selectors_and_pages(plane, farm, namespace):
    assert farm.running()
    for number in range(5):
        create_pod(plane, namespace, f"p{number}", app="web" if number % 2 else "db")
    path = f"{ROOT}/namespaces/{namespace}/farmpods"

    def select(**query):
        return names(plane.kube.request("GET", path, query=query))

    assert select(labelSelector="app=web") == ["farm-p1", "farm-p3"]
    assert select(labelSelector="app in (web, x),!missing") == ["farm-p1", "farm-p3"]
    assert select(labelSelector="app!=web,app") == ["farm-p0", "farm-p2", "farm-p4"]
    assert select(fieldSelector="metadata.name=farm-p2") == ["farm-p2"]
    assert select(fieldSelector=f"metadata.namespace!={namespace}") == []
    pages, token, versions = [], None, set()
    while True:
        page = plane.kube.request("GET", path, query={"limit": 2, "continue": token})
        if not pages:
            create_pod(plane, namespace, "p9")  # Not part of the list that has begun.
        pages.append(names(page))
        versions.add(page["metadata"]["resourceVersion"])
        token = page["metadata"].get("continue")
        if not token:
            break
    assert pages == [["farm-p0", "farm-p1"], ["farm-p2", "farm-p3"], ["farm-p4"]]
    assert len(versions) == 1
    bad = refusal(plane.kube.request, "GET", path, query={"limit": 1, "continue": "x"})
    assert bad.code == 400
    assert "farm-p9" in plane.kubectl("get", "farmpods", "-n", namespace, "--chunk-size=1")


def test_fm8_tables_and_partial_metadata(plane, farm, namespace):
    assert farm.running()
    create_pod(plane, namespace, "web", containers=2)
    path = f"{ROOT}/namespaces/{namespace}/farmpods"
    table = plane.kube.request("GET", path, accept=TABLE)
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert [c["name"] for c in table["columnDefinitions"]] == ["Name", "Containers", "Age"]
    assert table["rows"][0]["cells"][:2] == ["farm-web", 2]
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
    partial = plane.kube.request("GET", path, accept=PARTIAL_LIST)
    assert partial["kind"] == "PartialObjectMetadataList"
    assert set(partial["items"][0]) == {"apiVersion", "kind", "metadata"}
    protobuf = refusal(
        plane.kube.request, "GET", path, accept="application/vnd.kubernetes.protobuf"
    )
    assert (protobuf.code, protobuf.reason) == (406, "NotAcceptable")


def test_fm8_a_watch_follows_the_source(plane, farm, namespace):
    assert farm.running()
    create_pod(plane, namespace, "old", app="web")
    path = f"{ROOT}/namespaces/{namespace}/farmpods"
    version = plane.kube.request("GET", path)["metadata"]["resourceVersion"]
    query = {"watch": "true", "resourceVersion": version, "labelSelector": "app=web"}
    events = plane.kube.connection.stream(path, query, 30)
    create_pod(plane, namespace, "new", app="web")
    create_pod(plane, namespace, "other", app="db")

    def next_of(kinds: set) -> tuple:
        event = next(e for e in events if e["type"] in kinds)
        return event["type"], event["object"]["metadata"]["name"]

    assert next_of({"ADDED"}) == ("ADDED", "farm-new")
    # An object that stops to match is deleted for this watch, and added when it matches again.
    plane.kube.patch("v1/Pod", "new", namespace, {"metadata": {"labels": {"app": "db"}}})
    assert next_of({"DELETED"}) == ("DELETED", "farm-new")
    plane.kube.patch("v1/Pod", "other", namespace, {"metadata": {"labels": {"app": "web"}}})
    assert next_of({"ADDED"}) == ("ADDED", "farm-other")
    plane.kube.delete("v1/Pod", "old", namespace)
    assert next_of({"DELETED"}) == ("DELETED", "farm-old")


def test_fm8_a_watch_lists_first_if_asked_and_expires(plane, farm, namespace):
    assert farm.running()
    create_pod(plane, namespace, "web")
    path = f"{ROOT}/namespaces/{namespace}/farmpods"
    initial = {
        "watch": "true",
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "allowWatchBookmarks": "true",
        "timeoutSeconds": 30,
    }
    events = plane.kube.connection.stream(path, initial, 30)
    added, bookmark = next(events), next(events)
    assert (added["type"], bookmark["type"]) == ("ADDED", "BOOKMARK")
    assert bookmark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    old = {"watch": "true", "resourceVersion": "1"}
    assert farms.end_of_watch(plane, path, old) == ("ERROR", 410, "Expired")
    short = {"watch": "true", "resourceVersion": "0", "timeoutSeconds": 1}
    types = [e["type"] for e in plane.kube.connection.stream(path, short, 30)]
    assert types[0] == "ADDED"


def test_fm8_kubectl_watches(plane, farm, namespace):
    assert farm.running()
    kubectl = plane.kubectl
    command = [kubectl.binary, "get", "farmpods", "-n", namespace, "-w", "--no-headers"]
    with subprocess.Popen(
        command, env=kubectl.environment(), stdout=subprocess.PIPE, text=True
    ) as watching:
        create_pod(plane, namespace, "web")
        assert watching.stdout.readline().split()[0] == "farm-web"
        watching.terminate()


def test_fm8_kubectl_shows_wide_columns_and_selects_by_label(plane, herd, namespace):
    assert herd.running()
    kubectl = plane.kubectl
    for name, farm, colour in (("molly", "north", "black"), ("dora", "south", "white")):
        made = sheep(name, namespace, {"wool": 1, "colour": colour}, labels={"farm": farm})
        kubectl("create", "-f", "-", input=json.dumps(made))

    def rows(*options: str) -> list[list[str]]:
        return [line.split() for line in kubectl("get", "sheep", *options).splitlines()]

    plain, wide = rows("-n", namespace), rows("-n", namespace, "-o", "wide")
    assert plain[0] == ["NAME", "WOOL", "AGE"]
    assert wide[0] == ["NAME", "WOOL", "COLOUR", "AGE"]
    assert [row[:3] for row in wide[1:]] == [["dora", "1", "white"], ["molly", "1", "black"]]
    north = rows("-n", namespace, "-l", "farm=north", "--no-headers")
    assert [row[0] for row in north] == ["molly"]
    chosen = rows("-A", "-l", "farm in (south),farm", "-o", "wide", "--show-labels", "--no-headers")
    assert [row[:4] for row in chosen] == [[namespace, "dora", "1", "white"]]
    assert chosen[0][-1].startswith("farm=south,")


def test_fm9_only_the_aggregator_is_believed(plane, farm):
    claim = {"X-Remote-User": "admin", "X-Remote-Group": "system:masters"}
    path = f"{ROOT}/farmpods"
    status, _, text = ask(plane, farm.port, path, claim, None)
    assert status == 401 and json.loads(text)["reason"] == "Unauthorized"
    # A certificate of the cluster, but not of the front proxy's authority.
    with pytest.raises((ssl.SSLError, ConnectionError)):
        ask(plane, farm.port, path, claim, "admin")
    status, _, _ = ask(plane, farm.port, path, claim, "front-proxy-client")
    assert status == 200
    status, _, _ = ask(plane, farm.port, path, {}, "front-proxy-client")
    assert status == 401  # Names no user.


def test_fm9_a_certificate_with_another_name_is_refused(plane, farm):
    pki = plane.state.pki
    command = [
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
        *("-nodes", "-days", "2", "-CA", pki / "front-proxy-ca.crt"),
        *("-CAkey", pki / "front-proxy-ca.key", "-subj", "/CN=stranger"),
        *("-addext", "extendedKeyUsage=clientAuth", "-addext", "basicConstraints=CA:FALSE"),
        *("-keyout", pki / "stranger.key", "-out", pki / "stranger.crt"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    status, _, _ = ask(plane, farm.port, f"{ROOT}/farmpods", {"X-Remote-User": "a"}, "stranger")
    assert status == 401


def test_fm9_the_server_itself_asks_what_a_user_may(plane, herd):
    headers = {"X-Remote-User": "nobody", "Audit-ID": "3f0e"}
    path = f"{SHEEP_ROOT}/flocks"
    status, reply, text = ask(plane, herd.port, path, headers, "front-proxy-client")
    assert (status, json.loads(text)["reason"]) == (403, "Forbidden")
    assert reply["Audit-Id"] == "3f0e"
    headers = {"X-Remote-User": "somebody", "X-Remote-Group": "system:masters"}
    status, _, _ = ask(plane, herd.port, path, headers, "front-proxy-client")
    assert status == 200


def test_fm10_the_ca_bundle_is_kept(plane, farm):
    before = plane.kube.get("APIService", API)["spec"]
    assert before["caBundle"] and not before.get("insecureSkipTLSVerify")
    plane.kube.patch("APIService", API, None, {"spec": {"caBundle": None}})
    wait_until(
        lambda: plane.kube.get("APIService", API)["spec"].get("caBundle") == before["caBundle"],
        what="the caBundle to be back",
    )
    # The manifests have the APIService without its caBundle: applied again, they leave it alone.
    plane.kubectl("apply", "-f", str(farms.FARM / "deploy" / "views" / "apiservices.yaml"))
    assert plane.kube.get("APIService", API)["spec"]["caBundle"] == before["caBundle"]
    farm.wait_available(API)
    subject = certificate_text(farm.port, "-ext", "subjectAltName")
    assert "DNS:farm-operator.default.svc," in subject


def certificate_text(port: int, *arguments: str) -> str:
    """Returns a part of the serving certificate, as openssl prints it."""
    pem = ssl.get_server_certificate(("127.0.0.1", port))
    done = subprocess.run(
        ["openssl", "x509", "-noout", *arguments],
        input=pem,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_fm10_the_certificate_is_rotated(plane, tmp_path):
    text = (HERD / "flocks.yaml").read_text(encoding="utf-8")
    view = text.replace("herd.example.com", "rotating.example.com")
    (tmp_path / "view.yaml").write_text(view, encoding="utf-8")
    api = "v1.rotating.example.com"
    options = ViewOptions(
        plane.kubeconfig, tmp_path, "default/rotating", ("--certificate-lifetime=12s",)
    )
    kube = plane.kube
    with ViewServer(kube, options) as server:
        server.create_service()
        server.start()
        server.wait_available(api)
        first = certificate_text(server.port, "-serial")
        wait_until(
            lambda: certificate_text(server.port, "-serial") != first,
            timeout_seconds=30,
            what="another certificate",
        )
        bundle = base64.b64decode(kube.get("APIService", api)["spec"]["caBundle"])
        assert b"BEGIN CERTIFICATE" in bundle
        path = "/apis/rotating.example.com/v1/flocks"
        assert kube.request("GET", path)["kind"] == "FlockList"
        server.stop()
        subprocess.run(
            server.command("--unregister"),
            env=server.environment(),
            check=True,
            capture_output=True,
        )


def test_fm11_discovery_is_aggregated_or_not_acceptable(plane, farm):
    def apis(accept: str):
        headers = {"X-Remote-User": "a", "Accept": accept}
        return ask(plane, farm.port, "/apis", headers, "front-proxy-client")

    for version in ("v2", "v2beta1"):
        status, headers, text = apis(AGGREGATED % version)
        document = json.loads(text)
        assert status == 200 and headers["Content-Type"] == AGGREGATED % version
        assert document["apiVersion"] == f"apidiscovery.k8s.io/{version}"
        resources = document["items"][0]["versions"][0]["resources"]
        assert [r["resource"] for r in resources] == ["farmpods", "llamas"]
        assert resources[0]["responseKind"]["kind"] == "FarmPod"
    status, _, text = apis("application/json")
    assert (status, json.loads(text)["kind"]) == (200, "APIGroupList")
    status, _, text = apis(AGGREGATED % "v9")
    assert (status, json.loads(text)["reason"]) == (406, "NotAcceptable")
    # The API server has merged it.
    merged = plane.kube.request("GET", "/apis", accept=AGGREGATED % "v2")
    ours = next(g for g in merged["items"] if g["metadata"]["name"] == "farm.example.com")
    assert ours["versions"][0]["freshness"] == "Current"


def test_fm11_namespaces_can_be_deleted(plane, farm):
    assert farm.running()
    name = plane.create_namespace("farm")
    plane.kube.delete("v1/Namespace", name)
    plane.kube.wait_gone("v1/Namespace", name, timeout_seconds=60)


def test_fm12_an_error_of_the_source_is_a_5xx_status(plane, farm):
    role = plane.kube.get("ClusterRole", "farm-operator")
    without = [r for r in role["rules"] if "pods" not in r["resources"]]
    plane.kube.patch("ClusterRole", "farm-operator", None, {"rules": without})

    def failure():
        try:
            plane.kube.request("GET", f"{ROOT}/farmpods")
            return None
        except ApiError as error:
            return error

    try:
        error = wait_until(failure, what="the error")
        assert error.code == 500 and error.body["kind"] == "Status"
        assert "the source of farmpods.farm.example.com" in error.message
        assert plane.kube.request("GET", f"{ROOT}/llamas")["kind"] == "LlamaList"
    finally:
        plane.kube.patch("ClusterRole", "farm-operator", None, {"rules": role["rules"]})
    wait_until(lambda: failure() is None, what="the list")
    assert farm.running()


def test_fm13_a_stopped_server_is_unavailable_and_does_not_hang(plane, farm, namespace):
    create_pod(plane, namespace, "web")
    path = f"{ROOT}/namespaces/{namespace}/farmpods"
    began, ended = threading.Event(), threading.Event()

    def watch():
        query = {"watch": "true", "resourceVersion": "0"}
        for _ in plane.kube.connection.stream(path, query, 30):
            began.set()
        ended.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert began.wait(10)
    assert farm.stop() == 0
    watcher.join(10)
    assert ended.is_set()
    asked = time.monotonic()
    with pytest.raises(ApiError) as refused:
        plane.kube.request("GET", path)
    assert refused.value.code == 503 and time.monotonic() - asked < 5
    farm.wait_available(API, "False")
    farm.start()
    farm.wait_available(API)
    assert names(plane.kube.request("GET", path)) == ["farm-web"]


def test_fm13_a_frozen_server_is_unavailable(plane, farm):
    farm.freeze()
    try:
        farm.wait_available(API, "False")
        asked = time.monotonic()
        with pytest.raises(ApiError) as refused:
            plane.kube.request("GET", f"{ROOT}/farmpods")
        assert refused.value.code == 503 and time.monotonic() - asked < 5
    finally:
        farm.thaw()
    farm.wait_available(API)
    assert plane.kube.request("GET", f"{ROOT}/farmpods")["kind"] == "FarmPodList"


def test_fm13_a_namespace_that_waits_for_the_server_goes_when_it_is_back(plane, farm):
    name = plane.create_namespace("farm")
    assert farm.stop() == 0
    farm.wait_available(API, "False")
    plane.kube.delete("v1/Namespace", name)
    plane.kube.wait("v1/Namespace", name, None, discovery_failed, timeout_seconds=60)
    farm.start()
    farm.wait_available(API)
    plane.kube.wait_gone("v1/Namespace", name, timeout_seconds=60)


def discovery_failed(namespace: dict | None) -> bool:
    """Reports whether the deletion waits for an API that cannot be discovered."""
    conditions = (namespace or {}).get("status", {}).get("conditions", [])
    return any(
        c["type"] == "NamespaceDeletionDiscoveryFailure" and c["status"] == "True"
        for c in conditions
    )


def test_fm13_uninstalling_removes_the_api_service_first(plane, farm):
    # By hand ...
    subprocess.run(
        farm.command("--unregister"), env=farm.environment(), check=True, capture_output=True
    )
    # ... which a running server takes for an accident.
    wait_until(lambda: plane.kube.find("APIService", API) is not None, what="the APIService")
    farm.wait_available(API)
    # The Service goes: nothing can be reached any more.
    plane.kube.delete("v1/Service", "farm-operator", "default")
    plane.kube.wait_gone("APIService", API)
    farm.create_service()
    farm.wait_available(API)
    farm.stop()
    subprocess.run(
        farm.command("--unregister"), env=farm.environment(), check=True, capture_output=True
    )
    assert plane.kube.find("APIService", API) is None
