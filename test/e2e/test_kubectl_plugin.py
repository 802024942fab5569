# SPDX-License-Identifier: Apache-2.0
"""The program as a plugin of the real kubectl."""

import os
import pathlib
import subprocess

import pytest

from e2e import console
from e2e.custom_resource import WIDGET
from harness.operator import default_binary

LINKS = ("kubectl-chartwright", "kubectl_complete-chartwright")
WIDGETS = ("e2e.chartwright.io", "widgets", "get list watch")


@pytest.fixture(name="kubectl")
def with_the_plugin(cluster, tmp_path):
    """`kubectl(ARGUMENTS...)` runs kubectl where it finds the links of the build, and no other."""
    for name in LINKS:
        link = default_binary().with_name(name)
        assert link.resolve() == default_binary().resolve()
        (tmp_path / name).symlink_to(default_binary())

    def run(*arguments: str, kubeconfig: pathlib.Path = cluster.kubeconfig):
        return subprocess.run(
            [str(cluster.kubectl.binary), *arguments],
            env={"PATH": str(tmp_path), "HOME": str(tmp_path), "KUBECONFIG": str(kubeconfig)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def offered(done: subprocess.CompletedProcess) -> tuple[list[str], str]:
    """Returns the words that kubectl offers, and the directive."""
    assert done.returncode == 0, done.stderr
    *words, directive = done.stdout.splitlines()
    return [word.split("\t")[0] for word in words], directive


def test_kubectl_lists_the_plugin(kubectl, tmp_path):
    done = kubectl("plugin", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == os.fspath(tmp_path / "kubectl-chartwright")


def test_a_command_of_the_plugin_is_that_of_the_program(
    kubectl, widgets, namespace, cluster, declare
):
    declare(WIDGET, "one").create({"text": "a"}).wait_ready()
    done = kubectl("chartwright", "get", "widgets", "--namespace", namespace, "-o", "json")
    ours = console.run(cluster, namespace, "get", "widgets", "-o", "json")
    assert (done.returncode, done.stdout, done.stderr) == (0, ours.stdout, "")
    [context] = cluster.kubectl("config", "get-contexts", "-o", "name").split()
    place = ("-n", namespace, "--kubeconfig", str(cluster.kubeconfig), "--context", context)
    done = kubectl(
        *("chartwright", "get", "widgets", "-o", "name", *place),
        kubeconfig=pathlib.Path("/nowhere"),
    )
    assert (done.returncode, done.stdout) == (0, "widget.e2e.chartwright.io/one\n")


def test_exit_codes_and_messages_are_those_of_the_command(kubectl, widgets, namespace, declare):
    declare(WIDGET, "one").create({"text": "a"}).wait_ready()
    late = ("--for", "revision=9", "--timeout", "0s", "-n", namespace)
    assert kubectl("chartwright", "wait", "widget/one", *late).returncode == 3
    done = kubectl("chartwright", "get", "widget/nobody", "-n", namespace)
    assert done.returncode == 1
    assert '"nobody" not found' in done.stderr
    done = kubectl("chartwright", "gte")
    assert done.returncode == 1
    assert "Run 'kubectl chartwright --help' for usage." in done.stderr
    done = kubectl("chartwright", "why", "--help")
    assert done.returncode == 0
    assert "kubectl chartwright why " in done.stdout


def test_kubectl_completes_the_words_of_the_plugin(kubectl, widgets, namespace, declare):
    declare(WIDGET, "one").create({"text": "a"}).wait_ready()
    declare(WIDGET, "two").create({"text": "a"}).wait_ready()
    complete = ("__complete", "chartwright")
    assert offered(kubectl("__complete", "chartw")) == (["chartwright"], ":4")
    assert offered(kubectl(*complete, "his")) == (["history"], ":4")
    words, directive = offered(kubectl(*complete, "get", ""))
    # With its group where another file has made a kind of the same plural.
    kinds = {word.partition(".")[0] for word in words}
    assert {"podsets", "bookstores"} <= kinds and directive == ":4"
    there = ("-n", namespace)
    assert offered(kubectl(*complete, "why", *there, "widget/")) == (
        ["widget/one", "widget/two"],
        ":4",
    )
    assert offered(kubectl(*complete, "tree", "widgets", "one", *there, "")) == (["two"], ":4")
    words, _ = offered(kubectl(*complete, "get", "-n", ""))
    assert namespace in words
    words, _ = offered(kubectl(*complete, "get", "--namespace="))
    assert namespace in words
    words, _ = offered(kubectl(*complete, "get", "-o", ""))
    assert words == ["table", "wide", "json", "yaml", "name"]
    assert offered(kubectl(*complete, "rollback", "widget/one", *there, "--to", "")) == (
        ["1", "previous"],
        ":4",
    )
    assert offered(kubectl(*complete, "get", "--kubeconfig", "")) == ([], ":0")


def test_somebody_who_may_only_view_one_namespace_can_use_it(
    kubectl, widgets, cluster, namespace, declare
):
    declare(WIDGET, "one").create({"text": "a"}).wait_ready()
    # The context of the account has the namespace.
    kubeconfig = console.viewer(cluster, namespace, WIDGETS)
    done = kubectl("chartwright", "get", "widgets", kubeconfig=kubeconfig)
    assert (done.returncode, done.stderr) == (0, "")
    assert [row[0] for row in console.rows(done.stdout)] == ["NAME", "one"]
    done = kubectl("chartwright", "get", "widgets", "-A", kubeconfig=kubeconfig)
    assert done.returncode == 1
    assert "forbidden" in done.stderr
    done = kubectl("chartwright", "pause", "widget/one", kubeconfig=kubeconfig)
    assert (done.returncode, done.stdout) == (1, "")
    assert "forbidden" in done.stderr
    complete = ("__complete", "chartwright", "why")
    assert offered(kubectl(*complete, "widget/", kubeconfig=kubeconfig)) == (["widget/one"], ":4")
    for words in (("-n", ""), ("-n", "default", "widget/"), ("-A", "widget/")):
        assert offered(kubectl(*complete, *words, kubeconfig=kubeconfig)) == ([], ":4")


def test_somebody_who_may_view_all_namespaces_can_use_it(
    kubectl, widgets, cluster, namespace, declare
):
    declare(WIDGET, "one").create({"text": "a"}).wait_ready()
    kubeconfig = console.viewer(cluster, namespace)
    role = f"viewer-{namespace}"
    rules = [
        {"apiGroups": ["e2e.chartwright.io"], "resources": ["widgets"], "verbs": ["get", "list"]},
        {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list"]},
    ]
    rbac = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": role}}
    cluster.kube.create({**rbac, "kind": "ClusterRole", "rules": rules})
    subject = f"--serviceaccount={namespace}:viewer"
    cluster.kubectl("create", "clusterrolebinding", role, f"--clusterrole={role}", subject)
    try:
        done = kubectl("chartwright", "get", "widgets", "-A", kubeconfig=kubeconfig)
        assert done.returncode == 0, done.stderr
        assert [namespace, "one"] in [row[:2] for row in console.rows(done.stdout)]
        complete = ("__complete", "chartwright", "why")
        words, _ = offered(kubectl(*complete, "-n", "", kubeconfig=kubeconfig))
        assert namespace in words
        done = kubectl("chartwright", "resume", "widget/one", kubeconfig=kubeconfig)
        assert done.returncode == 1
        assert "forbidden" in done.stderr
    finally:
        for kind in ("clusterrole", "clusterrolebinding"):
            cluster.kubectl("delete", kind, role)
