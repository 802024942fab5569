# SPDX-License-Identifier: Apache-2.0
"""Credential plugins of a kubeconfig, as those of EKS and GKE have them."""

import json
import pathlib
import re

import pytest

from e2e import meters, session
from e2e.custom_resource import WIDGET
from harness.operator import OperatorFailed

# Prints one credential at its first run, and another one later.
PLUGIN = """\
#!/bin/sh
printf '%s\\n' "$KUBERNETES_EXEC_INFO" >> "$FOLDER/runs"
if [ "$(wc -l < "$FOLDER/runs")" = 1 ]; then cat "$FOLDER/first"; else cat "$FOLDER/later"; fi
"""
EXEC = """\
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./plugin
      env: [{name: FOLDER, value: FOLDER_OF_TEST}]
      interactiveMode: IfAvailable
      provideClusterInfo: true
      installHint: Install the plugin.
"""


class Plugin:
    """A kubeconfig whose user is what a plugin beside it prints."""

    def __init__(self, cluster, folder: pathlib.Path):
        account = cluster.service_account_kubeconfig(session.SYSTEM, session.WIDGETS)
        text = pathlib.Path(account).read_text(encoding="utf-8")
        self.token = re.search(r"    token: (.*)\n", text)[1]
        text = re.sub(r"    token: .*\n", EXEC.replace("FOLDER_OF_TEST", str(folder)), text)
        self.folder = folder
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(text, encoding="utf-8")
        self.program = folder / "plugin"
        self.program.write_text(PLUGIN, encoding="utf-8")
        self.program.chmod(0o700)

    def prints(self, first: dict, later: dict) -> None:
        """Sets the credentials that the program prints."""
        for name, status in (("first", first), ("later", later)):
            credential = {
                "apiVersion": "client.authentication.k8s.io/v1",
                "kind": "ExecCredential",
                "status": status,
            }
            (self.folder / name).write_text(json.dumps(credential), encoding="utf-8")

    def runs(self) -> list[dict]:
        """Returns what the program was told at each run."""
        lines = (self.folder / "runs").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def plugin(cluster, tmp_path):
    """A kubeconfig with a plugin, for the account of the test chart's operator."""
    return Plugin(cluster, tmp_path)


def check_work(cluster, plugin, declare) -> str:
    """Lets an operator of that kubeconfig deploy a Widget; returns its log."""
    with session.widget_operator(cluster, kubeconfig=plugin.kubeconfig) as process:
        declare(WIDGET, "w").create({"text": "x"}).wait_ready()
        meters.wait_at_rest(process)
        assert process.stop().code == 0
        return process.log_path.read_text(encoding="utf-8")


def test_a_rejected_token_is_renewed_and_the_request_repeated(cluster, plugin, declare):
    plugin.prints({"token": "rejected-by-the-server"}, {"token": plugin.token})
    log = check_work(cluster, plugin, declare)
    assert plugin.token not in log
    assert "rejected-by-the-server" not in log
    runs = plugin.runs()
    # One for each connection to the API server, and the one that was rejected.
    assert 2 <= len(runs) <= 5
    assert runs[0]["kind"] == "ExecCredential"
    assert runs[0]["spec"]["interactive"] is False
    assert runs[0]["spec"]["cluster"]["server"] == cluster.kube.connection.access.server
    assert runs[0]["spec"]["cluster"]["certificate-authority-data"]


def test_a_client_certificate_is_used(own_cluster, plugin, declare):
    access = own_cluster.kube.connection.access
    certificate = {
        "clientCertificateData": access.certificate.decode("ascii"),
        "clientKeyData": access.key.decode("ascii"),
    }
    plugin.prints(certificate, certificate)
    log = check_work(own_cluster, plugin, declare)
    assert certificate["clientKeyData"].splitlines()[1] not in log


def test_a_plugin_that_is_not_installed_ends_the_start_with_its_hint(cluster, plugin):
    plugin.program.unlink()
    process = session.widget_operator(cluster, kubeconfig=plugin.kubeconfig)
    with pytest.raises(OperatorFailed):
        process.start()
    log = process.log_path.read_text(encoding="utf-8")
    process.close()
    assert f"executable {plugin.folder}/plugin not found" in log
    assert "Install the plugin." in log
