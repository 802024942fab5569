# SPDX-License-Identifier: Apache-2.0
"""Nothing that a tenant writes authorises anything: no record, no status, no mark.

Each attack runs against an operator with exactly the rights that it needs, by an attacker with
rights in his namespace alone, and ends when the operator has dealt with it. Then there is nothing
of his elsewhere, and the audit log has no write of the operator outside of his namespace. Each has
a twin that asks for the same in good faith, and gets it.
"""

import json

import pytest

from e2e import session
from e2e.conftest import *  # noqa: F403  # pylint: disable=wildcard-import,unused-wildcard-import
from e2e.custom_resource import CONFIGMAP, FINALIZER, SECRET, WIDGET, CustomResource, condition
from hostile.tenants import (
    ELSEWHERE,
    RIGHTS,
    Tenant,
    digest,
    hook,
    loot,
    loot_of,
    own_config_map,
    reference,
)

# The chart's own hook: it shows that hooks of a deletion still run.
HOOKS = {
    "templates/hook.yaml": """apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-bye
  annotations: {helm.sh/hook: pre-delete}
data: {said: by-chart}
""",
    "templates/broken.yaml": '{{ if .Values.broken }}{{ fail "broken on purpose" }}{{ end }}\n',
}
OWN_KEY = b"k" * 32


@pytest.fixture(scope="module", name="project")
def _project(tmp_path_factory):
    return session.widget_project(tmp_path_factory.mktemp("tenants"), HOOKS)


@pytest.fixture(scope="module", name="hooked")
def _hooked(cluster, project):
    """An operator of a chart with a hook, for all namespaces."""
    with session.widget_operator(cluster, **project) as operator:
        yield operator


@pytest.fixture(name="watch_elsewhere")
def _watch_elsewhere(cluster, namespace, hooked):  # pylint: disable=unused-argument
    """Asserts in the end that the operator has written nothing outside of the namespace.

    Yields the namespaces that do not count.
    """
    audit = cluster.audit
    since = audit.mark() if audit else None
    own = {namespace, session.SYSTEM}
    yield own
    assert loot_of(cluster) is None, "the tenant got an object elsewhere"
    if audit:
        user = session.user_of(session.WIDGETS)
        writes = [
            request
            for request in audit.requests(since, user=user)
            if request.is_write() and request.namespace not in own and request.resource != "events"
        ]
        assert not writes, "the operator wrote elsewhere"


@pytest.fixture(name="farewell")
def _farewell(cluster, namespace):
    """Asserts that the hook of a deletion has run: its object may have been collected since."""
    since = cluster.audit.mark() if cluster.audit else None

    def check(name: str) -> None:
        if cluster.audit:
            made = {"verb": "create", "resource": "configmaps", "code": 201}
            user = session.user_of(session.WIDGETS)
            hooks = cluster.audit.requests(since, user=user, namespace=namespace, **made)
            assert f"{name}-bye" in [one.name for one in hooks], "the chart's own hook has to run"

    return check


@pytest.fixture(name="tenant", params=sorted(RIGHTS))
def _tenant(request, cluster, namespace, watch_elsewhere):  # pylint: disable=unused-argument
    return Tenant.with_rights(cluster, namespace, request.param)


def widget(tenant: Tenant, name: str) -> CustomResource:
    return CustomResource(tenant.cluster, WIDGET, tenant.namespace, name)


def forge(tenant: Tenant, name: str, event: str, manifest: str) -> dict:
    """A paused Widget that is to be deleted, and a record of it with a hook elsewhere."""
    created = tenant.create(
        name, annotations={"chartwright.io/paused": "true"}, finalizers=[FINALIZER]
    )
    text = ""
    if manifest == "own object":
        mine = own_config_map(created)
        tenant.cluster.kube.create(mine)
        text = json.dumps(mine)
    tenant.record(name, owner=created, manifest=text, hooks=[hook(event)])
    return created


@pytest.mark.parametrize("manifest", ["empty", "own object"])
@pytest.mark.parametrize("event", ["pre-delete", "post-delete"])
def test_a_forged_record_has_no_hooks_of_a_deletion(tenant, event, manifest):
    forge(tenant, "evil", event, manifest)
    widget(tenant, "evil").delete()
    tenant.annotate("evil", paused=None)
    widget(tenant, "evil").wait_gone()


@pytest.mark.parametrize("event", ["pre-rollback", "post-rollback", "pre-upgrade", "post-upgrade"])
def test_a_forged_record_has_no_hooks_of_a_rollback(tenant, event):
    forge(tenant, "evil", event, "empty")
    tenant.annotate("evil", rollback_to="1", allow_empty_render="true", paused=None)
    evil = widget(tenant, "evil")
    evil.wait(lambda obj: obj.get("status", {}).get("revision"), what="a revision")
    tenant.annotate("evil", rollback_to="previous")
    widget(tenant, "evil").wait_ready()
    widget(tenant, "evil").delete()
    widget(tenant, "evil").wait_gone()


def test_a_forged_record_stays_without_hooks_when_the_chart_fails(tenant):
    """The spec that the chart refuses keeps the forged revision in force."""
    created = tenant.create(
        "evil",
        annotations={"chartwright.io/paused": "true"},
        finalizers=[FINALIZER],
        spec={"broken": True},
    )
    tenant.record("evil", owner=created, manifest="", hooks=[hook("pre-delete")])
    tenant.annotate("evil", paused=None)
    evil = widget(tenant, "evil")
    evil.wait(lambda obj: condition(obj, "Ready").get("status") == "False", what="a failure")
    evil.delete()
    evil.wait_gone()


@pytest.mark.parametrize("number", [1, 2])
def test_a_forged_manifest_is_not_applied_elsewhere(tenant, number):
    """Neither as the revision in force nor as one to go back to."""
    created = tenant.create("evil", annotations={"chartwright.io/paused": "true"})
    for each in (1, 2):
        manifest = json.dumps(loot()) if each == number else json.dumps(own_config_map(created))
        tenant.record("evil", number=each, owner=created, manifest=manifest)
    tenant.annotate("evil", rollback_to=str(number), paused=None)
    evil = widget(tenant, "evil")
    evil.wait_ready(timeout_seconds=90)
    tenant.annotate("evil", rollback_to=str(3 - number))
    evil.wait(
        lambda obj: obj["status"].get("lastHandledRollback") == str(3 - number),
        what="the answer to the second request",
    )
    evil.delete()
    evil.wait_gone()


@pytest.mark.parametrize("edit", ["manifest", "hooks", "config", "number"])
def test_a_record_of_the_operator_that_was_edited_is_none(tenant, edit, farewell):
    """The key beside it, and the digest in the status, are of no use to the editor."""
    evil = widget(tenant, "evil")
    tenant.create("evil", spec={"count": 1, "text": "one"})
    evil.wait_ready()
    tenant.kube.patch(WIDGET, "evil", tenant.namespace, {"spec": {"text": "two"}})
    evil.wait_revision(2)

    def change(release: dict) -> None:
        if edit == "manifest":
            release["manifest"] += "---\n" + json.dumps(loot())
        elif edit == "hooks":
            release["hooks"] = [hook("pre-rollback"), hook("pre-delete")]
        elif edit == "config":
            release["config"] = {"text": "forged"}
        else:
            release["version"] = 2

    tenant.edit_record("evil", 1, change)
    tenant.annotate("evil", rollback_to="1")
    refused = evil.wait_condition("RolledBack", "False", "RollbackRefused")
    assert "revision 1" in refused["message"]
    if edit != "number":
        tenant.edit_record("evil", 2, change)
    evil.delete()
    evil.wait_gone()
    farewell("evil")


def test_a_record_of_another_custom_resource_is_none(tenant):
    """It is signed, but not for this one."""
    other = widget(tenant, "other")
    tenant.create("other", spec={"count": 1, "text": "others"})
    other.wait_ready()
    created = tenant.create("evil", spec={"count": 1, "text": "mine"})
    evil = widget(tenant, "evil")
    evil.wait_ready()
    tenant.kube.patch(WIDGET, "evil", tenant.namespace, {"spec": {"text": "next"}})
    evil.wait_revision(2)
    stolen = tenant.kube.get(SECRET, "sh.helm.release.v1.other.v1", tenant.namespace)
    tenant.kube.patch(
        SECRET,
        "sh.helm.release.v1.evil.v1",
        tenant.namespace,
        {"data": stolen["data"], "metadata": {"ownerReferences": [reference(created)]}},
    )
    tenant.annotate("evil", rollback_to="1")
    evil.wait_condition("RolledBack", "False", "RollbackRefused")
    for each in (evil, other):
        each.delete()
        each.wait_gone()


@pytest.fixture(name="admin")
def _admin(cluster, namespace, watch_elsewhere):  # pylint: disable=unused-argument
    return Tenant.with_rights(cluster, namespace, "admin")


def test_a_status_and_a_record_that_fit_authorise_nothing(admin, hooked):
    """Digest and key are both the attacker's. The operator starts with them."""
    created = admin.create("evil", annotations={"chartwright.io/paused": "true"})
    manifest = json.dumps(loot())
    admin.record("evil", owner=created, manifest=manifest, key=OWN_KEY)
    hooked.stop()
    admin.write_status(
        "evil",
        {
            "revision": 1,
            "history": [
                {
                    "revision": 1,
                    "status": "deployed",
                    "description": "Install complete",
                    "chart": "widget-0.1.0",
                    "digest": digest(OWN_KEY, manifest),
                    "deployedAt": "2026-01-01T00:00:00Z",
                }
            ],
            "resources": [
                {
                    "version": "v1",
                    "kind": "ConfigMap",
                    "namespace": ELSEWHERE,
                    "name": "kube-root-ca.crt",
                }
            ],
            "signature": "0" * 64,
        },
    )
    admin.annotate("evil", rollback_to="1", paused=None)
    hooked.start()
    evil = widget(admin, "evil")
    evil.wait_condition("RolledBack", "False", "RollbackRefused")
    evil.delete()
    evil.wait_gone()
    assert admin.cluster.kube.find(CONFIGMAP, "kube-root-ca.crt", ELSEWHERE)


def test_entries_of_a_forged_status_are_neither_released_nor_deleted(
    admin, hooked, cluster, watch_elsewhere
):
    """Not a child of another custom resource, and no object that only claims to be one."""
    victims = cluster.create_namespace("victim")
    watch_elsewhere.add(victims)  # For its own custom resource.
    victim = CustomResource(cluster, WIDGET, victims, "victim")
    victim.create({"count": 1, "text": "kept"})
    victim.wait_ready()
    before = cluster.kube.get(CONFIGMAP, "victim-0", victims)
    claimed = {**loot(victims), "metadata": {"name": "claimed", "namespace": victims}}
    claimed["metadata"]["annotations"] = {
        "operator-sdk/primary-resource": f"{admin.namespace}/evil",
        "operator-sdk/primary-resource-type": "Widget.e2e.chartwright.io",
    }
    cluster.kube.create(claimed)
    victim_writes = cluster.audit.mark() if cluster.audit else None
    admin.create("evil", spec={"count": 1, "text": "mine"}, finalizers=[FINALIZER])
    evil = widget(admin, "evil")
    evil.wait_ready()
    hooked.stop()
    entry = {"version": "v1", "kind": "ConfigMap", "namespace": victims}
    admin.write_status(
        "evil",
        {
            "resources": [
                *evil.status()["resources"],
                {**entry, "name": "victim-0", "partial": True, "desired": "x"},
                {**entry, "name": "claimed", "desired": "x"},
            ]
        },
    )
    hooked.start()
    evil.touch()
    evil.wait(
        lambda obj: (
            {each["name"]: each.get("unverified", False) for each in obj["status"]["resources"]}
            == {"evil-0": False, "claimed": True}
        ),
        what="a status of the operator's own",
    )
    evil.delete()
    evil.wait_gone()
    after = cluster.kube.get(CONFIGMAP, "victim-0", victims)
    assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    assert cluster.kube.find(CONFIGMAP, "claimed", victims), "an object of others was deleted"
    if cluster.audit:
        user = session.user_of(session.WIDGETS)
        writes = cluster.audit.requests(victim_writes, user=user, namespace={victims})
        assert not [each for each in writes if each.is_write() and each.resource == "configmaps"]
    victim.delete()
    victim.wait_gone()
    cluster.abandon_namespace(victims)


def test_a_chart_cannot_read_the_key(cluster, namespace, hooked, tmp_path):
    """With it, anybody could sign."""
    reader = {
        "templates/key.yaml": """apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-key}
data:
  one: {{ lookup "v1" "Secret" .Values.ns "chartwright-master-key" | toJson | quote }}
  all: {{ (lookup "v1" "Secret" .Values.ns "").items | toJson | quote }}
""",
    }
    project = session.widget_project(tmp_path, reader)
    place = f"--master-key-secret={session.SYSTEM}/chartwright-master-key"
    reads = CustomResource(cluster, WIDGET, namespace, "reader")
    hooked.stop()  # It would look after the same resource, and write its status once more.
    with session.widget_operator(cluster, place, namespaces=(namespace,), **project):
        reads.create({"ns": session.SYSTEM, "count": 0})
        reads.wait(
            lambda obj: (
                "Ready" in {c["type"] for c in obj.get("status", {}).get("conditions", [])}
                and condition(obj, "Reconciling").get("status") != "True"
            ),
            what="an answer",
        )
        key = cluster.kube.get(SECRET, "chartwright-master-key", session.SYSTEM)["data"]["key"]
        shown = cluster.kube.find(CONFIGMAP, "reader-key", namespace)
        assert key not in json.dumps([shown, reads.get()])
        reads.delete()
        reads.wait_gone()
    hooked.start()


def test_releases_go_on_after_a_restart_with_the_same_key(admin, hooked, farewell):
    """The twin of all attacks: hooks, rollback and history of a release of our own."""
    good = widget(admin, "good")
    good.create({"count": 1, "text": "one"})
    good.wait_ready()
    good.patch({"text": "two"})
    good.wait_revision(2)
    hooked.stop()
    hooked.start()
    good.annotate(rollback_to="1")
    good.wait_revision(3)
    assert good.child(CONFIGMAP, "good-0")["data"]["text"] == "one"
    good.delete()
    good.wait_gone()
    farewell("good")
