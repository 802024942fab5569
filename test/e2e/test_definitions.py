# SPDX-License-Identifier: Apache-2.0
"""CRDs in a chart: those in crds/, which are shared, and those in templates/."""

import contextlib
import json
import pathlib

import pytest

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, WIDGET, CustomResource, condition
from e2e.session import WIDGET_FILES
from harness.kube import wait_until

CRD = "apiextensions.k8s.io/v1/CustomResourceDefinition"
JOB = "batch/v1/Job"
RIGHTS = WIDGET_FILES / "definitions.yaml"
OWNER = "operator-sdk/primary-resource"
CHART_LABEL = "helm.sdk.operatorframework.io/chart"
HOLD = "e2e.chartwright.io/hold"

INSTANCE = """apiVersion: {group}/v1
kind: Foo
metadata:
  name: {{{{ .Release.Name }}}}
text: {{{{ .Values.text | quote }}}}
"""
CONFIG = """apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  text: {{ .Values.text | quote }}
"""

# Waits until a person lets it run; then it completes at once.
SLOW_HOOK = """apiVersion: batch/v1
kind: Job
metadata:
  name: slow
  annotations: {helm.sh/hook: pre-install}
spec:
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: main}]
"""


class Chart:
    """A chart on disk with the CRD foos.GROUP; it renders a Foo and a ConfigMap."""

    def __init__(self, folder: pathlib.Path, group: str):
        self.folder = folder
        self.group = group
        self.name = f"foos.{group}"
        self.write("chart/Chart.yaml", "apiVersion: v2\nname: definer\nversion: 0.1.0\n")
        self.write("chart/values.yaml", "text: hello\n")
        self.write("chart/templates/config.yaml", CONFIG)
        self.write("chart/templates/foo.yaml", INSTANCE.format(group=group))
        self.bring("crds")
        self.watch()

    def write(self, name: str, text: str) -> None:
        """Writes a file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def bring(self, folder: str | None, *versions: str, note: str = "") -> None:
        """Moves the CRD into that folder of the chart, out of the other one."""
        for other in ("crds", "templates"):
            (self.folder / "chart" / other / "definition.yaml").unlink(missing_ok=True)
        if folder:
            crd = self.definition(*(versions or ("v1",)), note=note)
            self.write(f"chart/{folder}/definition.yaml", json.dumps(crd))

    def watch(self, policy: str | None = None) -> None:
        """Writes watches.yaml."""
        crds = f"  crds: {policy}\n" if policy else ""
        entry = "- group: e2e.chartwright.io\n  version: v1\n  kind: Widget\n  chart: chart\n"
        self.write("watches.yaml", entry + crds)

    def definition(self, *versions: str, note: str = "") -> dict:
        """Returns the CRD; its last version is the storage version."""
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        if note:
            schema["description"] = note
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": self.name},
            "spec": {
                "group": self.group,
                "scope": "Namespaced",
                "names": {
                    "kind": "Foo",
                    "listKind": "FooList",
                    "plural": "foos",
                    "singular": "foo",
                },
                "versions": [
                    {
                        "name": version,
                        "served": True,
                        "storage": version == versions[-1],
                        "schema": {"openAPIV3Schema": schema},
                    }
                    for version in versions
                ],
            },
        }


@pytest.fixture
def chart(cluster, namespace, tmp_path):
    """A chart with a CRD in crds/, whose API group is unique to the test."""
    made = Chart(tmp_path, f"{namespace}.chartwright.io")
    yield made
    if cluster.kube.find(CRD, made.name):
        with contextlib.suppress(Exception):
            cluster.kube.patch(CRD, made.name, None, {"metadata": {"finalizers": None}})
        cluster.kube.delete(CRD, made.name)


@pytest.fixture
def rights(cluster):
    """Lets the operator read, create, change and delete CRDs and Foos."""
    cluster.kubectl("apply", "-f", str(RIGHTS))
    yield
    cluster.kubectl("delete", "--ignore-not-found", "-f", str(RIGHTS))


def operator_of(cluster, chart, **options):
    """Returns an operator of that chart, not yet started."""
    return session.widget_operator(
        cluster, cwd=chart.folder, watches_file=chart.folder / "watches.yaml", **options
    )


def foo(cluster, chart, name: str, namespace: str):
    """Returns that Foo, or None if it does not exist."""
    path = f"/apis/{chart.group}/v1/namespaces/{namespace}/foos/{name}"
    done = cluster.kubectl.run("get", "--raw", path)
    return json.loads(done.stdout) if done.returncode == 0 else None


def kinds_of(widget) -> set:
    """Returns the kinds in its inventory."""
    return {child["kind"] for child in widget.status()["resources"]}


def assert_is_nobodys(crd: dict) -> None:
    """Asserts that the CRD has no ownership mark of ours."""
    metadata = crd["metadata"]
    assert "ownerReferences" not in metadata
    assert not [key for key in metadata.get("annotations", {}) if "primary-resource" in key]
    assert CHART_LABEL not in metadata.get("labels", {})


def test_a_crd_of_crds_is_created_once_and_outlives_every_custom_resource(
    cluster, chart, rights, declare, namespace
):
    with operator_of(cluster, chart):
        one, two = declare(WIDGET, "one").create(), declare(WIDGET, "two").create()
        one.wait_ready()
        two.wait_ready()
        crd = cluster.kube.get(CRD, chart.name)
        assert_is_nobodys(crd)
        assert kinds_of(one) == kinds_of(two) == {"ConfigMap", "Foo"}
        assert "CustomResourceDefinition" not in one.record(1)["manifest"]
        assert "finalizers" not in one.get()["metadata"]
        assert foo(cluster, chart, "two", namespace)["text"] == "hello"

        one.delete()
        one.wait_gone()
        # The garbage collector discovers new kinds every 30 s.
        wait_until(
            lambda: not foo(cluster, chart, "one", namespace),
            timeout_seconds=90,
            what="its Foo being gone",
        )
        assert foo(cluster, chart, "two", namespace)
        assert cluster.kube.get(CRD, chart.name)["metadata"]["uid"] == crd["metadata"]["uid"]
        two.patch({"text": "again"})
        two.wait_revision(2)
        assert foo(cluster, chart, "two", namespace)["text"] == "again"


def test_a_deleted_crd_is_recreated(cluster, chart, rights, declare, namespace):
    with operator_of(cluster, chart):
        one = declare(WIDGET, "one").create()
        one.wait_ready()
        cluster.kube.delete(CRD, chart.name)
        wait_until(lambda: foo(cluster, chart, "one", namespace), what="the return of its Foo")
        one.wait_ready()


@pytest.mark.parametrize("moment", ["while the hook runs", "between crash and restart"])
def test_a_crd_that_is_deleted_during_an_attempt_is_created_again(
    own_cluster, chart, rights, declare, namespace, moment
):
    chart.write("chart/templates/hook.yaml", SLOW_HOOK)
    with operator_of(own_cluster, chart) as operator:
        one = declare(WIDGET, "one").create()
        one.wait_child(JOB, "slow")
        one.wait(lambda obj: obj["status"].get("attempt", {}).get("hookUid"))
        before = own_cluster.kube.get(CRD, chart.name)["metadata"]["uid"]
        if moment == "between crash and restart":
            operator.kill()
        own_cluster.kube.delete(CRD, chart.name)
        own_cluster.kube.wait_gone(CRD, chart.name, None)
        if moment == "between crash and restart":
            operator.revive()
        own_cluster.kube.patch(JOB, "slow", namespace, {"spec": {"suspend": False}})
        one.wait_ready(timeout_seconds=50)
        assert foo(own_cluster, chart, "one", namespace)["text"] == "hello"
        assert own_cluster.kube.get(CRD, chart.name)["metadata"]["uid"] != before
        assert [item["status"] for item in one.status()["history"]] == ["deployed"]


def test_a_crd_in_templates_installs_with_its_instance_and_is_a_child(
    cluster, chart, rights, declare, namespace
):
    chart.bring("templates")
    with operator_of(cluster, chart):
        one = declare(WIDGET, "one").create()
        one.wait_ready()
        assert kinds_of(one) == {"ConfigMap", "Foo", "CustomResourceDefinition"}
        assert foo(cluster, chart, "one", namespace)["text"] == "hello"
        annotations = cluster.kube.get(CRD, chart.name)["metadata"]["annotations"]
        assert annotations[OWNER] == f"{namespace}/one"
        assert one.status()["revision"] == 1
        one.delete()
        one.wait_gone()
        cluster.kube.wait_gone(CRD, chart.name, None)


def test_a_missing_permission_is_named_with_the_rule_that_grants_it(
    cluster, chart, declare, namespace
):
    with operator_of(cluster, chart):
        one = declare(WIDGET, "one").create()
        error = one.wait_error()
        for part in (
            'cannot get resource "customresourcedefinitions" in API group "apiextensions.k8s.io"',
            "ClusterRole",
            "verbs: [get, create]",
            "crds: skip",
        ):
            assert part in error
        cluster.kubectl("apply", "-f", str(RIGHTS))
        try:
            one.touch()
            one.wait_ready()
        finally:
            cluster.kubectl("delete", "--ignore-not-found", "-f", str(RIGHTS))


def test_without_crds_no_permission_is_needed_and_no_crd_is_read(
    own_cluster, chart, declare, namespace
):
    chart.bring(None)
    (chart.folder / "chart" / "templates" / "foo.yaml").unlink()
    mark = own_cluster.audit.mark()
    with operator_of(own_cluster, chart) as operator:
        declare(WIDGET, "one").create().wait_ready()
        meters.wait_at_rest(operator)
    sent = own_cluster.audit.requests(mark, user=session.user_of(session.WIDGETS))
    assert sent
    assert not [request for request in sent if "customresourcedefinitions" in request.uri]


def test_by_default_an_existing_crd_stays_as_it_is(cluster, chart, rights, declare):
    cluster.kube.create(chart.definition("v1", note="somebody's"))
    chart.bring("crds", "v1", note="the chart's")
    with operator_of(cluster, chart):
        declare(WIDGET, "one").create().wait_ready()
    crd = cluster.kube.get(CRD, chart.name)
    assert schema_note(crd) == "somebody's"
    assert_is_nobodys(crd)


def schema_note(crd: dict) -> str:
    """Returns the description of the first version."""
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"]


def test_skip_leaves_crds_to_others(cluster, chart, rights, declare):
    chart.watch("skip")
    with operator_of(cluster, chart):
        one = declare(WIDGET, "one").create()
        failed = one.wait_condition("Ready", "False")
        assert "serves no kind" in failed["message"] and "Foo" in failed["message"]
        assert not cluster.kube.find(CRD, chart.name)
        cluster.kube.create(chart.definition("v1"))
        wait_until(lambda: established(cluster, chart), what="the CRD being established")
        one.touch()
        one.wait_ready()


def established(cluster, chart) -> bool:
    """Reports whether the CRD is established."""
    crd = cluster.kube.get(CRD, chart.name)
    # The conditions of a new CRD are null.
    return bool(crd["status"]["conditions"]) and (
        condition(crd, "Established").get("status") == "True"
    )


def test_an_update_never_drops_a_version_that_objects_are_stored_in(
    cluster, chart, rights, declare, namespace
):
    chart.watch("createOrUpdate")
    chart.bring("crds", "v1", note="first")
    with operator_of(cluster, chart) as operator:
        one = declare(WIDGET, "one").create()
        one.wait_ready()
        uid = cluster.kube.get(CRD, chart.name)["metadata"]["uid"]

        operator.stop()
        chart.bring("crds", "v1", "v2", note="second")
        operator.close()
        operator.start()
        wait_until(
            lambda: schema_note(cluster.kube.get(CRD, chart.name)) == "second", what="the update"
        )
        one.wait_ready()
        wait_until(
            lambda: cluster.kube.get(CRD, chart.name)["status"]["storedVersions"] == ["v1", "v2"],
            what="two stored versions",
        )

        operator.stop()
        chart.bring("crds", "v2", note="third")
        chart.write("chart/values.yaml", "text: new\n")
        instance = INSTANCE.format(group=chart.group).replace("/v1", "/v2")
        chart.write("chart/templates/foo.yaml", instance)
        operator.close()
        operator.start()
        held = one.wait_condition("DefinitionsHeld", "True", "NotUpdated")
        assert "v1" in held["message"] and "storedVersions" in held["message"]
        # Everything else is deployed.
        one.wait_child(CONFIGMAP, "one", lambda obj: obj["data"]["text"] == "new")
        one.wait_ready()
        assert schema_note(cluster.kube.get(CRD, chart.name)) == "second"

        # Once the obstacle is gone, the update is made.
        body = {"status": {"storedVersions": ["v2"]}}
        cluster.kube.patch(CRD, chart.name, None, body, subresource="status")
        one.touch()
        one.wait_condition("DefinitionsHeld", None)
        crd = cluster.kube.get(CRD, chart.name)
        assert schema_note(crd) == "third"
        assert crd["metadata"]["uid"] == uid
        assert_is_nobodys(crd)


@pytest.fixture
def stamped(cluster, chart, rights, declare, namespace):
    """A custom resource whose CRD is a child, and a chart that now has the CRD in crds/."""
    chart.bring("templates")
    one = declare(WIDGET, "one").create()
    with operator_of(cluster, chart):
        one.wait_ready()
    assert OWNER in cluster.kube.get(CRD, chart.name)["metadata"]["annotations"]
    chart.bring("crds")
    return one


def test_a_crd_that_was_a_child_is_released_and_not_pruned(cluster, chart, stamped, namespace):
    before = foo(cluster, chart, "one", namespace)["metadata"]["uid"]
    with operator_of(cluster, chart):
        stamped.wait_revision(2)
        stamped.wait_ready()
        assert kinds_of(stamped) == {"ConfigMap", "Foo"}
        assert_is_nobodys(cluster.kube.get(CRD, chart.name))
        assert foo(cluster, chart, "one", namespace)["metadata"]["uid"] == before
        stamped.delete()
        stamped.wait_gone()
    assert "deletionTimestamp" not in cluster.kube.get(CRD, chart.name)["metadata"]


def test_a_crd_that_was_a_child_outlives_an_uninstall(cluster, chart, stamped):
    stamped.delete()
    assert stamped.get()["metadata"]["deletionTimestamp"]
    with operator_of(cluster, chart):
        stamped.wait_gone()
    crd = cluster.kube.get(CRD, chart.name)
    assert "deletionTimestamp" not in crd["metadata"]
    assert_is_nobodys(crd)


def test_two_operators_that_create_the_same_crd_at_once_both_install(
    cluster, chart, rights, declare, namespace
):
    elsewhere = cluster.create_namespace("e2e-other")
    first = operator_of(cluster, chart, namespaces=(namespace,))
    second = operator_of(cluster, chart, namespaces=(elsewhere,))
    here = declare(WIDGET, "one").create()
    there = CustomResource(cluster, WIDGET, elsewhere, "one").create()
    try:
        with first, second:
            here.wait_ready()
            there.wait_ready()
            assert_is_nobodys(cluster.kube.get(CRD, chart.name))
            for operator in (first, second):
                assert not [line for line in operator.logs() if line["level"] == "error"]
    finally:
        there.delete()
        there.wait_gone()
        cluster.kube.delete("v1/Namespace", elsewhere)


@pytest.fixture
def awaited(cluster, chart, rights):
    """The CRD is being deleted but a finalizer holds it: releases that need it must wait."""
    crd = chart.definition("v1")
    crd["metadata"]["finalizers"] = [HOLD]
    cluster.kube.create(crd)
    wait_until(lambda: established(cluster, chart), what="the CRD being established")
    cluster.kube.delete(CRD, chart.name)
    return cluster.kube.get(CRD, chart.name)["metadata"]["uid"]


def test_a_wait_for_a_crd_is_reported_and_survives_a_restart(
    cluster, chart, awaited, declare, namespace
):
    one = declare(WIDGET, "one").create()
    with operator_of(cluster, chart) as operator:
        waiting = one.wait_condition("Ready", "Unknown", "Progressing")
        assert chart.name in waiting["message"]
        one.wait_condition("Reconciling", "True", "Progressing")
        assert operator.stop().code == 0
        operator.close()
        operator.start()
        cluster.kube.patch(CRD, chart.name, None, {"metadata": {"finalizers": None}})
        one.wait_ready()
        assert one.status()["revision"] == 1
    assert cluster.kube.get(CRD, chart.name)["metadata"]["uid"] != awaited


def test_a_custom_resource_deleted_while_it_waits_for_its_crd_leaves_nothing(
    cluster, chart, awaited, declare, namespace
):
    one = declare(WIDGET, "one").create()
    with operator_of(cluster, chart) as operator:
        one.wait_condition("Ready", "Unknown", "Progressing")
        one.delete()
        one.wait_gone()
        cluster.kube.patch(CRD, chart.name, None, {"metadata": {"finalizers": None}})
        cluster.kube.wait_gone(CRD, chart.name, None)
        meters.wait_at_rest(operator)
    assert not cluster.kube.find(CRD, chart.name)
    assert not cluster.kube.find(CONFIGMAP, "one", namespace)


def test_a_file_in_crds_that_is_not_a_crd_is_reported(cluster, chart, rights, declare):
    chart.write("chart/crds/other.yaml", "# Not ours.\n---\nkind: Secret\napiVersion: v1\n")
    with operator_of(cluster, chart):
        error = declare(WIDGET, "one").create().wait_error()
    assert "definer/crds/other.yaml:3: this is a Secret" in error
