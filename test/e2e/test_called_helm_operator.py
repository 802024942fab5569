# SPDX-License-Identifier: Apache-2.0
"""The binary under the name of operator-sdk's program, whose place it takes."""

import re
import subprocess

import pytest

from e2e import session
from e2e.custom_resource import WIDGET
from harness import oracle
from harness.operator import default_binary

NAME = "helm-operator"


@pytest.fixture(name="link", scope="module")
def link_of_the_build():
    """The link that the build makes."""
    link = default_binary().with_name(NAME)
    assert link.resolve() == default_binary().resolve()
    return link


def printed(*command) -> str:
    """Returns what a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_its_version_has_the_form_of_helm_operators(link):
    ours, theirs = (printed(program, "version") for program in (link, oracle.build_helm_operator()))
    assert re.sub(r'"[^"]+"', "_", ours) == re.sub(r'"[^"]+"', "_", theirs)
    assert re.match(r'helm-operator version: "v1\.42\.3\+chartwright\.[0-9.]+"', ours)


def test_it_runs_a_project_with_keys_that_helm_operator_ignores(link, cluster, declare, tmp_path):
    project = session.widget_project(tmp_path, {})
    project["watches_file"].write_text(
        session.WIDGET_WATCH.replace("chart: chart", "chart: chart, finaliser: x"), encoding="utf-8"
    )
    with session.widget_operator(cluster, binary=link, **project) as process:
        declare(WIDGET, "w").create({"text": "x"}).wait_ready()
        (warning,) = [line for line in process.logs() if "unknown key" in line["msg"]]
    assert warning["level"] == "warn"
    assert warning["file"].endswith("watches.yaml")
    assert (warning["line"], warning["column"]) == (1, session.WIDGET_WATCH.index("}") + 3)
    assert warning["error"] == '[0]: unknown key "finaliser"'
