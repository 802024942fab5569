# SPDX-License-Identifier: Apache-2.0
"""`lookup` in a chart: a password that is made once stays, as under helm-operator."""

import pytest

from e2e import session
from e2e.custom_resource import SECRET, WIDGET

LOGIN = """{{- $old := lookup "v1" "Secret" .Release.Namespace "login" }}
apiVersion: v1
kind: Secret
metadata: {name: login}
data:
  password: {{ if $old }}{{ $old.data.password }}{{ else }}{{ randAlphaNum 24 | b64enc }}{{ end }}
"""
WAITING = """{{- if .Values.text | eq "wait" }}\
{{ if not (lookup "v1" "Secret" .Release.Namespace "token") }}
{{- fail "create the Secret token first" }}{{ end }}{{ end }}
"""


@pytest.fixture(name="operator")
def looking_operator(cluster, namespace, tmp_path):
    """An operator whose chart looks up Secrets."""
    project = session.widget_project(
        tmp_path, {"templates/login.yaml": LOGIN, "templates/waiting.yaml": WAITING}
    )
    with session.widget_operator(cluster, namespaces=(namespace,), **project) as process:
        yield process


def test_a_password_that_a_chart_looks_up_stays(operator, declare):
    widget = declare(WIDGET, "w").create({"text": "one"})
    widget.wait_ready()
    password = widget.child(SECRET, "login")["data"]["password"]
    widget.patch({"text": "two"})
    widget.wait_revision(2)
    operator.stop()
    operator.start()
    widget.patch({"text": "three"})
    widget.wait_revision(3)
    widget.annotate(rollback_to="1")
    widget.wait_revision(4)
    widget.wait_ready()
    login = widget.child(SECRET, "login")
    assert login["data"]["password"] == password
    widget.kube.delete(SECRET, "login", widget.namespace)
    again = widget.wait_child(
        SECRET, "login", lambda obj: obj["metadata"]["uid"] != login["metadata"]["uid"]
    )
    assert again["data"]["password"] == password


def test_a_chart_that_asks_for_an_object_goes_on_once_it_is_there(cluster, operator, declare):
    assert operator.running()
    widget = declare(WIDGET, "w").create({"text": "wait"})
    assert "create the Secret token first" in widget.wait_error()
    cluster.kubectl("-n", widget.namespace, "create", "secret", "generic", "token")
    widget.wait_ready()
    widget.wait_condition("Stalled", None)
