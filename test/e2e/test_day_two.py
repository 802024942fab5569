# SPDX-License-Identifier: Apache-2.0
"""Plays docs/operate/day-two.md on a control plane; with CW_WRITE_DOCS=1, records the answers."""

import os
import shutil

import pytest

from cluster import build
from e2e import pages
from harness.cluster import Cluster
from harness.operator import Operator, OperatorOptions, default_binary
from harness.paths import REPOSITORY

PAGE = REPOSITORY / "docs" / "operate" / "day-two.md"
PROJECT = REPOSITORY / "test" / "e2e" / "day_two"
CHART = REPOSITORY / "test" / "e2e" / "charts" / "shop"
PREPARATION = (
    "chartwright generate crd | kubectl apply -f -",
    "kubectl wait --for=condition=Established crd/shops.example.com",
    "kubectl create namespace shop",
    "kubectl config set-context --current --namespace=shop",
)
# The changes that the next version of the chart makes.
NEXT_CHART = {
    "Chart.yaml": ("version: 1.0.0", "version: 1.1.0"),
    "templates/web.yaml": (
        "        resources:",
        "        env:\n        - {name: THEME, value: dark}\n        resources:",
    ),
}


@pytest.fixture(name="terminal")
def prepared_terminal(tmp_path):
    """A terminal of a project whose three shops are as the page begins with them."""
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    for version in ("shop", "shop-1.1"):
        shutil.copytree(CHART, project / version)
    for name, (old, new) in NEXT_CHART.items():
        file = project / "shop-1.1" / name
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1
        file.write_text(text.replace(old, new), encoding="utf-8")
    (tmp_path / "bin").mkdir()
    for name, path in {
        "chartwright": default_binary().absolute(),
        **build.ensure(["kubectl"]),
    }.items():
        (tmp_path / "bin" / name).symlink_to(path)
    with Cluster.start() as cluster:
        environment = {
            **os.environ,
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "KUBECONFIG": str(cluster.kubeconfig),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
        }
        terminal = pages.Terminal(project, environment)
        for command in PREPARATION:
            done = terminal(command)
            assert done.returncode == 0, done.stdout
        with Operator(OperatorOptions(cluster.kubeconfig, cwd=project)):
            done = terminal("kubectl apply -f fleet.yaml")
            assert done.returncode == 0, done.stdout
            done = terminal("chartwright wait shop/one --timeout 2m")
            assert done.returncode == 0, done.stdout
            yield terminal


def test_the_page_is_a_recording_of_a_terminal(terminal):
    text = PAGE.read_text(encoding="utf-8")
    steps = pages.steps_in(text)
    assert len({step.command.split()[1] for step in steps}) > 10
    if os.environ.get("CW_WRITE_DOCS") and not os.environ.get("CI"):
        answers = [
            pages.play(step, terminal, lambda lines, step=step: step.is_seen_in(lines))
            for step in steps
        ]
        PAGE.write_text(pages.recorded(text, answers), encoding="utf-8")
        return
    for step in steps:
        wanted = [pages.words(line) for line in step.printed]
        pages.play(
            step,
            terminal,
            lambda lines, wanted=wanted: [pages.words(line) for line in lines] == wanted,
        )
