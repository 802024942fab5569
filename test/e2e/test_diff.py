# SPDX-License-Identifier: Apache-2.0
"""`chartwright diff` announces exactly the writes that the operator then makes, and makes none
itself.
"""

import base64
import dataclasses
import json
import os
import subprocess

import pytest

from e2e import meters, session
from e2e.custom_resource import CONFIGMAP, DEPLOYMENT, PET, SECRET, WIDGET
from e2e.test_lookup import LOGIN
from e2e.test_migration import ELSEWHERE, GIZMO, HOOK, KEPT, SETTINGS, WEB, WEB_NEXT
from harness.operator import Operator, OperatorOptions, default_binary
from harness.paths import REPOSITORY
from harness.petstore import PetStore

OPERATOR = "chartwright-e2e-diff-operator"
READER = "chartwright-e2e-diff"
NOBODY = "chartwright-e2e-diff-nobody"
RULES = """children:
- match: {kind: Deployment}
  update: recreateIfImmutable
- match: {kind: ConfigMap, name: "*-frozen"}
  freeze: [data.color]
"""
FROZEN = """apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-frozen"}
data: {color: {{ .Values.color | default "red" | quote }}, \
other: {{ .Values.color | default "red" | quote }}}
"""
GIZMO_OBJECT = """apiVersion: migration.example.com/v1
kind: Gizmo
metadata: {name: gizmo}
"""


@pytest.fixture(name="accounts")
def two_accounts(own_cluster):
    """The kubeconfigs of the operator, of the user of diff, and of somebody without rights."""
    kubeconfigs = {}
    for account in (OPERATOR, READER, NOBODY):
        own_cluster.kubectl("-n", session.SYSTEM, "create", "serviceaccount", account)
        if account != NOBODY:
            subject = f"--serviceaccount={session.SYSTEM}:{account}"
            own_cluster.kubectl(
                "create", "clusterrolebinding", account, "--clusterrole=cluster-admin", subject
            )
        kubeconfigs[account] = own_cluster.service_account_kubeconfig(session.SYSTEM, account)
    yield kubeconfigs
    for account in (OPERATOR, READER, NOBODY):
        own_cluster.kubectl("delete", "clusterrolebinding", account, "--ignore-not-found")
        own_cluster.kubectl("-n", session.SYSTEM, "delete", "serviceaccount", account)


@dataclasses.dataclass
class Look:
    """The result of a run of diff."""

    code: int
    out: str
    err: str

    def report(self) -> dict:
        """Returns the output of -o json."""
        return json.loads(self.out)


class Project:
    """A project with one chart, its operator, and diff."""

    def __init__(self, folder, cluster, namespace: str, accounts: dict):
        self.folder = folder
        self.cluster = cluster
        self.namespace = namespace
        self._accounts = accounts
        (folder / "watches.yaml").write_text(session.WIDGET_WATCH, encoding="utf-8")

    def write(self, files: dict[str, str], chart: str = "chart", version: str = "1.0.0") -> None:
        """Writes a chart."""
        text = f"apiVersion: v2\nname: project\nversion: {version}\n"
        for name, content in {"Chart.yaml": text, **files}.items():
            file = self.folder / chart / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")

    def use(self, chart: str) -> None:
        """Has the operator use that chart from its next start on."""
        text = session.WIDGET_WATCH.replace("chart: chart", f"chart: {chart}")
        (self.folder / "watches.yaml").write_text(text, encoding="utf-8")

    def operator(self) -> Operator:
        """Returns the operator, not started."""
        return Operator(
            OperatorOptions(
                self._accounts[OPERATOR],
                cwd=self.folder,
                watches_file=self.folder / "watches.yaml",
                namespaces=(self.namespace, "default"),
                arguments=("--reconcile-period=0",),
            )
        )

    def diff(
        self, *arguments: str, account: str = READER, stdin: str = "", watched: str = ""
    ) -> Look:
        """Runs diff with that WATCH_NAMESPACE, and checks that it has written nothing."""
        mark = self.cluster.audit.mark()
        environment = {
            **os.environ,
            "KUBECONFIG": str(self._accounts[account]),
            "WATCH_NAMESPACE": watched,
        }
        done = subprocess.run(
            [str(default_binary()), "diff", *arguments, "-n", self.namespace],
            cwd=self.folder,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        user = session.user_of(account)
        wrote = [
            f"{request.verb} {request.uri}"
            for request in self.cluster.audit.requests(mark, user=user)
            if request.is_write() and "dryRun=All" not in request.uri
        ]
        assert not wrote
        return Look(done.returncode, done.stdout, done.stderr)

    def settle(self, widget, number: int) -> list[str]:
        """Runs the operator until that revision is in force and it rests; returns its writes."""
        mark = self.cluster.audit.mark()
        with self.operator() as process:
            widget.wait_revision(number)
            meters.wait_at_rest(process)
        return writes(self.cluster, mark)


@pytest.fixture(name="project")
def new_project(tmp_path, own_cluster, namespace, accounts):
    """The project, with no template yet."""
    return Project(tmp_path, own_cluster, namespace, accounts)


def writes(cluster, since) -> list[str]:
    """Returns the operator's writes, but for custom resources, records and Events."""
    return sorted(
        {
            f"{request.verb} {request.resource} {request.name}"
            for request in cluster.audit.requests(since, user=session.user_of(OPERATOR))
            if request.is_write()
            and request.resource not in ("widgets", "widgets/status", "events")
            and not request.name.startswith("sh.helm.release")
        }
    )


VERBS = {
    "create": ["patch"],
    "apply": ["patch"],
    "recreate": ["patch", "delete"],
    "delete": ["delete"],
}


def announced(report: dict) -> list[str]:
    """Returns the writes that a report announces, as `writes` has them."""
    found = set()
    for change in report["objects"]:
        obj = change["object"]
        verbs = VERBS.get(change["action"], [])
        if change["action"] == "hook":
            verbs = ["create"] + [
                "delete" for text in change.get("consequences", []) if "earlier" in text
            ]
        if obj["kind"] == "CustomResourceDefinition" and change["action"] == "create":
            verbs = ["create"]  # Of crds/.
        found |= {f"{verb} {obj['kind'].lower()}s {obj['name']}" for verb in verbs}
    return sorted(found)


def fields(report: dict, name: str) -> dict[str, tuple]:
    """Returns the changes of the object of that name by path."""
    named = [change for change in report["objects"] if change["object"]["name"] == name]
    (change,) = [change for change in named if change["action"] != "unchanged"]
    return {
        field["path"]: (field.get("before"), field.get("after"))
        for field in change.get("fields", [])
    }


CASES = {
    "an env var, a container, a label and an object less": (
        {"templates/a.yaml": WEB},
        {"templates/a.yaml": WEB_NEXT},
        {},
    ),
    "other values": ({"templates/a.yaml": WEB}, {"templates/a.yaml": WEB}, {"color": "blue"}),
    "hooks": (
        {"templates/a.yaml": SETTINGS, "templates/hook.yaml": HOOK},
        {"templates/a.yaml": SETTINGS, "templates/hook.yaml": HOOK},
        {"color": "blue"},
    ),
    "a CRD of crds/ and its object": (
        {"templates/a.yaml": SETTINGS},
        {
            "templates/a.yaml": SETTINGS,
            "crds/gizmo.yaml": GIZMO,
            "templates/gizmo.yaml": GIZMO_OBJECT,
        },
        {},
    ),
    "children elsewhere, and one that is kept": (
        {"templates/a.yaml": SETTINGS, "templates/b.yaml": ELSEWHERE, "templates/c.yaml": KEPT},
        {"templates/a.yaml": SETTINGS},
        {},
    ),
    "an immutable field, and one that is frozen": (
        {"templates/a.yaml": WEB, "templates/f.yaml": FROZEN, "operator/operator.yaml": RULES},
        {
            "templates/a.yaml": (
                WEB.replace("matchLabels: {app: web}", "matchLabels: {app: web, v: b}").replace(
                    "labels: {app: web, color", "labels: {app: web, v: b, color"
                )
            ),
            "templates/f.yaml": FROZEN,
            "operator/operator.yaml": RULES,
        },
        {"color": "blue"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_plan_is_what_the_operator_then_does(project, declare, own_cluster, case):
    first, second, spec = CASES[case]
    project.write(first)
    project.write(second, chart="next", version="2.0.0")
    widget = declare(WIDGET, "w").create({})

    look = project.diff("widget/w", "-o", "json")
    assert look.code == 1, look.err
    assert announced(look.report()) == project.settle(widget, 1)
    assert project.diff("widget/w").code == 0

    if spec:
        widget.patch(spec)
    look = project.diff("widget/w", "--chart", "next", "-o", "json")
    assert look.code in (0, 1), look.err
    project.use("next")
    report = look.report()
    made = project.settle(widget, report.get("revision", 1))
    assert announced(report) == made
    after = project.diff("widget/w", "--all")
    assert after.code == 0, after.out
    with project.operator():
        widget.delete()
        widget.wait_gone()
    own_cluster.kubectl("delete", "crd", "gizmos.migration.example.com", "--ignore-not-found")


def test_fields_are_named_with_their_values(project, declare):
    project.write({"templates/a.yaml": WEB})
    project.write({"templates/a.yaml": WEB_NEXT}, chart="next")
    widget = declare(WIDGET, "w").create({})
    project.settle(widget, 1)
    look = project.diff("widget/w", "--chart", "next", "-o", "json")
    template = "spec.template.spec.containers"
    found = fields(look.report(), "w")
    assert found.pop(f"{template}[name=helper].image") == ('"helper:1"', None)
    assert found.pop("metadata.labels.tier") == ('"front"', None)
    assert found.pop(f"{template}[name=web].env[name=OLD].value") == ('"1"', None)
    assert all(
        path.startswith((f"{template}[name=helper]", f"{template}[name=web].env[name=OLD]"))
        for path in found
    )
    text = project.diff("widget/w", "--chart", "next").out
    assert "~ apps/v1 Deployment " in text and "restarts the pod of this workload" in text
    assert "- v1 ConfigMap " in text and "no longer rendered" in text


def test_drift_names_its_manager(project, declare, own_cluster):
    project.write({"templates/a.yaml": WEB})
    widget = declare(WIDGET, "w").create({})
    project.settle(widget, 1)
    patch = '{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:edited"}]}}}}'
    own_cluster.kubectl(
        "-n",
        widget.namespace,
        "patch",
        "deployment",
        "w",
        "--field-manager=kubectl-edit",
        "-p",
        patch,
    )
    look = project.diff("widget/w")
    assert look.code == 1
    line = (
        '~ spec.template.spec.containers[name=web].image: "web:edited" → "web:1" (managed by'
        " kubectl-edit)"
    )
    assert line in look.out
    assert "apply (drifted)" in look.out
    assert "patch deployments w" in project.settle(widget, 1)
    assert (
        widget.child(DEPLOYMENT, "w")["spec"]["template"]["spec"]["containers"][0]["image"]
        == "web:1"
    )
    assert project.diff("widget/w").code == 0


def test_secrets_do_not_show(project, declare, own_cluster):
    project.write({"templates/login.yaml": LOGIN, "templates/a.yaml": SETTINGS})
    widget = declare(WIDGET, "w").create({})
    look = project.diff("widget/w")
    assert look.code == 1
    assert "*** " in look.out or "***\n" in look.out
    project.settle(widget, 1)
    secret = widget.child(SECRET, "login")
    values = list(secret["data"].values())
    plain = [base64.b64decode(value).decode() for value in values]
    assert project.diff("widget/w").code == 0
    own_cluster.kubectl("-n", widget.namespace, "annotate", "secret", "login", f"note={plain[0]}")
    changed = {key: base64.b64encode(b"edited-by-hand").decode() for key in secret["data"]}
    widget.kube.patch(SECRET, "login", widget.namespace, {"data": changed})
    for arguments in (("-o", "json"), ("--all",)):
        look = project.diff("widget/w", *arguments)
        for text in (*values, *plain, *changed.values(), "edited-by-hand"):
            assert text not in look.out + look.err
    assert ": *** → ***" in look.out


def test_a_changed_custom_resource_in_a_file(project, declare, tmp_path):
    project.write({"templates/a.yaml": SETTINGS})
    widget = declare(WIDGET, "w").create({})
    project.settle(widget, 1)
    cr = {
        "apiVersion": "e2e.chartwright.io/v1",
        "kind": "Widget",
        "metadata": {"name": "w"},
        "spec": {"color": "blue"},
    }
    (tmp_path / "cr.json").write_text(json.dumps(cr), encoding="utf-8")
    look = project.diff("-f", "cr.json", "-o", "json")
    assert look.code == 1, look.err
    assert fields(look.report(), "w") == {"data.color": ('"red"', '"blue"')}
    cr["metadata"]["name"] = "new"
    look = project.diff("-f", "-", stdin=json.dumps(cr))
    assert look.code == 1, look.err
    assert "+ v1 ConfigMap " in look.out and "recorded as revision 1" in look.out
    assert widget.get()["spec"] == {}


def test_two_revisions(project, declare):
    project.write({"templates/a.yaml": SETTINGS})
    widget = declare(WIDGET, "w").create({})
    project.settle(widget, 1)
    widget.patch({"color": "blue"})
    project.settle(widget, 2)
    look = project.diff("widget/w", "--revision", "1..2", "-o", "json")
    assert look.code == 1, look.err
    before, after = (widget.record(number)["manifest"] for number in (1, 2))
    assert fields(look.report(), "w") == {"data.color": ('"red"', '"blue"')}
    assert 'color: "red"' in before and 'color: "blue"' in after
    assert project.diff("widget/w", "--revision", "2..2").code == 0
    look = project.diff("widget/w", "--revision", "1..9")
    assert look.code == 2
    assert "Widget w has no revision 9: there are 1, 2" in look.err


ERRORS = [
    (("widget/gone",), "Widget.e2e.chartwright.io {ns}/gone does not exist"),
    (("widgte/w",), 'has no kind "widgte"; did you mean "Widget"?'),
    ((), "which custom resource?"),
    (("widget/w", "--revision", "1-2"), "is not a range of two revision numbers"),
    (("widget/w", "--chart", "nowhere"), "--chart nowhere"),
    (("widget/w", "--chart", "broken"), "project/templates/a.yaml:1:7: "),
    (("widget/w", "-o", "yaml"), "is not one of text, json"),
    (("widget/w", "--no-such-flag"), "no-such-flag"),
    (("-f", "nowhere.yaml"), "nowhere.yaml"),
]


@pytest.mark.parametrize("arguments, message", ERRORS)
def test_errors_have_an_exit_code_of_their_own(project, declare, arguments, message):
    project.write({"templates/a.yaml": SETTINGS})
    project.write({"templates/a.yaml": 'a: {{ fail "too blue" }}\n'}, chart="broken")
    widget = declare(WIDGET, "w").create({})
    look = project.diff(*arguments)
    assert look.code == 2, look.out
    assert message.format(ns=widget.namespace) in look.err


def test_missing_rights_are_named(project, declare):
    project.write({"templates/a.yaml": SETTINGS})
    declare(WIDGET, "w").create({})
    look = project.diff("widget/w", account=NOBODY)
    assert look.code == 2
    assert "cannot get resource" in look.err and "widgets" in look.err


def test_the_namespaces_are_those_of_the_operator(project, declare, namespace):
    project.write({"templates/a.yaml": SETTINGS, "templates/b.yaml": ELSEWHERE})
    widget = declare(WIDGET, "w").create({})
    unseen = project.diff("widget/w", watched="default")
    assert unseen.code == 0, unseen.err
    assert "WATCH_NAMESPACE (default) leaves out the namespace of the custom resource" in unseen.out
    project.settle(widget, 1)
    for watched in ("", f"{namespace},default", f" default, {namespace} "):
        look = project.diff("widget/w", watched=watched)
        assert look.code == 0, look.out + look.err
    widget.patch({"color": "blue"})
    assert project.diff("widget/w", watched=namespace).code == 1
    with project.operator():
        widget.delete()
        widget.wait_gone()


def test_a_pause_is_respected(project, declare):
    project.write({"templates/a.yaml": SETTINGS})
    widget = declare(WIDGET, "w").create({})
    project.settle(widget, 1)
    widget.patch({"color": "blue"})
    widget.annotate(paused="audit")
    look = project.diff("widget/w")
    assert look.code == 0
    assert "is paused, and nothing is done: audit" in look.out
    assert widget.child(CONFIGMAP, "w")["data"]["color"] == "red"


@pytest.fixture(name="store")
def petstore(tmp_path):
    """A petstore without pets."""
    server = PetStore(tmp_path).start()
    yield server
    server.close()


def test_nothing_is_changed_outside_of_the_cluster(project, declare, own_cluster, store):
    watch = {
        "group": "petstore.example.com",
        "version": "v1alpha1",
        "kind": "Pet",
        "chart": str(REPOSITORY / "charts" / "pet"),
        "overrideValues": {"store.url": store.url, "store.resync": "1h"},
    }
    (project.folder / "watches.yaml").write_text(json.dumps([watch]), encoding="utf-8")
    thor = {"name": "Thor", "type": "dog", "birthday": "2021-04-01T00:00:00Z"}
    pet = declare(PET, "thor").create(thor)
    look = project.diff("pet/thor")
    assert look.code == 1, look.err
    assert "Note: an external would be changed: " in look.out
    assert store.pets() == []

    with project.operator() as process:
        pet.wait_ready()
        meters.wait_at_rest(process)
    before = store.pets()
    assert len(before) == 1
    look = project.diff("pet/thor")
    assert look.code == 0, look.out + look.err
    pet.patch({"type": "cat"})
    look = project.diff("pet/thor")
    assert look.code == 1, look.out + look.err
    assert store.pets() == before
    with project.operator():
        pet.delete()
        pet.wait_gone()
    assert store.pets() == []


def three_widgets(project, declare) -> None:
    """Declares widgets of which one fails with the next chart, and runs the operator on them."""
    project.write({"templates/a.yaml": SETTINGS})
    more = SETTINGS.replace("quote }}}", 'quote }}, extra: "1"}')
    project.write({"templates/a.yaml": FAILS_ON_REQUEST + more}, chart="next")
    widgets = {
        name: declare(WIDGET, name).create(spec)
        for name, spec in {"w1": {}, "w2": {}, "w3": {"broken": "yes"}}.items()
    }
    project.cluster.kubectl("-n", project.namespace, "label", "widget", "w1", "w2", "tier=gold")
    with project.operator() as process:
        for widget in widgets.values():
            widget.wait_revision(1)
        meters.wait_at_rest(process)


FAILS_ON_REQUEST = '{{ if .Values.broken }}{{ fail "this one is broken" }}{{ end }}'


def test_a_fleet_shows_each_change_once(project, declare):
    three_widgets(project, declare)
    look = project.diff("widget", "--chart", "next", "--summary")
    assert look.code == 2, look.err
    assert look.out.startswith("2 custom resources, as Widget ")
    assert look.out.count("~ v1 ConfigMap ") == 1
    assert f"Also: {project.namespace}/w2\n" in look.out
    assert "this one is broken" in look.out
    assert look.out.endswith("3 custom resources: 2 change, 1 fails.\n")
    gold = project.diff("widget", "--chart", "next", "-l", "tier=gold", "-o", "json")
    assert gold.code == 1, gold.err
    report = gold.report()
    assert [item["customResource"]["name"] for item in report["items"]] == ["w1", "w2"]
    assert report["counts"] == {"changed": 2, "restarted": 0, "failed": 0, "unchanged": 0}
    everywhere = project.diff("widgets.e2e.chartwright.io", "-A", "--summary")
    assert everywhere.code == 0, everywhere.out
    assert everywhere.out.endswith("3 custom resources: 3 stay as they are.\n")


def test_several_custom_resources_are_named(project, declare):
    three_widgets(project, declare)
    look = project.diff("widget/w1", "widget/nobody", "--chart", "next")
    assert look.code == 2
    assert f"Widget.e2e.chartwright.io {project.namespace}/w1:\n~ v1 ConfigMap" in look.out
    assert "nobody does not exist" in look.out
    structured = project.diff("widget/w1", "--chart", "next", "-o", "structured")
    (entry,) = json.loads(structured.out)
    assert (entry["kind"], entry["changeType"]) == ("ConfigMap", "MODIFY")
    assert entry["changes"] == [
        {"path": "data", "field": "extra", "change": "add", "newValue": "1"}
    ]


WRONG_FLEETS = {
    "-A with a name": (["widget/w", "-A"], "for all of a kind, and not for a name"),
    "a revision of a kind": (["widget", "--revision", "1..2"], "one custom resource"),
    "a summary as JSON": (["widget", "--summary", "-o", "json"], "--summary is a text"),
    "a kind among names": (["widget/w", "widget"], '"widget" is not KIND/NAME'),
    "an unknown kind": (["wudget"], 'did you mean "Widget"?'),
    "an unknown kind, and no cluster": (
        ["wudget", "--kubeconfig", "/nonexistent"],
        'did you mean "Widget"?',
    ),
    "nothing": ([], "KIND for all of a kind"),
}


@pytest.mark.parametrize("case", WRONG_FLEETS)
def test_a_wrong_fleet_is_refused(project, case):
    arguments, said = WRONG_FLEETS[case]
    project.write({"templates/a.yaml": SETTINGS})
    look = project.diff(*arguments)
    assert look.code == 2
    assert said in look.err
