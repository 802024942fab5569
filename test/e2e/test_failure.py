# SPDX-License-Identifier: Apache-2.0
"""Failed installs and upgrades: what is in the cluster and in the status, by cause and policy."""

import pytest

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, WIDGET, condition
from e2e.session import ensure_running
from harness.kube import wait_until

EXTRA = """{{- with .Values.extra }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $.Release.Name }}-extra
data:
  {{- toYaml . | nindent 2 }}
{{- end }}
"""
INVALID = {"no such key!": "x"}
FINE = {"key": "x"}
POLICY = "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy"
BINDING = f"{POLICY}Binding"


@pytest.fixture(scope="module", name="failing_process")
def start_process(cluster, shared_operators, tmp_path_factory):
    """An operator of the test chart with one more ConfigMap, by the value `extra`."""
    project = session.widget_project(
        tmp_path_factory.mktemp("failing"),
        {"templates/extra.yaml": EXTRA, "values.schema.json": "{}"},
    )
    process = shared_operators["failing_process"] = session.widget_operator(cluster, **project)
    yield process
    process.close()


@pytest.fixture(name="failing")
def running(failing_process):
    """The same, running and ready."""
    return ensure_running(failing_process)


class Cause:
    """A cause of failure in a namespace; `before` is an accepted spec, `after` a refused one."""

    before = {"text": "one"}
    after = {"text": "two", "extra": INVALID}

    def __init__(self, cluster, namespace: str):
        self.cluster = cluster
        self.kube = cluster.kube
        self.namespace = namespace

    def arise(self, room: int) -> None:
        """Makes `after` fail; `room` ConfigMaps more are accepted."""

    def end(self, widget) -> None:
        """Ends the cause: here only another spec does."""
        widget.patch({"extra": {**dict.fromkeys(INVALID), **FINE}})

    def remove(self) -> None:
        """Removes what does not go with the namespace."""

    def is_denied(self) -> bool:
        """Reports whether the new object is refused."""
        probe = ("create", "configmap", "probe-extra", "--dry-run=server", "-n", self.namespace)
        return self.cluster.kubectl.run(*probe).returncode != 0


class InvalidObject(Cause):
    """The new object is invalid."""


class InvalidChange(Cause):
    """An object that is there would become invalid."""

    before = {"text": "one", "extra": FINE}


class Quota(Cause):
    """There is no room for the new object."""

    after = {"text": "two", "extra": FINE}

    def arise(self, room: int) -> None:
        self.kube.wait(CONFIGMAP, "kube-root-ca.crt", self.namespace, bool)
        count = len(self.kube.list(CONFIGMAP, self.namespace))
        quota = {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "few", "namespace": self.namespace},
            "spec": {"hard": {"count/configmaps": str(count)}},
        }
        self.kube.create(quota)
        # Admission sees the quota later than the API shows it.
        wait_until(self.is_denied, what="no room")
        if room > 0:
            wider = {"spec": {"hard": {"count/configmaps": str(count + room)}}}
            self.kube.patch("v1/ResourceQuota", "few", self.namespace, wider)
            wait_until(lambda: not self.is_denied(), what="some room")

    def end(self, widget) -> None:
        self.kube.delete("v1/ResourceQuota", "few", self.namespace)
        wait_until(lambda: not self.is_denied(), what="room")
        widget.touch()


class Denied(Cause):
    """A policy refuses the new object."""

    after = {"text": "two", "extra": FINE}

    def arise(self, room: int) -> None:
        api_version, _, kind = POLICY.rpartition("/")
        created = {
            "apiGroups": [""],
            "apiVersions": ["v1"],
            "operations": ["CREATE"],
            "resources": ["configmaps"],
        }
        rule = {"expression": "!object.metadata.name.endsWith('-extra')", "message": "no extras"}
        self.kube.create(
            {
                "apiVersion": api_version,
                "kind": kind,
                "metadata": {"name": self.namespace},
                "spec": {"matchConstraints": {"resourceRules": [created]}, "validations": [rule]},
            }
        )
        selector = {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}}
        self.kube.create(
            {
                "apiVersion": api_version,
                "kind": f"{kind}Binding",
                "metadata": {"name": self.namespace},
                "spec": {
                    "policyName": self.namespace,
                    "validationActions": ["Deny"],
                    "matchResources": {"namespaceSelector": selector},
                },
            }
        )
        wait_until(self.is_denied, what="a policy in force")

    def end(self, widget) -> None:
        self.remove()
        wait_until(lambda: not self.is_denied(), what="no policy in force")
        widget.touch()

    def remove(self) -> None:
        for kind in (BINDING, POLICY):
            if self.kube.find(kind, self.namespace):
                self.kube.delete(kind, self.namespace)


@pytest.fixture(name="cause", params=[InvalidObject, InvalidChange, Quota, Denied])
def choose_cause(request, own_cluster, namespace):
    """A cause of failure in the test's namespace."""
    cause = request.param(own_cluster, namespace)
    yield cause
    cause.remove()


def texts(widget) -> dict[str, str]:
    """Returns the children that are there, by their last words, with what they say."""
    found = {}
    for name in ("0", "extra"):
        child = widget.kube.find(CONFIGMAP, f"w-{name}", widget.namespace)
        if child:
            found[name] = next(iter(child["data"].values()))
    return found


def seen(widget) -> dict:
    """Returns what stands in the cluster and in the status, but for times and versions."""
    status = widget.status()
    reasons = {c["type"]: f"{c['status']} {c['reason']}" for c in status["conditions"]}
    return {
        "texts": texts(widget),
        "history": [f"{one['revision']} {one['status']}" for one in status.get("history", [])],
        "revision": status.get("revision"),
        "reasons": {key: reasons.get(key) for key in ("Ready", "ReleaseFailed", "RolledBack")},
    }


def check_restart(failing, widget, audit) -> None:
    """A restart leaves everything as it is: it repeats what is refused, and writes nothing."""
    before = seen(widget)
    status = widget.status()
    failing.stop()
    since = audit.mark()
    failing.start()
    if dry_run({"status": status}) == "Accepted":
        wait_until(lambda: meters.total(failing, meters.RECONCILES) > 0, what="a reconcile")
    else:
        wait_until(
            lambda: any(
                request.resource == "configmaps" and (request.code or 0) >= 400
                for request in audit.requests(since, namespace=widget.namespace)
            ),
            what="another try",
        )
    wait_until(lambda: seen(widget) == before, what="the same state")
    assert widget.status() == status


def fails(widget, reason: str, policy: str) -> dict:
    """Blocks until the current spec has failed for good; returns what stands then."""
    if policy != "hold":
        widget.wait(lambda obj: dry_run(obj) in ("Refused", "Accepted"), what="a dry run")
    widget.wait_condition("ReleaseFailed", "True", reason)
    widget.wait_condition("Stalled", "True", reason)
    return seen(widget)


def dry_run(obj: dict) -> str | None:
    """Returns what came of the first dry run of a failed attempt."""
    return obj.get("status", {}).get("pin", {}).get("failed", {}).get("dryRun")


FAILED_UPGRADES = {
    # The text is new, and the revision is not.
    "hold": {
        "text": "two",
        "history": ["1 deployed"],
        "revision": 1,
        "reasons": {
            "Ready": "False UpgradeError",
            "ReleaseFailed": "True UpgradeError",
            "RolledBack": None,
        },
    },
    "rollback": {
        "text": "one",
        "history": ["3 deployed", "2 failed", "1 superseded"],
        "revision": 3,
        "reasons": {
            "Ready": "False UpgradeError",
            "ReleaseFailed": "True UpgradeError",
            "RolledBack": "True UpgradeFailed",
        },
    },
}


@pytest.mark.parametrize("policy", FAILED_UPGRADES)
def test_a_failed_upgrade_is_held_or_rolled_back(failing, declare, own_cluster, cause, policy):
    widget = declare(WIDGET, "w")
    widget.create(cause.before, {"chartwright.io/on-upgrade-failure": policy}).wait_ready()
    cause.arise(room=0)
    widget.patch(cause.after)
    expected = dict(FAILED_UPGRADES[policy])
    expected["texts"] = {"0": expected.pop("text")}
    if "extra" in cause.before:
        expected["texts"]["extra"] = "x"
    assert fails(widget, "UpgradeError", policy) == expected
    check_restart(failing, widget, own_cluster.audit)
    assert seen(widget) == expected

    cause.end(widget)
    widget.wait_ready()
    assert texts(widget) == {"0": "two", "extra": "x"}
    assert [line for line in seen(widget)["history"] if "deployed" in line] == [
        f"{widget.status()['revision']} deployed"
    ]
    assert condition(widget.get(), "RolledBack") == {}


FAILED_INSTALLS = {
    "hold": {
        "texts": {"0": "two"},
        "history": [],
        "revision": None,
        "reasons": {
            "Ready": "False InstallError",
            "ReleaseFailed": "True InstallError",
            "RolledBack": None,
        },
    },
    "uninstall": {
        "texts": {},
        "history": ["1 failed"],
        "revision": None,
        "reasons": {
            "Ready": "False InstallError",
            "ReleaseFailed": "True InstallError",
            "RolledBack": "True InstallFailed",
        },
    },
}


@pytest.mark.parametrize("policy", FAILED_INSTALLS)
@pytest.mark.parametrize("cause", [InvalidObject, Quota, Denied], indirect=True)
def test_a_failed_install_is_held_or_deleted(failing, declare, own_cluster, cause, policy):
    cause.arise(room=1)
    widget = declare(WIDGET, "w")
    widget.create(cause.after, {"chartwright.io/on-install-failure": policy})
    assert fails(widget, "InstallError", policy) == FAILED_INSTALLS[policy]
    check_restart(failing, widget, own_cluster.audit)
    assert seen(widget) == FAILED_INSTALLS[policy]

    cause.end(widget)
    widget.wait_ready()
    assert texts(widget) == {"0": "two", "extra": "x"}


def test_helm_reads_the_history_of_a_rollback(failing, declare, own_cluster, namespace):
    widget = declare(WIDGET, "w")
    widget.create({"text": "one"}, {"chartwright.io/on-upgrade-failure": "rollback"}).wait_ready()
    widget.patch({"text": "two", "extra": INVALID})
    fails(widget, "UpgradeError", "rollback")
    statuses = [widget.record(number)["info"]["status"] for number in (1, 2, 3)]
    assert statuses == ["superseded", "failed", "deployed"]
    assert "no such key!" in widget.record(2)["info"]["description"]
    assert widget.record(3)["manifest"] == widget.record(1)["manifest"]


def test_the_watch_chooses_the_policy(own_cluster, namespace, declare, tmp_path):
    project = session.widget_project(
        tmp_path, {"templates/extra.yaml": EXTRA, "values.schema.json": "{}"}
    )
    policy = ", onUpgradeFailure: rollback, onInstallFailure: uninstall}\n"
    text = session.WIDGET_WATCH.replace("}\n", policy)
    project["watches_file"].write_text(text, encoding="utf-8")
    with session.widget_operator(own_cluster, namespaces=(namespace,), **project):
        widget = declare(WIDGET, "w").create({"text": "one", "extra": INVALID})
        assert fails(widget, "InstallError", "uninstall") == FAILED_INSTALLS["uninstall"]
        widget.patch({"extra": None})
        widget.wait_ready()
        widget.patch({"text": "two", "extra": INVALID})
        fails(widget, "UpgradeError", "rollback")
        assert texts(widget) == {"0": "one"}


@pytest.mark.parametrize("step", ["install", "upgrade"])
def test_what_was_there_before_a_failed_attempt_is_not_deleted(failing, namespace, declare, step):
    widget = declare(WIDGET, "w")
    policies = {"on-install-failure": "uninstall", "on-upgrade-failure": "rollback"}
    annotations = {"adopt": "true", **policies}
    spec = {"count": 2, "text": "two", "extra": INVALID}
    consent = {"chartwright.io/adoptable-by": f"{namespace}/w"}
    theirs = {"name": "w-1", "namespace": namespace, "annotations": consent}
    before = widget.kube.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": theirs})
    if step == "upgrade":
        widget.create({"count": 1, "text": "one"}).wait_ready()
        widget.annotate(**{key.replace("-", "_"): text for key, text in annotations.items()})
        widget.patch(spec)
    else:
        named = {f"chartwright.io/{key}": text for key, text in annotations.items()}
        widget.create(spec, annotations=named)
    error = widget.wait_error()
    meters.wait_at_rest(failing)
    after = widget.child(CONFIGMAP, "w-1")
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["data"] == {"text": "two"}
    assert "chartwright.io/adopt" in error
