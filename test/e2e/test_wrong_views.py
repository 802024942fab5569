# SPDX-License-Identifier: Apache-2.0
"""Views whose source is not in the cluster: each costs itself alone."""

import pytest

from harness.connection import ApiError
from harness.kube import wait_until
from harness.paths import REPOSITORY
from harness.views import ViewOptions, ViewServer

FLOCKS = REPOSITORY / "test" / "e2e" / "views" / "flocks.yaml"
GROUP = "waiting.example.com"
THINGS = f"""\
group: {GROUP}
version: v1
resource: {{kind: Card, plural: cards}}
verbs: [get, list, watch, delete, deletecollection]
source: {{apiVersion: things.example.org/v1, kind: Widget}}
project: 'spec: {{}}'
store: '{{{{ toJson .source }}}}'
"""
SCHEMA = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
WIDGETS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.things.example.org"},
    "spec": {
        "group": "things.example.org",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}}
        ],
    },
}


def waits(server: ViewServer) -> dict | None:
    """Returns the line of the log that says why a view waits for its source."""
    lines = (line for line in server.logs() if line["msg"] == "A view waits for its source")
    return next(lines, None)


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        pytest.param(
            "kind: Namespace",
            "kind: Namespac",
            "does not serve v1, kind Namespac, did you mean v1, kind Namespace?",
            id="of a kind that is not there",
        ),
        pytest.param(
            ", namespaced: false",
            "",
            "set resource.namespaced to false",
            id="with namespaces, of a source without",
        ),
    ],
)
def test_a_view_that_does_not_fit_is_named_in_the_log(cluster, tmp_path, right, wrong, problem):
    text = FLOCKS.read_text(encoding="utf-8")
    assert right in text
    view = tmp_path / "view.yaml"
    view.write_text(text.replace(right, wrong), encoding="utf-8")
    options = ViewOptions(cluster.kubeconfig, tmp_path, "default/none")
    with ViewServer(cluster.kube, options).start() as server:
        told = wait_until(lambda: waits(server), what="the problem")
        assert (told["view"], told["file"]) == ("flocks.herd.example.com", str(view))
        assert told["line"] == 6 and problem in told["error"]
        wait_until(server.ready, what="readiness")


def test_a_view_comes_with_its_crd(cluster, tmp_path):
    (tmp_path / "cards.yaml").write_text(THINGS, encoding="utf-8")
    namespaces = f"""\
group: {GROUP}
version: v1
resource: {{kind: Place, plural: places, namespaced: false}}
source: {{apiVersion: v1, kind: Namespace}}
project: 'spec: {{}}'
"""
    (tmp_path / "places.yaml").write_text(namespaces, encoding="utf-8")
    kube = cluster.kube
    service = cluster.create_namespace("waiting") + "/views"
    doomed = cluster.create_namespace("doomed")
    cards = f"/apis/{GROUP}/v1/namespaces/default/cards"

    def answered() -> int:
        try:
            kube.request("GET", cards)
            return 200
        except ApiError as error:
            return error.code

    with ViewServer(kube, ViewOptions(cluster.kubeconfig, tmp_path, service)).start() as server:
        server.create_service()
        server.wait_available(f"v1.{GROUP}")
        try:
            assert kube.request("GET", f"/apis/{GROUP}/v1/places")["items"]
            assert answered() == 503
            kube.delete("v1/Namespace", doomed)
            kube.wait_gone("v1/Namespace", doomed)
            kube.apply(WIDGETS)
            wait_until(lambda: answered() == 200, what="the view")
            kube.apply(
                {
                    "apiVersion": "things.example.org/v1",
                    "kind": "Widget",
                    "metadata": {"name": "one", "namespace": "default"},
                }
            )
            wait_until(lambda: kube.request("GET", cards)["items"], what="its object")
            kube.delete("CustomResourceDefinition", WIDGETS["metadata"]["name"])
            wait_until(lambda: answered() == 503, what="the end of the view")
        finally:
            kube.delete("v1/Service", "views", service.partition("/")[0])
            kube.wait_gone("APIService", f"v1.{GROUP}")
