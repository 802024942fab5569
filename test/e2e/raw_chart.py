# SPDX-License-Identifier: Apache-2.0
"""A chart that renders the manifest that its custom resource gives, and its operator, which has all
rights.
"""

import contextlib
import json
import pathlib

from e2e import session
from e2e.custom_resource import WIDGET, CustomResource
from harness.cluster import Cluster

# In the manifest, stands for the name of the release.
NAME = "RELEASE"
TEMPLATE = '{{ .Values.manifest | replace "' + NAME + '" .Release.Name }}\n'
ENTRY = {"group": "e2e.chartwright.io", "version": "v1", "kind": "Widget", "chart": "chart"}


@contextlib.contextmanager
def started(cluster: Cluster, folder: pathlib.Path, *, files: dict | None = None, **entry):
    """Provides a running operator of the chart, to which `files` are added; `entry` are members of
    its entry in watches.yaml.
    """
    chart = folder / "chart"
    texts = {
        "Chart.yaml": "apiVersion: v2\nname: raw\nversion: 0.1.0\n",
        "values.yaml": 'manifest: ""\n',
        "templates/raw.yaml": TEMPLATE,
        **(files or {}),
    }
    for name, text in texts.items():
        (chart / name).parent.mkdir(parents=True, exist_ok=True)
        (chart / name).write_text(text, encoding="utf-8")
    watches = folder / "watches.yaml"
    watches.write_text(json.dumps([{**ENTRY, **entry}]), encoding="utf-8")
    with session.admin_account(cluster, folder.name.rstrip("0123456789")) as kubeconfig:
        operator = session.widget_operator(
            cluster, kubeconfig=kubeconfig, cwd=folder, watches_file=watches
        )
        operator.start()
        try:
            yield operator
        finally:
            operator.close()


def manifest(*objects: dict) -> dict:
    """Returns the spec of a custom resource that has these objects."""
    return {"manifest": "\n---\n".join(json.dumps(obj) for obj in objects)}


def create(cluster: Cluster, namespace: str, name: str, *objects: dict, **options):
    """Creates a custom resource with these objects; `options` are for `CustomResource.create`."""
    return CustomResource(cluster, WIDGET, namespace, name).create(manifest(*objects), **options)


def deployment(pod: dict | None = None, **spec) -> dict:
    """Returns a Deployment named as the release; `pod` adds to the spec of its pods, `spec` to its
    own.
    """
    labels = {"app": NAME}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "a", "image": "nginx:1"}], **(pod or {})},
            },
            **spec,
        },
    }
