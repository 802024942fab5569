# SPDX-License-Identifier: Apache-2.0
"""Completion with what the cluster has: `chartwright __complete WORD...`, as scripts call it."""

import os
import socket
import subprocess
import time

import pytest

from e2e import console
from e2e.custom_resource import WIDGET
from harness.operator import default_binary


@pytest.fixture(name="complete")
def command(cluster):
    """`complete(WORDS...)` returns the words that are offered; nothing else may be printed."""

    def run(*words: str, kubeconfig=cluster.kubeconfig) -> list[str]:
        done = subprocess.run(
            [str(default_binary()), "__complete", *words],
            env={"HOME": "/nonexistent", "KUBECONFIG": os.fspath(kubeconfig)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        *lines, directive = done.stdout.splitlines()
        assert directive == ":words"
        return [line.split("\t")[0] for line in lines]

    return run


def test_names_and_revisions_are_those_of_the_cluster(widgets, complete, declare, namespace):
    one = declare(WIDGET, "one").create({"text": "a"})
    one.wait_ready()
    one.patch({"text": "b"})
    one.wait(lambda obj: obj["status"].get("revision") == 2, what="revision 2")
    there = ("-n", namespace)
    assert complete("get", *there, "Widget/") == ["Widget/one"]
    assert complete("why", f"--namespace={namespace}", "widgets", "") == ["one"]
    assert complete("rollback", "widget/one", *there, "--to", "") == ["2", "1", "previous"]
    assert complete("rollback", *there, "widget", "one", "--to=") == [
        "--to=2",
        "--to=1",
        "--to=previous",
    ]
    assert complete("wait", "widget/one", *there, "--for", "") == ["ready", "revision=", "deleted"]
    assert complete("wait", "widget/one", *there, "--for", "revision=") == [
        "revision=",
        "revision=2",
        "revision=3",
    ]
    assert complete("wait", "widget/one", *there, "--for=revision=3") == ["--for=revision=3"]
    assert complete("history", *there, "--context", "none", "widget/") == []
    kinds = {word.partition(".")[0] for word in complete("events", "")}  # With groups if needed.
    assert {"podsets", "bookstores", "demovolumes"} <= kinds
    assert namespace in complete("logs", "-n", namespace[:5])


def test_contexts_are_those_of_the_kubeconfig(cluster, complete):
    names = cluster.kubectl("config", "get-contexts", "-o", "name").split()
    assert complete("get", "--context", "") == names
    assert complete("template", "--kube-context=") == [f"--kube-context={name}" for name in names]


def test_the_cluster_is_asked_at_most_twice(own_cluster, complete, declare, namespace):
    declare(WIDGET, "one").create({"text": "a"})
    criteria = {"user": "kubernetes-admin", "user_agent": "chartwright"}
    for words, most in (
        (("get", ""), 1),
        (("get", "-n", ""), 1),
        (("get", "--context", ""), 0),
        (("get", "-n", namespace, "widget/"), 2),
        (("rollback", "-n", namespace, "widget/one", "--to", ""), 2),
        (("get", "--output", ""), 0),
        (("why", "--"), 0),
    ):
        mark = own_cluster.audit.mark()
        complete(*words)
        asked = [request.uri for request in own_cluster.audit.requests(mark, **criteria)]
        assert len(asked) <= most, (words, asked)


def test_without_rights_nothing_is_offered(cluster, complete, declare, namespace):
    declare(WIDGET, "one").create({"text": "a"})
    kubeconfig = console.viewer(cluster, namespace, ("e2e.chartwright.io", "widgets", "get"))
    for words in (("get", "widget/"), ("get", "-n", ""), ("rollback", "widget/two", "--to", "")):
        assert complete(*words, kubeconfig=kubeconfig) == []


def test_without_a_cluster_nothing_is_offered(complete, tmp_path):
    assert complete("get", "", kubeconfig=tmp_path / "none") == []
    assert complete("get", "--context", "", kubeconfig=tmp_path / "none") == []
    broken = tmp_path / "broken"
    broken.write_text("current-context: [\n", encoding="utf-8")
    assert complete("get", "", kubeconfig=broken) == []


@pytest.mark.parametrize("slow", ["server", "program for credentials"])
def test_a_cluster_that_takes_too_long_is_left_alone(complete, tmp_path, slow):
    with socket.create_server(("127.0.0.1", 0)) as listener:  # Accepts, and says nothing.
        server = f"http://127.0.0.1:{listener.getsockname()[1]}"
        user, users = "", ""
        if slow != "server":
            user = ", user: u"
            users = (
                "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, "
                "interactiveMode: Never, command: /bin/sleep, args: ['30']}}}]\n"
            )
        kubeconfig = tmp_path / "config"
        kubeconfig.write_text(
            f"current-context: a\nclusters: [{{name: c, cluster: {{server: '{server}'}}}}]\n"
            f"contexts: [{{name: a, context: {{cluster: c{user}}}}}]\n{users}",
            encoding="utf-8",
        )
        began = time.monotonic()
        assert complete("get", "", kubeconfig=kubeconfig) == []
        # Two seconds, and what a busy machine takes to start a process.
        assert time.monotonic() - began < 10
