# SPDX-License-Identifier: Apache-2.0
"""Views that do not fit the cluster are refused at the start, with their place."""

import subprocess

import pytest

from harness.paths import REPOSITORY
from harness.views import ViewOptions, ViewServer

FLOCKS = REPOSITORY / "test" / "e2e" / "views" / "flocks.yaml"


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
def test_a_view_is_refused(cluster, tmp_path, right, wrong, problem):
    text = FLOCKS.read_text(encoding="utf-8")
    assert right in text
    view = tmp_path / "view.yaml"
    view.write_text(text.replace(right, wrong), encoding="utf-8")
    options = ViewOptions(cluster.kubeconfig, tmp_path, "default/none")
    with ViewServer(cluster.kube, options) as server:
        done = subprocess.run(
            server.command(), env=server.environment(), capture_output=True, text=True, check=False
        )
    assert done.returncode == 1
    assert f"{view}:6:" in done.stderr
    assert problem in done.stderr
