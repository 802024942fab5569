# SPDX-License-Identifier: Apache-2.0
"""Generated CRDs are accepted, and an operator with the generated role is never refused."""

import json
import pathlib
import subprocess

import pytest

from e2e import session
from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions, default_binary
from harness.paths import REPOSITORY

GROUP = "generated.example.com"
CHARTS = {
    path.parent.name: path.parent
    for folder in ("charts", "test/charts")
    for path in sorted((REPOSITORY / folder).glob("*/Chart.yaml"))
}
AS_JSON = "import sys, yaml, json; print(json.dumps(yaml.safe_load(sys.stdin)))"
GOLDEN = REPOSITORY / "test" / "golden"
# A library, and a chart whose dependencies are missing: they cannot be rendered.
NO_OPERATORS = {"kit", "incomplete"}


def generate(*arguments: str) -> str:
    """Returns what `chartwright generate` prints."""
    done = subprocess.run(
        [str(default_binary()), "generate", *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def kind_of(chart: str) -> str:
    """Returns a kind for a chart."""
    return chart.capitalize()


def specs_of(cluster, chart: str) -> dict:
    """Returns the specs of the chart's golden cases by name."""
    specs = {"smallest": {}}
    for case in sorted((GOLDEN / chart).glob("*/*.yaml")):
        if case.name in ("values.yaml", "cr.yaml"):
            text = case.read_text(encoding="utf-8")
            read = subprocess.run(
                ["python3", "-c", AS_JSON],
                input=text,
                capture_output=True,
                text=True,
                check=False,
            )
            values = json.loads(read.stdout) if read.returncode == 0 else {}
            spec = values.get("spec") if case.name == "cr.yaml" else values
            specs[case.parent.name.replace("_", "-").lower()] = spec or {}
    return specs


@pytest.fixture(scope="module")
def prefix(cluster):
    """The chart's CRDs and roles are installed as an administrator does it."""
    cluster.kubectl("apply", "-f", str(session.DEPLOY / "manager" / "namespace.yaml"))
    return "generated"


def install(cluster, chart: str, account: str) -> None:
    """Creates the generated CRD and role of a chart, and an account with that role."""
    flags = (str(CHARTS[chart]), "--group", GROUP, "--kind", kind_of(chart))
    crd = generate("crd", *flags)
    cluster.kubectl("apply", "-f", "-", input=crd)
    cluster.kubectl("create", "serviceaccount", account, "-n", session.SYSTEM)
    cluster.kubectl("apply", "-f", "-", input=generate("rbac", *flags, "--name", account))
    for crd in cluster.kube.list("customresourcedefinitions"):
        if crd["spec"]["group"] == GROUP:
            name = crd["metadata"]["name"]
            what = f"{name} being established"
            cluster.kube.wait("customresourcedefinitions", name, None, is_established, what=what)


def is_established(crd) -> bool:
    """Reports whether the API server has accepted a CRD."""
    # At first the API server writes null.
    conditions = (crd or {}).get("status", {}).get("conditions") or []
    return any(c["type"] == "Established" and c["status"] == "True" for c in conditions)


def settled(obj) -> bool:
    """Reports whether the operator has dealt with the current spec."""
    if obj is None:
        return False
    status = obj.get("status", {})
    ready = next((c for c in status.get("conditions", []) if c["type"] == "Ready"), None)
    return ready is not None and status.get("observedGeneration") == obj["metadata"]["generation"]


@pytest.mark.parametrize("chart", sorted(set(CHARTS) - NO_OPERATORS))
def test_an_operator_with_the_generated_role_is_never_refused(own_cluster, prefix, chart, tmp_path):
    cluster = own_cluster
    account = f"{prefix}-{chart}"
    install(cluster, chart, account)
    watches = tmp_path / "watches.yaml"
    watches.write_text(
        f"- group: {GROUP}\n  version: v1alpha1\n  kind: {kind_of(chart)}\n"
        f"  chart: {CHARTS[chart]}\n",
        encoding="utf-8",
    )
    namespace = cluster.create_namespace("generated")
    kind = f"{GROUP}/v1alpha1/{kind_of(chart)}"
    wait_until(lambda: session.is_served(cluster, kind), what="kind being served")
    mark = cluster.audit.mark()
    made = []
    for name, spec in specs_of(cluster, chart).items():
        body = {
            "apiVersion": f"{GROUP}/v1alpha1",
            "kind": kind_of(chart),
            "metadata": {"name": name, "namespace": namespace},
            "spec": spec,
        }
        done = cluster.kubectl.run("create", "-f", "-", input=json.dumps(body))
        if done.returncode == 0:
            made.append(name)
    assert made, "the generated CRD refuses every golden case"
    kubeconfig = cluster.service_account_kubeconfig(session.SYSTEM, account)
    arguments = ("--reconcile-period=0",)
    options = OperatorOptions(kubeconfig, watches_file=watches, arguments=arguments)
    with Operator(options):
        for name in made:
            cluster.kube.wait(kind, name, namespace, settled, what=f"{name} being reconciled")
        for name in made:
            cluster.kube.delete(kind, name, namespace)
        for name in made:
            cluster.kube.wait_gone(kind, name, namespace)
    user = session.user_of(account)
    refused = {
        (request.verb, request.group, request.resource)
        for request in cluster.audit.requests(mark, user=user, code=403)
    }
    cluster.kube.delete("v1/Namespace", namespace)
    assert not refused


# Specs that Helm accepts and refuses for this schema; so does the API server.
CHOICES = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "mode": {"type": "string"},
        "host": {"type": "string"},
        "port": {"type": "integer"},
        "tag": {"type": ["string", "null"], "not": {"const": "latest"}},
        "labels": {
            "type": "object",
            "additionalProperties": False,
            "patternProperties": {"^[a-z]+$": {"type": "string"}},
        },
        "size": {"type": "integer", "anyOf": [{"maximum": 3}, {"enum": [10, 20]}]},
    },
    "oneOf": [
        {"title": "by host", "type": "object", "required": ["host"]},
        {
            "required": ["mode"],
            "properties": {"mode": {"type": "string", "const": "local", "default": "local"}},
        },
    ],
}
RIGHT_CHOICES = [
    {"host": "a", "labels": {"x": "y"}, "tag": None},
    {"mode": "local", "size": 10},
    {"host": "a", "mode": "remote", "size": 2, "tag": "v1"},
]
WRONG_CHOICES = [
    {},
    {"mode": "remote"},
    {"host": "a", "mode": "local"},
    {"host": "a", "tag": "latest"},
    {"host": "a", "size": 7},
]


def test_choices_of_a_schema_are_structural_and_decide_as_helm(own_cluster, tmp_path):
    chart = tmp_path / "choices"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: choices\nversion: 1.0.0\n")
    (chart / "values.schema.json").write_text(json.dumps(CHOICES), encoding="utf-8")
    crd = generate("crd", str(chart), "--group", GROUP, "--kind", "Choice")
    own_cluster.kubectl("apply", "-f", "-", input=crd)
    name = f"choices.{GROUP}"
    what = f"{name} being established"
    own_cluster.kube.wait("customresourcedefinitions", name, None, is_established, what=what)
    kept = own_cluster.kube.get("customresourcedefinitions", name)
    conditions = {c["type"]: c for c in kept["status"]["conditions"]}
    assert "NonStructuralSchema" not in conditions
    wait_until(
        lambda: session.is_served(own_cluster, f"{GROUP}/v1alpha1/Choice"), what="kind being served"
    )
    namespace = own_cluster.create_namespace("choices")

    def create(spec: dict) -> subprocess.CompletedProcess:
        body = {
            "apiVersion": f"{GROUP}/v1alpha1",
            "kind": "Choice",
            "metadata": {"name": "one", "namespace": namespace},
            "spec": spec,
        }
        arguments = ("create", "--dry-run=server", "-o", "json", "-f", "-")
        return own_cluster.kubectl.run(*arguments, input=json.dumps(body))

    for spec in RIGHT_CHOICES:
        done = create(spec)
        assert done.returncode == 0, (spec, done.stderr)
        assert json.loads(done.stdout)["spec"] == spec
    for spec in WRONG_CHOICES:
        assert create(spec).returncode != 0, spec


def built_in_kinds(cluster) -> dict:
    """Returns resource and scope of every kind of Kubernetes that can be created and read."""
    groups = cluster.kube.request("GET", "/apis")["groups"]
    kinds = {}
    for version in ("v1", *(group["preferredVersion"]["groupVersion"] for group in groups)):
        group = version.rpartition("/")[0]
        if "." in group and not group.endswith(".k8s.io"):
            continue
        path = f"/apis/{version}" if group else "/api/v1"
        for resource in cluster.kube.request("GET", path)["resources"]:
            if "/" not in resource["name"] and {"create", "get"} <= set(resource["verbs"]):
                kinds[(version, resource["kind"])] = (resource["name"], resource["namespaced"])
    return kinds


def documents(text: str) -> list:
    """Returns the objects in the output of kubectl."""
    decoder, found = json.JSONDecoder(), []
    while text := text.lstrip():
        obj, end = decoder.raw_decode(text)
        found += obj.get("items", [obj])
        text = text[end:]
    return found


def test_the_scopes_and_names_of_built_in_kinds_are_the_server_s(own_cluster, tmp_path):
    kinds = built_in_kinds(own_cluster)
    assert len(kinds) > 40
    chart = tmp_path / "all"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: all\nversion: 1.0.0\n")
    objects = "".join(f"---\napiVersion: {version}\nkind: {kind}\n" for version, kind in kinds)
    (chart / "templates" / "all.yaml").write_text(objects, encoding="utf-8")
    roles = generate("rbac", str(chart), "--group", GROUP, "--watch-namespaces", "one")
    printed = own_cluster.kubectl(
        "create", "--dry-run=client", "-o", "json", "-f", "-", input=roles
    )
    found = {True: set(), False: set()}
    for role in documents(printed):
        for rule in role.get("rules", []):
            if "patch" in rule["verbs"]:
                group = rule["apiGroups"][0]
                found[role["kind"] == "Role"] |= {(group, name) for name in rule["resources"]}
    for (version, kind), (name, namespaced) in kinds.items():
        group = version.rpartition("/")[0]
        assert (group, name) in found[namespaced], f"{version} {kind}"


def doctor(kubeconfig, watches: pathlib.Path) -> subprocess.CompletedProcess:
    """Runs `chartwright doctor` with an account."""
    command = [str(default_binary()), "doctor", str(watches), "--kubeconfig", str(kubeconfig)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_doctor_names_what_is_missing_and_is_content_with_what_is_generated(own_cluster, tmp_path):
    cluster, account = own_cluster, "doctors-patient"
    watches = tmp_path / "watches.yaml"
    watches.write_text(
        f"- {{group: {GROUP}, version: v1, kind: Patient, chart: {CHARTS['scaffold']}}}\n",
        encoding="utf-8",
    )
    cluster.kubectl("create", "serviceaccount", account, "-n", session.SYSTEM)
    kubeconfig = cluster.service_account_kubeconfig(session.SYSTEM, account)
    before = doctor(kubeconfig, watches)
    assert before.returncode == 1, before.stderr
    assert f"the API server does not serve {GROUP}/v1, Kind=Patient" in before.stdout
    assert "no right to create, delete, get, list, patch, watch deployments.apps" in before.stdout
    flags = f"{watches} --name {account} --namespace {session.SYSTEM}"
    assert f"fix: chartwright generate rbac {flags} | kubectl apply -f -" in before.stdout
    cluster.kubectl("apply", "-f", "-", input=generate("crd", str(watches)))
    cluster.kubectl("apply", "-f", "-", input=generate("rbac", str(watches), "--name", account))
    done = wait_until(
        lambda: (found := doctor(kubeconfig, watches)).returncode == 0 and found,
        what="a healthy patient",
    )
    assert done.stdout == "✓ the CRDs and the rights of this account are sufficient\n"
