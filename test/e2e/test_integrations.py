# SPDX-License-Identifier: Apache-2.0
"""deploy/integrations: the states in which other tools see a custom resource, and the plugins of
k9s.

The states are in test/integrations/recorded.json, for the tests there; with CW_UPDATE=1, the test
writes them.
"""

import contextlib
import json
import os
import pathlib
import subprocess

import pytest

import yaml
from e2e import custom_resource, raw_chart
from e2e.custom_resource import WIDGET, condition
from e2e.test_hooks import JOB_SPEC
from harness.kube import wait_until
from harness.operator import default_binary
from harness.paths import REPOSITORY

RECORDED = REPOSITORY / "test" / "integrations" / "recorded.json"
PLUGINS = REPOSITORY / "deploy" / "integrations" / "k9s" / "plugins.yaml"
WEBHOOKS = "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration"
HOLD = "example.com/hold"
# With it, a custom resource has a finalizer.
UNINSTALL_WAIT = {"helm.sdk.operatorframework.io/uninstall-wait": "true"}
BROKEN = {"manifest": "a: ["}


def config_map(text: str, **metadata) -> dict:
    """Returns a ConfigMap named as the release; `metadata` adds to its own."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": raw_chart.NAME, **metadata},
        "data": {"text": text},
    }


def spec_of(text: str, **metadata) -> dict:
    """Returns the spec with that ConfigMap."""
    return raw_chart.manifest(config_map(text, **metadata))


def pod(**metadata) -> dict:
    """Returns a pod named as the release, for which there is no node."""
    container = {"name": "a", "image": "nginx:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": raw_chart.NAME, **metadata},
        "spec": {"containers": [container], "nodeSelector": {"no": "such"}},
    }


def slow_hook() -> dict:
    """Returns a hook before the install that does not begin."""
    job = yaml.safe_load(JOB_SPEC)["spec"]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": raw_chart.NAME, "annotations": {"helm.sh/hook": "pre-install"}},
        "spec": {"suspend": True, **job},
    }


class States:
    """Brings custom resources, named as their states, to these states."""

    def __init__(self, declare):
        self.declare = declare
        self.made: dict[str, custom_resource.CustomResource] = {}

    def new(self, name: str, spec: dict, annotations: dict | None = None):
        """Creates a custom resource."""
        self.made[name] = self.declare(WIDGET, name).create(spec, annotations=annotations)
        return self.made[name]

    def ready(self, name: str, annotations: dict | None = None, **metadata):
        """Creates a custom resource, and waits until it is ready."""
        made = self.new(name, spec_of("one", **metadata), annotations)
        made.wait_ready()
        return made

    def upgraded(self, name: str, annotations: dict | None = None):
        """Creates a custom resource with two revisions."""
        made = self.ready(name, annotations)
        made.patch(spec_of("two"))
        made.wait_revision(2)
        made.wait_ready()
        return made

    def reach_good_ones(self) -> None:
        """Makes those that are ready."""
        self.ready("ready")
        self.upgraded("upgraded")
        self.new("unknown-keys", {**spec_of("one"), "unread": 1}).wait_condition(
            "UnknownKeys", "True"
        )
        rolled_back = self.upgraded("rolled-back")
        rolled_back.annotate(rollback_to="previous")
        rolled_back.wait_revision(3)
        rolled_back.wait_ready()
        refused = self.ready("rollback-refused")
        refused.annotate(rollback_to="9")
        refused.wait_condition("RolledBack", "False")

    def reach_slow_ones(self) -> None:
        """Makes those on their way."""
        self.new("hook-runs", raw_chart.manifest(slow_hook())).wait_condition("Ready", "Unknown")
        pending = self.new("child-in-progress", raw_chart.manifest(pod()))
        pending.wait_condition("Ready", "False")

    def reach_bad_ones(self) -> None:
        """Makes those that have failed."""
        failed = self.new("child-failed", raw_chart.manifest(pod()))
        failed.wait_condition("Ready", "False")
        phase = {"status": {"phase": "Failed"}}
        failed.kube.patch(
            custom_resource.POD, failed.name, failed.namespace, phase, subresource="status"
        )
        failed.wait_condition("Reconciling", None)
        self.new("stalled", BROKEN).wait_condition("Stalled", "True")
        stalled = self.ready("stalled-upgrade")
        stalled.patch(BROKEN)
        stalled.wait_condition("Stalled", "True")
        policy = {"chartwright.io/on-upgrade-failure": "rollback"}
        undone = self.ready("rolled-back-by-failure", policy)
        undone.patch(raw_chart.manifest({**config_map("two"), "data": {"no such key!": "x"}}))
        undone.wait(
            lambda obj: obj["status"].get("pin", {}).get("failed", {}).get("dryRun") == "Refused",
            what="a rollback",
        )

    def reach_ends_and_pauses(self) -> None:
        """Makes those that are paused or being deleted."""
        for name in ("paused", "paused-with-a-change", "deleted-in-a-pause"):
            made = self.ready(name, UNINSTALL_WAIT)
            made.annotate(paused="ask Ann")
            made.wait(lambda obj: condition(obj, "Paused"), what="a pause")
        self.made["paused-with-a-change"].patch(spec_of("two"))
        self.made["deleted-in-a-pause"].delete()
        self.made["deleted-in-a-pause"].wait(
            lambda obj: "deletion waits" in condition(obj, "Paused")["message"], what="a deletion"
        )
        early = self.new("paused-before-a-look", spec_of("one"), {"chartwright.io/paused": "yes"})
        early.wait(lambda obj: condition(obj, "Paused"), what="a pause")
        deleted = self.ready("deleted", UNINSTALL_WAIT, finalizers=[HOLD])
        deleted.delete()
        deleted.wait(lambda obj: condition(obj, "Deployed")["status"] == "False", what="its end")

    def release(self, cluster, namespace: str) -> None:
        """Lets all of them end, and waits until they are gone."""
        for name in (name for name in self.made if "pause" in name):
            self.made[name].annotate(paused=None)
        body = {"metadata": {"finalizers": None}}
        self.made["deleted"].kube.patch(custom_resource.CONFIGMAP, "deleted", namespace, body)
        custom_resource.remove_all(cluster, WIDGET, namespace)


@contextlib.contextmanager
def unreachable_webhook(cluster, namespace: str):
    """Has the API server ask a webhook that does not answer about one ConfigMap."""
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["configmaps"],
        "operations": ["CREATE", "UPDATE"],
    }
    labels = {"kubernetes.io/metadata.name": namespace}
    cluster.kube.create(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": namespace},
            "webhooks": [
                {
                    "name": "away.example.com",
                    "clientConfig": {"url": "https://127.0.0.1:1/"},
                    "rules": [rule],
                    "namespaceSelector": {"matchLabels": labels},
                    "matchConditions": [{"name": "one", "expression": "request.name == 'retried'"}],
                    "sideEffects": "None",
                    "admissionReviewVersions": ["v1"],
                }
            ],
        }
    )
    probe = ("create", "configmap", "retried", "--dry-run=server", "-n", namespace)
    try:
        # The API server learns of it a while later.
        wait_until(lambda: cluster.kubectl.run(*probe).returncode != 0, what="the webhook")
        yield
    finally:
        cluster.kube.delete(WEBHOOKS, namespace)


def plain(obj: dict, namespace: str) -> dict:
    """Returns what other tools look at, in the namespace `team`."""
    metadata = {
        key: value
        for key, value in obj["metadata"].items()
        if key in ("name", "uid", "generation", "creationTimestamp", "deletionTimestamp")
    }
    annotations = obj["metadata"].get("annotations", {})
    if annotations:
        metadata["annotations"] = annotations
    shown = {"apiVersion": obj["apiVersion"], "kind": obj["kind"]}
    shown["metadata"] = {**metadata, "namespace": "team"}
    if "status" in obj:
        parts = ("observedGeneration", "revision", "conditions", "history")
        shown["status"] = {key: obj["status"][key] for key in parts if key in obj["status"]}
    return json.loads(json.dumps(shown).replace(namespace, "team"))


def record(states: States, names, namespace: str, operator=None) -> dict:
    """Returns custom resources by their names, with the series of a running operator about them: as
    they are at one time.
    """

    def look() -> dict | None:
        before = {name: states.made[name].get() for name in names}
        lines = operator.exposition().splitlines() if operator else []
        after = {name: states.made[name].get() for name in names}
        if before != after:
            return None
        return {
            name: {
                "object": plain(obj, namespace),
                "metrics": [
                    line.replace(namespace, "team")
                    for line in lines
                    if line.startswith(("chartwright_cr_info{", "chartwright_cr_ready{"))
                    and f'name="{name}"' in line
                    and f'namespace="{namespace}"' in line
                ],
            }
            for name, obj in after.items()
        }

    return wait_until(look, what="a quiet moment")


def shape(recorded: dict) -> dict:
    """Returns of a recorded state what verdicts depend on."""
    obj = recorded["object"]
    status = obj.get("status", {})
    return {
        "conditions": {c["type"]: c["status"] for c in status.get("conditions", [])},
        "lags": status.get("observedGeneration", 0) != obj["metadata"]["generation"],
        "deleting": "deletionTimestamp" in obj["metadata"],
        "metrics": len(recorded["metrics"]),
    }


def test_the_recorded_states_are_those_of_the_operator(cluster, declare, namespace, tmp_path):
    folder = tmp_path / "integrations"
    states = States(declare)
    with (
        raw_chart.started(cluster, folder) as operator,
        unreachable_webhook(cluster, namespace),
    ):
        retried = states.new("retried", spec_of("one"))
        states.reach_good_ones()
        states.reach_slow_ones()
        states.reach_bad_ones()
        states.reach_ends_and_pauses()
        retried.wait_condition("Reconciling", "True", "ProgressingWithRetry")
        seen = record(states, list(states.made), namespace, operator)
        changed = states.ready("changed-since")
        beside = states.ready("stalled-beside-a-ready")
        operator.stop()
        changed.patch(spec_of("two"))
        states.new("unseen", spec_of("one"))
        seen.update(record(states, ["changed-since", "unseen"], namespace))
        template = folder / "chart" / "templates" / "raw.yaml"
        template.write_text('{{ fail "this chart is broken" }}\n', encoding="utf-8")
        operator.start()
        beside.wait_condition("Stalled", "True")
        seen.update(record(states, [beside.name], namespace, operator))
        template.write_text(raw_chart.TEMPLATE, encoding="utf-8")
        operator.restart()
        states.release(cluster, namespace)
    if os.environ.get("CW_UPDATE"):
        text = json.dumps(seen, indent=1, sort_keys=True, ensure_ascii=False)
        RECORDED.write_text(text + "\n", encoding="utf-8")
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert {name: shape(found) for name, found in seen.items()} == {
        name: shape(found) for name, found in recorded.items()
    }


@pytest.fixture(name="press")
def plugins_of_k9s(cluster, tmp_path):
    """`press(NAME, CUSTOM RESOURCE)` runs a plugin as k9s does, without a terminal."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "chartwright").symlink_to(default_binary())
    (programs / "less").write_text('#!/bin/sh\n[ "$1" = -R ] && exec cat\n', encoding="utf-8")
    (programs / "less").chmod(0o755)
    context = cluster.kubectl("config", "current-context").strip()
    plugins = yaml.safe_load(PLUGINS.read_text(encoding="utf-8"))["plugins"]

    def press(name: str, made) -> subprocess.CompletedProcess:
        variables = {
            "$RESOURCE_GROUP": "e2e.chartwright.io",
            "$RESOURCE_NAME": "widgets",
            "$NAMESPACE": made.namespace,
            "$CONTEXT": context,
            "$NAME": made.name,
        }
        arguments = plugins[f"chartwright-{name}"]["args"]
        for variable, value in variables.items():
            arguments = [argument.replace(variable, value) for argument in arguments]
        return run_program(plugins[f"chartwright-{name}"]["command"], *arguments)

    def run_program(*command: str) -> subprocess.CompletedProcess:
        paths = os.pathsep.join((str(programs), os.environ["PATH"]))
        environment = {"LANG": "C.UTF-8", "KUBECONFIG": str(cluster.kubeconfig), "PATH": paths}
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120, check=False
        )

    assert pathlib.Path(default_binary()).exists()
    return press


def test_the_plugins_of_k9s_do_what_they_say(widgets, declare, press):
    made = declare(WIDGET, "one").create({"text": "a"})
    made.wait_revision(1)
    made.patch({"text": "b"})
    made.wait_revision(2)
    done = press("history", made)
    assert done.returncode == 0 and "REVISION" in done.stdout and "Upgrade complete" in done.stdout
    assert "one-0" in press("tree", made).stdout
    done = press("rollback", made)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("is rolled back to previous, as revision 3\n")
    assert press("end-rollback", made).stdout.endswith("follows its spec again\n")
    made.wait_revision(4)
    assert press("pause", made).stdout.endswith(" paused\n")
    made.wait(lambda obj: condition(obj, "Paused").get("message") == "in k9s", what="a pause")
    assert press("resume", made).stdout.endswith(" resumed\n")
    made.wait_condition("Paused", None)
    assert press("reconcile", made).stdout.endswith(" asked for a reconcile\n")
    made.patch({"element": 7})
    made.wait_condition("Stalled", "True")
    assert "Stalled" in press("why", made).stdout
