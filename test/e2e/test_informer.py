# SPDX-License-Identifier: Apache-2.0
"""client-go's shared informer on a view: every controller's cache holds what the view shows."""

import concurrent.futures

import pytest

from cluster.components import Options
from e2e import farm as farms
from e2e.farm import API, ROOT
from harness.cluster import Cluster
from harness.informer import Informer
from harness.kube import wait_until
from harness.paths import REPOSITORY
from harness.views import ViewOptions, ViewServer

NOTES = "v1.bench.example.com"
# A client waits for half a minute before it tries again, at most.
RECOVERY_SECONDS = 60.0
# More than the buffers on the way to a client take: megabytes, which differ between kernels.
LARGE_CHANGES = 300
TEXT_BYTES = 100_000
# More than the 2048 changes that a view remembers.
SMALL_CHANGES = 2200
WRITERS = 8


@pytest.fixture(name="plane", scope="module")
def fixture_plane():
    """A control plane of our own without pods, which nothing changes then, with an account."""
    with Cluster.start(options=Options(pods=False)) as cluster:
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


@pytest.fixture(name="namespace")
def fixture_namespace(plane):
    """A new namespace."""
    name = plane.create_namespace("informer")
    yield name
    plane.kube.delete("v1/Namespace", name)


@pytest.fixture(name="inform", params=[True, False], ids=["watch-list", "list-and-watch"])
def fixture_inform(request, plane, farm, namespace):
    """`inform()` returns an informer on the FarmPods of the namespace, in each of client-go's
    modes.
    """
    assert farm.running()
    return lambda: Informer(
        plane.kubeconfig, f"{API}/farmpods", namespace, watch_list=request.param
    )


def create_pod(plane, namespace: str, name: str, containers: int = 1) -> None:
    """Creates a pod."""
    plane.kube.create(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"containers": [{"name": f"c{i}", "image": "x"} for i in range(containers)]},
        }
    )


def label_pod(plane, namespace: str, name: str, **labels) -> str:
    """Sets labels; returns the new version."""
    patch = {"metadata": {"labels": labels}}
    return plane.kube.patch("v1/Pod", name, namespace, patch)["metadata"]["resourceVersion"]


def delete_pod(plane, namespace: str, name: str) -> None:
    """Deletes a pod at once."""
    plane.kube.request(
        "DELETE", plane.kube.path("v1/Pod", name, namespace), {"gracePeriodSeconds": 0}
    )


def farmpods(namespace: str) -> str:
    """Returns the path of the FarmPods of a namespace."""
    return f"{ROOT}/namespaces/{namespace}/farmpods"


def shown(plane, path: str) -> dict[str, str]:
    """Returns what a view shows: NAMESPACE/NAME -> version."""
    found = [item["metadata"] for item in plane.kube.request("GET", path)["items"]]
    return {f"{one['namespace']}/{one['name']}": one["resourceVersion"] for one in found}


def held(informer: Informer) -> dict[str, str]:
    """Returns what the informer holds: NAMESPACE/NAME -> version."""
    return {key: one["version"] for key, one in informer.store().items()}


def test_an_informer_syncs_and_follows_the_sources(plane, namespace, inform):
    create_pod(plane, namespace, "first")
    create_pod(plane, namespace, "second", containers=2)
    with inform() as informer:
        first, second = f"{namespace}/farm-first", f"{namespace}/farm-second"
        assert {key: one["spec"] for key, one in informer.store().items()} == {
            first: {"containers": 1},
            second: {"containers": 2},
        }
        assert {line["key"] for line in informer.lines("added") if line.get("initial")} == {
            first,
            second,
        }
        create_pod(plane, namespace, "third", containers=3)
        added = informer.wait("added", key=f"{namespace}/farm-third")
        assert added["spec"] == {"containers": 3} and not added.get("initial")
        version = label_pod(plane, namespace, "first", app="web")
        informer.wait("updated", key=first, version=version)
        delete_pod(plane, namespace, "second")
        informer.wait("deleted", key=second)
        assert held(informer) == shown(plane, farmpods(namespace))
        assert set(held(informer)) == {first, f"{namespace}/farm-third"}
        assert informer.lines("error") == []


def test_an_informer_survives_a_restart_of_the_server(plane, farm, namespace, inform):
    for name in ("kept", "changed", "deleted"):
        create_pod(plane, namespace, name)
    with inform() as informer:
        assert len(held(informer)) == 3
        mark = informer.mark()
        assert farm.stop() == 0
        # Nobody is told of these changes.
        delete_pod(plane, namespace, "deleted")
        create_pod(plane, namespace, "created", containers=2)
        version = label_pod(plane, namespace, "changed", app="web")
        farm.wait_available(API, "False")
        farm.start()
        farm.wait_available(API)
        informer.wait("added", mark, RECOVERY_SECONDS, key=f"{namespace}/farm-created")
        informer.wait("updated", mark, key=f"{namespace}/farm-changed", version=version)
        informer.wait("deleted", mark, key=f"{namespace}/farm-deleted")
        assert held(informer) == shown(plane, farmpods(namespace))
        # It follows again, and was not told of anything twice.
        later = label_pod(plane, namespace, "kept", app="db")
        informer.wait("updated", mark, key=f"{namespace}/farm-kept", version=later)
        told = [
            line["key"] for line in informer.lines()[mark:] if line["event"] in ("added", "deleted")
        ]
        assert len(told) == len(set(told)) == 2


def note(namespace: str, name: str, text: str = "") -> dict:
    """Returns a ConfigMap that the view of bench/notes shows."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace, "labels": {"bench": "note"}},
        "data": {"title": "first", "text": text},
    }


def test_an_informer_survives_the_end_of_its_history(plane, namespace):
    for name, text in (("large", "x" * TEXT_BYTES), ("small", ""), ("old", "")):
        plane.kube.create(note(namespace, name, text))
    path = f"/apis/bench.example.com/v1/namespaces/{namespace}/notes"

    def change(name: str, times: int) -> None:
        def once(number: int) -> None:
            plane.kube.patch("v1/ConfigMap", name, namespace, {"data": {"title": str(number)}})

        with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(once, range(times)))

    options = ViewOptions(plane.kubeconfig, REPOSITORY / "bench" / "notes", "default/notes")
    with ViewServer(plane.kube, options) as server:
        server.create_service()
        server.start()
        server.wait_available(NOTES)
        with Informer(plane.kubeconfig, f"{NOTES}/notes", namespace) as informer:
            since = plane.audit.mark()
            informer.freeze()
            plane.kube.delete("v1/ConfigMap", "old", namespace)
            change("large", LARGE_CHANGES)
            change("small", SMALL_CHANGES)
            informer.thaw()
            informer.wait("deleted", 0, RECOVERY_SECONDS, key=f"{namespace}/old")
            newest = shown(plane, path)
            assert newest.keys() == {f"{namespace}/large", f"{namespace}/small"}
            informer.wait("updated", 0, RECOVERY_SECONDS, version=newest[f"{namespace}/small"])
            assert held(informer) == newest
            asked = plane.audit.requests(since, resource="notes", user_agent=informer.user_agent)
            again = [
                one for one in asked if one.verb == "list" or "sendInitialEvents=true" in one.uri
            ]
            assert again, f"the informer did not have to begin again: {asked}"
            assert len(informer.lines("updated")) < SMALL_CHANGES


def test_informers_of_all_namespaces_agree_with_the_list(plane, farm, namespace):
    assert farm.running()
    other = plane.create_namespace("informer")
    create_pod(plane, namespace, "here")
    with Informer(plane.kubeconfig, f"{API}/farmpods", "") as informer:
        create_pod(plane, other, "there")
        informer.wait("added", key=f"{other}/farm-there")
        expected = {f"{namespace}/farm-here", f"{other}/farm-there"}
        wait_until(lambda: expected <= set(held(informer)), what="both namespaces")
    plane.kube.delete("v1/Namespace", other)
