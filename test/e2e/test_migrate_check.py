# SPDX-License-Identifier: Apache-2.0
"""`chartwright migrate --check` on operator-sdk's sample project, as it is and with mistakes.

test_sdk_project.py has the check with a cluster, before the release goes over.
"""

import json
import pathlib
import shutil
import subprocess

import pytest

from harness import oracle
from harness.operator import default_binary

VERSION = "0.1.0"
PRINTED = "add it to config/rbac/role.yaml: chartwright generate rbac prints the rule"
SAMPLE = "config/samples/cache_v1alpha1_memcached.yaml"


class Project:
    """A copy of the sample project."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        shutil.copytree(oracle.sdk_sample_project(), folder)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)  # Modules are read only.

    def replace(self, file: str, old: str, new: str) -> None:
        """Replaces a text in a file, which has it."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def check(self, *arguments: str) -> subprocess.CompletedProcess:
        """Runs the check in the folder of the project."""
        return subprocess.run(
            [str(default_binary()), "migrate", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def findings(self, code: int) -> dict[str, list[tuple[str, str, str]]]:
        """Returns result, finding and fix of each finding by its check; `code` is the exit code."""
        done = self.check("--check", "-o", "json")
        assert (done.returncode, done.stderr) == (code, ""), done
        found: dict[str, list[tuple[str, str, str]]] = {}
        for one in json.loads(done.stdout)["items"]:
            found.setdefault(one["check"], []).append((one["result"], one["finding"], one["fix"]))
        return found


@pytest.fixture(name="project")
def copied_project(tmp_path):
    """A copy of the sample project."""
    return Project(tmp_path / "memcached-operator")


def test_the_sample_needs_another_base_image_and_nothing_else(project):
    image = "quay.io/operator-framework/helm-operator:v1.42.3"
    assert project.findings(2) == {
        "watches": [("OK", "1 kind, and its chart loads", "")],
        "Dockerfile": [("WARN", f"the base image is still {image}", f"FROM chartwright:{VERSION}")],
        "arguments": [("OK", "all 6 flags of the manager are known", "")],
        "CRDs": [("OK", "they keep what the operator writes and reads", "")],
        "rights": [("OK", "the bound roles in config/rbac are sufficient", "")],
        "render": [("OK", "Memcached memcached-sample renders the same as in helm-operator", "")],
    }
    project.replace("Dockerfile", image, f"chartwright:{VERSION}")
    done = project.check("--check")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("RESULT   CHECK        FINDING ")
    assert f"OK       Dockerfile   the base image is chartwright:{VERSION} " in done.stdout


def test_mistakes_are_found_all_at_once(project):
    project.replace("watches.yaml", "  kind: Memcached", "  kind: Memcached\n  colour: red")
    project.replace("config/manager/manager.yaml", "--leader-elect\n", "--lead-elect\n")
    project.replace("config/rbac/role.yaml", "- poddisruptionbudgets", "- podtemplates")
    force = "helm.sdk.operatorframework.io/upgrade-force"
    project.replace(
        SAMPLE, "  name: memcached-sample", f'  name: one\n  annotations: {{{force}: "true"}}'
    )
    crd = "config/crd/bases/cache.example.com_memcacheds.yaml"
    project.replace(crd, "name: v1alpha1", "name: v1beta1")
    (project.folder / "config/manager/broken.yaml").write_text("a: [", encoding="utf-8")
    found = project.findings(1)
    [(result, text, _), _loaded] = found["watches"]
    assert (result, text[:43]) == ("WARN", 'watches.yaml:5:3: [0]: unknown key "colour"')
    assert found["arguments"] == [
        (
            "FAIL",
            "the manager is given --lead-elect, which chartwright run does not have",
            "remove it from the manifests",
        )
    ]
    [(result, text, fix)] = found["rights"]
    assert (result, fix) == ("WARN", PRINTED)
    assert "poddisruptionbudgets.policy" in text
    assert found["annotations"][0][1].startswith(f"Memcached.cache.example.com one: {force}: true")
    assert found["CRDs"][0][0] == "WARN"
    assert "v1alpha1" in found["CRDs"][0][1]
    assert found["manifests"][0][1].startswith("config/manager/broken.yaml: ")


def test_a_render_that_differs_between_the_versions_of_helm_is_told(project):
    template = project.folder / "helm-charts/memcached/templates/version.yaml"
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: version}\ndata:\n"
    template.write_text(
        config + "  v: {{ .Capabilities.HelmVersion.Version | quote }}\n", encoding="utf-8"
    )
    name = "Memcached memcached-sample"
    stay = 'set helmVersion: "3.18" in watches.yaml'
    assert project.findings(2)["render"] == [
        ("WARN", f"{name} renders otherwise as Helm 3.22 than as Helm 3.18", stay)
    ]
    project.replace("watches.yaml", "  kind: Memcached", '  kind: Memcached\n  helmVersion: "3.18"')
    assert project.findings(2)["render"][0][0] == "OK"
    template.write_text(config + "  v: {{ randAlpha 5 }}\n", encoding="utf-8")
    assert "is not compared" in project.findings(2)["render"][0][1]
    template.write_text(config + '  v: {{ fail "no" }}\n', encoding="utf-8")
    [(result, text, _)] = project.findings(2)["render"]
    assert (result, text.startswith(f"{name} renders with no version: ")) == ("WARN", True)
    (project.folder / "helm-charts/memcached/Chart.yaml").write_text("a: [", encoding="utf-8")
    [(result, text, fix)] = project.findings(1)["watches"]
    assert (result, fix) == ("FAIL", "correct the file")
    assert "cannot load Chart.yaml" in text


def test_what_the_command_cannot_do_is_an_error(project, tmp_path):
    done = project.check()
    assert done.returncode == 1
    assert done.stderr.startswith("Error: give --check: the switch itself is the base image")
    done = project.check("--check", str(tmp_path))
    assert done.stderr == (
        f"Error: {tmp_path} has no watches.yaml: give the folder of a project of helm-operator\n"
    )
    done = project.check("--check", "nowhere")
    assert done.stderr == "Error: open nowhere: No such file or directory\n"
    done = project.check("--check", "-n", "team")
    assert done.stderr == "Error: a namespace is of use with --live only\n"
    done = project.check("--check", "-o", "wide")
    assert done.stderr == 'Error: --output: "wide" is not table, json or yaml\n'
    done = project.check("--check", "--live", "--kubeconfig", "/none")
    assert (done.returncode, done.stdout) == (1, "")
