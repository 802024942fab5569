# SPDX-License-Identifier: Apache-2.0
"""`chartwright why KIND/NAME FIELD` leads from a field to what gives it its value."""

import json

import pytest

from e2e import console, raw_chart
from e2e.custom_resource import DEPLOYMENT, SECRET, WIDGET, CustomResource
from harness.kube import wait_until

VALUES = """replicas: 1
image: {name: nginx, tag: "1"}
token: planted-token
"""
WEB = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-web
spec:
  replicas: {{ .Values.replicas }}
  revisionHistoryLimit: {{ add .Values.replicas 1 }}
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: {{ include "image" . | quote }}
"""
KEYS = """apiVersion: v1
kind: Secret
metadata:
  name: {{ .Release.Name }}-keys
stringData:
  token: {{ .Values.token | quote }}
"""
HELPERS = """{{ define "image" -}}
{{ .Values.image.name }}:{{ .Values.image.tag }}
{{- end }}
"""
# The operator leaves the replicas to others, such as an autoscaler that it does not know.
RULES = """children:
- match: {apiVersion: apps/v1, kind: Deployment}
  ignore: [spec.replicas]
"""
IMAGE = "Deployment/one-web:spec.template.spec.containers[name=web].image"


@pytest.fixture(scope="module", name="chart")
def folder_of_the_chart(tmp_path_factory):
    """The folder in which the chart is."""
    return tmp_path_factory.mktemp("whyfield")


@pytest.fixture(scope="module", name="shops")
def operator_of_the_chart(cluster, shared_operators, chart):
    """The operator of a chart with a Deployment and a Secret."""
    files = {
        "values.yaml": VALUES,
        "templates/raw.yaml": "",
        "templates/web.yaml": WEB,
        "templates/keys.yaml": KEYS,
        "templates/_helpers.tpl": HELPERS,
        "operator/operator.yaml": RULES,
    }
    with raw_chart.started(cluster, chart, files=files) as operator:
        shared_operators["shops"] = operator
        yield operator
    del shared_operators["shops"]


@pytest.fixture(name="one")
def with_two_revisions(shops, cluster, namespace):
    """A custom resource whose second revision has another tag."""
    one = CustomResource(cluster, WIDGET, namespace, "one").create({"replicas": 2})
    one.wait_revision(1)
    one.patch({"image": {"tag": "2"}})
    one.wait_revision(2)
    return one


@pytest.fixture(name="why")
def command(cluster, namespace):
    """`why(ARGUMENTS...)` runs the command in the test's namespace."""
    return lambda *arguments, **options: console.run(
        cluster, namespace, "why", *arguments, **options
    )


def told(done) -> list[str]:
    """Returns the lines of an answer."""
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_an_override_leads_to_the_spec(one, namespace, why):
    lines = told(why("widget/one", IMAGE))
    assert lines[0] == f"Deployment.apps {namespace}/one-web: {IMAGE.partition(':')[2]}"
    assert lines[1].startswith(f'  live: "nginx:2", set by this operator, {one.manager()} (Apply')
    assert lines[2:6] == [
        '  revision 2: "nginx:2"',
        "  template: raw/templates/web.yaml:16, by raw/templates/_helpers.tpl:2",
        '    reads .Values.image.name: "nginx", the default in values.yaml of the chart',
        '    reads .Values.image.tag: "2", from spec.image.tag of widget/one',
    ]
    assert lines[6].startswith("  since: revision 2, ")
    assert lines[6].endswith(", Upgrade complete, by chartwright-test")
    assert lines[7:] == ["→ change spec.image.tag of widget/one"]


def test_a_default_leads_to_its_line_with_the_chart(one, chart, why):
    done = why("widget/one", IMAGE, "--chart", str(chart / "chart"))
    assert any("the default in raw/values.yaml:2:" in line for line in told(done))


def test_a_computed_value_names_what_it_is_computed_from(one, why):
    lines = told(why("widget/one", "Deployment/one-web:spec.revisionHistoryLimit"))
    assert "    reads .Values.replicas: 2, from spec.replicas of widget/one" in lines
    assert any(line.startswith("  since: revision 1, ") for line in lines)
    assert lines[-1] == "→ change spec.replicas of widget/one"


def test_a_field_of_another_manager_is_told_with_it(one, cluster, namespace, why):
    cluster.kube.patch(
        DEPLOYMENT, "one-web", namespace, {"spec": {"replicas": 5}}, subresource="scale"
    )
    lines = told(why("widget/one", "Deployment/one-web:spec.replicas"))
    assert lines[1].startswith("  live: 5, set by ")
    assert "(Update of scale" in lines[1]
    assert lines[2] == "  revision 2: 2"
    assert lines[-1].startswith(f"→ chartwright diff widget/one --namespace {namespace}: ")


def test_a_drifted_field_is_told_while_it_is_not_repaired(one, cluster, namespace, why):
    one.annotate(paused="true")
    wait_until(lambda: "Paused" in json.dumps(one.status()), what="the pause")
    cluster.kube.patch(DEPLOYMENT, "one-web", namespace, {"spec": {"revisionHistoryLimit": 7}})
    lines = told(why("widget/one", "Deployment/one-web:spec.revisionHistoryLimit"))
    assert lines[1].startswith("  live: 7, set by ")
    assert lines[2] == "  revision 2: 3"
    assert lines[-1].startswith(f"→ chartwright resume widget/one --namespace {namespace}")


def test_a_value_of_the_spec_leads_to_its_fields(one, why):
    done = why("widget/one", "spec.replicas", "-o", "json")
    assert done.returncode == 0, done.stderr
    [item] = json.loads(done.stdout)["items"]
    assert (item["state"], item["live"]["value"], item["record"]["value"]) == ("OfSpec", "2", "2")
    assert [use["field"] for use in item["uses"]] == ["spec.replicas", "spec.revisionHistoryLimit"]
    assert item["since"]["revision"] == 1
    assert item["gaps"] == []


def test_nothing_of_a_secret_is_shown(one, why):
    for form in ("text", "json", "yaml"):
        done = why("widget/one", "Secret/one-keys:data.token", "-o", form)
        assert done.returncode == 0, done.stderr
        assert "planted" not in done.stdout + done.stderr
        assert "***" in done.stdout


def test_what_does_not_exist_is_refused_with_what_does(one, why):
    done = why("widget/one", "Deployment/one-wev:spec.replicas")
    assert done.returncode == 1
    assert 'there is no child "Deployment/one-wev"; did you mean Deployment/one-web?' in done.stderr
    done = why("widget/one", "Deployment/one-web:spec.replica")
    assert done.returncode == 1
    assert 'has no field "spec.replica"; did you mean "spec.replicas"?' in done.stderr


def test_without_rights_on_secrets_the_live_field_is_told(one, cluster, namespace, why):
    kubeconfig = console.viewer(
        cluster,
        namespace,
        ("e2e.chartwright.io", "widgets", "get"),
        ("apps", "deployments", "get"),
    )
    lines = told(why("widget/one", IMAGE, kubeconfig=kubeconfig))
    assert lines[1].startswith('  live: "nginx:2"')
    assert lines[2].startswith(f"  unknown: no right to get Secrets in {namespace}")


def test_a_damaged_record_is_a_gap(one, cluster, namespace, why):
    one.annotate(paused="true")
    cluster.kube.patch(
        SECRET, "sh.helm.release.v1.one.v2", namespace, {"data": {"release": "AAAA"}}
    )
    lines = told(why("widget/one", IMAGE))
    assert lines[1].startswith('  live: "nginx:2"')
    assert any("the record of revision 2 is damaged" in line for line in lines)
