# SPDX-License-Identifier: Apache-2.0
"""Outages of the API server, before the operator starts and while it runs."""

import datetime
import itertools
import os
import shutil
import signal

import pytest

from cluster.components import APISERVER, ETCD, Options
from e2e import meters, session
from e2e import traffic as expect
from e2e.custom_resource import CONFIGMAP, PET, WIDGET, CustomResource
from e2e.test_pet import THOR
from e2e.traffic import Traffic
from harness.cluster import Cluster
from harness.kube import wait_until
from harness.petstore import PetStore

NAMESPACE = "default"
RESTORE_SECONDS = 300.0


@pytest.fixture(scope="module")
def frail(cluster):
    """A separate cluster without pods, whose API server tests may stop."""
    if cluster.external:
        pytest.skip("stops the API server, which only a cluster of our own allows")
    with Cluster.start(options=Options(pods=False)) as running:
        session.install(running)
        yield running


@pytest.fixture
def api_server(frail):
    """The cluster; its API server runs again after the test."""
    yield frail
    frail.start_component(APISERVER)


def test_an_api_server_that_is_down_at_the_start_is_waited_for(api_server):
    early = CustomResource(api_server, WIDGET, NAMESPACE, "early").create()
    operator = session.widget_operator(api_server)
    api_server.stop_component(APISERVER)
    operator.launch()
    try:
        wait_until(lambda: operator.http_status("/healthz") == 200, what="/healthz")
        operator.wait_log(lambda line: line["level"] in ("error", "warn"), what="a word about it")
        assert operator.http_status("/readyz") != 200
        assert operator.running()
        api_server.start_component(APISERVER)
        operator.wait_ready(timeout_seconds=60)
        early.wait_ready()
    finally:
        operator.close()


def test_an_api_server_that_goes_down_later_is_waited_for(api_server):
    stays = CustomResource(api_server, WIDGET, NAMESPACE, "stays").create({"count": 3})
    traffic = Traffic(api_server.audit, session.user_of(session.WIDGETS), NAMESPACE)
    with session.widget_operator(api_server) as operator:
        stays.wait_ready()
        meters.wait_at_rest(operator)
        mark = traffic.mark()
        api_server.stop_component(APISERVER)
        operator.wait_log(
            lambda line: line["level"] in ("error", "warn"), what="a word about the lost watches"
        )
        assert operator.http_status("/healthz") == 200
        api_server.start_component(APISERVER)
        assert operator.running()
        # The operator sees that everything is in sync, without a write.
        meters.wait_at_rest(operator)
        traffic.check(mark, expect.no_write)

        stays.kube.delete(CONFIGMAP, "stays-1", NAMESPACE)
        stays.wait_child(CONFIGMAP, "stays-1", timeout_seconds=60)
        later = CustomResource(api_server, WIDGET, NAMESPACE, "later").create()
        later.wait_ready(timeout_seconds=60)


def version_of(obj: dict) -> int:
    return int(obj["metadata"]["resourceVersion"])


def pass_version(kube, version: int) -> None:
    """Writes until the API server gives out later versions than that."""
    noise = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "noise", "namespace": NAMESPACE},
    }
    for number in itertools.count():
        if version_of(kube.apply({**noise, "data": {"number": f"{number}"}})) > version:
            break
    kube.delete(CONFIGMAP, "noise", NAMESPACE)


class Backup:
    """A copy of what etcd stores, in `folder`."""

    def __init__(self, cluster, folder):
        self.cluster = cluster
        self.folder = folder
        self._while_down(lambda: shutil.copytree(cluster.state.etcd, folder))

    def restore(self) -> None:
        """Goes back to the copy."""
        live = self.cluster.state.etcd
        self._while_down(lambda: (shutil.rmtree(live), shutil.copytree(self.folder, live)))

    def _while_down(self, act) -> None:
        for component in (APISERVER, ETCD):
            self.cluster.stop_component(component)
        act()
        for component in (ETCD, APISERVER):
            self.cluster.start_component(component)


def back_up_before_upgrades(cluster, operator, cr, folder) -> Backup:
    """Has a custom resource upgraded four times; returns what etcd had before."""
    cr.wait_ready()
    meters.wait_at_rest(operator)
    backup = Backup(cluster, folder / "etcd")
    for revision in range(2, 6):
        cr.patch({"text": f"{revision}"})
        cr.wait_revision(revision)
    meters.wait_at_rest(operator)
    return backup


def check_repair_and_upgrade(operator, cr, timeout_seconds: float) -> None:
    """Asserts that the edited child gets revision 1's text, and that a new spec is revision 2."""
    cr.wait_child(
        CONFIGMAP,
        f"{cr.name}-0",
        lambda child: child["data"]["text"] == "1",
        timeout_seconds=timeout_seconds,
    )
    cr.patch({"text": "2"})
    cr.wait_ready(timeout_seconds=timeout_seconds)
    assert cr.status()["revision"] == 2
    assert operator.running()


def test_a_restored_etcd_hides_no_drift(api_server, tmp_path):
    """Versions that the operator has noted are given out again; its watches wait for later ones."""
    cr = CustomResource(api_server, WIDGET, NAMESPACE, "restored").create({"text": "1"})
    with session.widget_operator(api_server) as operator:
        backup = back_up_before_upgrades(api_server, operator, cr, tmp_path)
        backup.restore()
        assert cr.status()["revision"] == 1
        cr.kube.patch(CONFIGMAP, "restored-0", NAMESPACE, {"data": {"text": "edited"}})
        # A watch without an event counts as dead after 150 s.
        check_repair_and_upgrade(operator, cr, RESTORE_SECONDS)


def test_a_restored_etcd_that_has_caught_up_hides_no_drift(api_server, tmp_path):
    """When the watches come back, the versions that they wait for have been given out again."""
    cr = CustomResource(api_server, WIDGET, NAMESPACE, "late").create({"text": "1"})
    with session.widget_operator(api_server) as operator:
        backup = back_up_before_upgrades(api_server, operator, cr, tmp_path)
        seen = version_of(cr.kube.patch(CONFIGMAP, "late-0", NAMESPACE, {"data": {"noise": "0"}}))
        os.kill(operator.pid, signal.SIGSTOP)
        try:
            backup.restore()
            # The API server has a cache of the kind from its first request on.
            assert cr.status()["revision"] == 1
            pass_version(cr.kube, seen)
        finally:
            os.kill(operator.pid, signal.SIGCONT)
        cr.kube.patch(CONFIGMAP, "late-0", NAMESPACE, {"data": {"text": "edited"}})
        check_repair_and_upgrade(operator, cr, 60)


def age_of(obj: dict) -> float:
    """Returns the seconds since it was created."""
    created = datetime.datetime.fromisoformat(obj["metadata"]["creationTimestamp"])
    return (datetime.datetime.now(datetime.UTC) - created).total_seconds()


def test_a_restored_etcd_makes_no_second_object_outside(api_server, tmp_path):
    """The backup is older than the create: nothing in it speaks of one."""
    pet = CustomResource(api_server, PET, NAMESPACE, "thor").create(THOR)
    with PetStore(tmp_path) as store:
        values = {"store.url": store.url, "store.timeout": "1s", "store.resync": "2s"}
        backup = Backup(api_server, tmp_path / "etcd")
        with session.pet_operator(
            api_server, tmp_path, values, namespaces=(NAMESPACE,)
        ) as operator:
            pet.wait_ready(timeout_seconds=60)
            [entry] = store.pets()
            operator.stop()
            backup.restore()
            assert "status" not in pet.get()
            wait_until(lambda: age_of(pet.get()) > 61, timeout_seconds=90, what="its age")
            operator.start()
            pet.wait(lambda obj: obj.get("status", {}).get("id") == entry["id"], timeout_seconds=60)
            assert len(store.calls("POST")) == 1
            assert [found["id"] for found in store.pets()] == [entry["id"]]
            pet.delete()
            pet.wait_gone()


def test_sigterm_ends_the_operator_without_an_api_server(api_server):
    # Created while the API server can still issue tokens.
    operator, waiting = session.widget_operator(api_server), session.widget_operator(api_server)
    with operator:
        api_server.stop_component(APISERVER)
        assert operator.stop(timeout_seconds=10).code == 0
    waiting.launch()
    try:
        wait_until(lambda: waiting.http_status("/healthz") == 200, what="/healthz")
        assert waiting.stop(timeout_seconds=10).code == 0
    finally:
        waiting.close()
