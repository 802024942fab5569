# SPDX-License-Identifier: Apache-2.0
"""One chart, from `generate` to the deletion of its custom resource, beside Helm."""

import contextlib
import json
import pathlib
import re
import shutil
import subprocess

import yaml
from cluster import build
from e2e.custom_resource import CustomResource, condition, is_current
from harness.cluster import Cluster
from harness.connection import ApiError
from harness.kube import WaitTimeout
from harness.operator import Operator, OperatorOptions, default_binary
from public.drift import repaired_fields

GROUP = "public.example.com"
INSTALL_SECONDS = 60
DELETION_SECONDS = 60
HELM_SECONDS = 120
# Conditions that would be false warnings for a chart with its defaults.
WARNINGS = ("FieldsLeftOut", "UnknownKeys", "Contested", "FieldsHeld", "StatusPruned", "Unverified")
# Values that most charts print as they are; the first that a chart has is set by the upgrade.
UPGRADES = ("podAnnotations", "podLabels", "commonAnnotations", "commonLabels", "annotations")


class Trial:
    """Runs one chart; `number` tells its names from those of others on the cluster."""

    def __init__(self, cluster: Cluster, chart: pathlib.Path, number: int, folder: pathlib.Path):
        self._cluster = cluster
        self._folder = folder
        self._name = f"c{number}"
        self._kind = "C" + re.sub("[^a-z0-9]", "", chart.name.lower())
        self._chart = folder / "charts" / chart.name
        shutil.copytree(chart, self._chart)
        self._change = _change_of(self._chart)
        (folder / "watches.yaml").write_text(
            f"- {{group: {GROUP}, version: v1, kind: {self._kind}, chart: charts/{chart.name}}}\n",
            encoding="utf-8",
        )

    def run(self) -> dict:
        """Returns what became of each stage; what failed has the text of the error."""
        result: dict = {}
        code, error = self._helm("template", self._name, str(self._chart), "-n", self._name)
        if code != 0:
            return {"template": error}
        result["helm"], result["helm_upgrade"] = self._install_with_helm()
        try:
            with self._operator() as operator:
                self._live(operator, result)
        except (subprocess.CalledProcessError, ApiError, AssertionError) as error:
            result["error"] = _text(error)
        return result

    def _helm(self, *command: str) -> tuple[int, str]:
        done = subprocess.run(
            [build.ensure(["helm"])["helm"], *command],
            env=self._cluster.kubectl.environment(),
            capture_output=True,
            text=True,
            timeout=HELM_SECONDS,
            check=False,
        )
        return done.returncode, done.stderr.strip()[-400:]

    def _install_with_helm(self) -> tuple[str, str]:
        """Returns what became of the install and the upgrade: "ok" or Helm's error.

        Hooks wait for pods, which do not run here.
        """
        namespace = f"helm-{self._name}"
        self._cluster.kubectl("create", "namespace", namespace)
        place = ("-n", namespace, "--no-hooks")
        code, error = self._helm("install", self._name, str(self._chart), *place)
        upgraded = (0, "")
        if code == 0 and self._change:
            key, value = next(iter(self._change.items()))
            values = ("--reuse-values", f"--set-json={key}={json.dumps(value)}")
            upgraded = self._helm("upgrade", self._name, str(self._chart), *values, *place)
        self._helm("uninstall", self._name, *place)
        self._cluster.kubectl("delete", "namespace", namespace, "--wait=false")
        return ("ok" if code == 0 else error, "ok" if upgraded[0] == 0 else upgraded[1])

    @contextlib.contextmanager
    def _operator(self):
        """Provides the operator of the chart, under exactly the Role that is generated for it."""
        system = f"system-{self._name}"
        names = ("--output-dir", "deploy", "--name", f"op-{self._name}", "-n", system)
        subprocess.run(
            [default_binary(), "generate", "manifests", *names],
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=True,
        )
        deploy = self._folder / "deploy"
        kubectl = self._cluster.kubectl
        kubectl("apply", "-f", str(deploy / "manager" / "namespace.yaml"))
        kubectl("apply", "--server-side", "-k", str(deploy / "crd"))
        kubectl("apply", "-k", str(deploy / "rbac"))
        own = next((deploy / "crd").glob(f"*.{GROUP}.yaml"))
        kubectl("wait", "--for=condition=Established", "-f", str(own), "--timeout=30s")
        kubectl("create", "namespace", self._name)
        options = OperatorOptions(
            self._cluster.service_account_kubeconfig(system, f"op-{self._name}"),
            arguments=("--reconcile-period=0",),
            watches_file=self._folder / "watches.yaml",
            cwd=self._folder,
        )
        with Operator(options) as operator:
            yield operator
        kubectl("delete", "namespace", self._name, system, "--wait=false")

    def _live(self, operator: Operator, result: dict) -> None:
        kind = f"{GROUP}/v1/{self._kind}"
        resource = CustomResource(self._cluster, kind, self._name, self._name)
        resource.create({}, annotations={"chartwright.io/disable-hooks": "true"})
        obj = resource.wait(_has_ended, timeout_seconds=INSTALL_SECONDS)
        error = _error_of(obj)
        result["installed"] = "fails" if error else "ok"
        if error:
            result["error"] = error
        result["warnings"] = [
            f"{type_}: {condition(obj, type_)['message']}"
            for type_ in WARNINGS
            if condition(obj, type_).get("status") == "True"
        ]
        result["changed"], result["unrepaired"] = repaired_fields(self._cluster, self._name)
        result["upgraded"] = "-" if error else self._upgrade(resource)
        resource.delete()
        with contextlib.suppress(WaitTimeout):
            resource.wait_gone()
            result["deleted"] = True
        if not operator.running():
            result["error"] = "the operator has ended"

    def _upgrade(self, resource: CustomResource) -> str:
        if not self._change:
            return "-"
        resource.patch(self._change)
        obj = resource.wait(lambda o: is_current(o) and _has_ended(o), timeout_seconds=30)
        return _error_of(obj) or "ok"


def _change_of(chart: pathlib.Path) -> dict:
    """Returns the values of the upgrade; empty if the chart has none of UPGRADES."""
    file = chart / "values.yaml"
    values = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else {}
    key = next((key for key in UPGRADES if isinstance((values or {}).get(key), dict)), None)
    return {key: {"example.com/upgraded": "yes"}} if key else {}


def _text(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return str(error.stderr or error)[-400:]
    return str(error)[:400]


def _has_ended(obj: dict) -> bool:
    types = ("Deployed", "Stalled", "ReleaseFailed")
    return any(condition(obj, type_).get("status") == "True" for type_ in types)


def _error_of(obj: dict) -> str:
    """Returns the message of the condition that says why a release failed."""
    for type_ in ("ReleaseFailed", "Irreconcilable"):
        found = condition(obj, type_)
        if found.get("status") == "True":
            return found["message"]
    return ""
