# SPDX-License-Identifier: Apache-2.0
"""Builds the binaries of the control plane from Go modules, once per version of those modules."""

import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable

from cluster import go_toolchain
from harness import wheels
from harness.paths import cache_dir

MODULES = pathlib.Path(__file__).resolve().parent / "modules"


@dataclasses.dataclass(frozen=True)
class Binary:
    """A command to build: folder of its module, package, and the module that gives its version."""

    name: str
    module: str
    package: str
    versioned_by: str


_KUBERNETES = "k8s.io/kubernetes"
_HELM = "helm.sh/helm/v3"
BINARIES = {
    binary.name: binary
    for binary in (
        Binary("etcd", "etcd", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3"),
        Binary("kube-apiserver", "kubernetes", f"{_KUBERNETES}/cmd/kube-apiserver", _KUBERNETES),
        Binary(
            "kube-controller-manager",
            "kubernetes",
            f"{_KUBERNETES}/cmd/kube-controller-manager",
            _KUBERNETES,
        ),
        Binary("kube-scheduler", "kubernetes", f"{_KUBERNETES}/cmd/kube-scheduler", _KUBERNETES),
        Binary("kubectl", "kubernetes", f"{_KUBERNETES}/cmd/kubectl", _KUBERNETES),
        Binary("kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok", "sigs.k8s.io/kwok"),
        Binary("helm", "helm", f"{_HELM}/cmd/helm", _HELM),
    )
}
CONTROL_PLANE = tuple(name for name in BINARIES if name != "helm")


class BuildError(Exception):
    """A binary could not be built; the compiler's output is already on stderr."""


def ensure(names: Iterable[str] = CONTROL_PLANE) -> dict[str, pathlib.Path]:
    """Returns the paths of the named binaries; builds those that are not in the cache.

    Builds one at a time, because linking kube-apiserver takes 2 GB. Prints name and seconds.
    """
    go = go_toolchain.find_or_install()
    go_version = go_toolchain.version(go)
    return {name: _ensure_one(BINARIES[name], go, go_version) for name in names}


def module_version(binary: Binary, module: str | None = None) -> str:
    """Returns the version of a module (default: the binary's own) that its go.mod requires."""
    wanted = module or binary.versioned_by
    text = (MODULES / binary.module / "go.mod").read_text(encoding="utf-8")
    found = re.search(rf"(?:^|\s){re.escape(wanted)} (v\S+)", text)
    if found is None:
        raise BuildError(f"modules/{binary.module}/go.mod does not require {wanted}")
    return found[1]


def _ensure_one(binary: Binary, go: pathlib.Path, go_version: str) -> pathlib.Path:
    flags = ["-trimpath", "-mod=readonly", "-buildvcs=false", f"-ldflags={link_flags(binary)}"]
    folder = cache_dir() / "bin"
    folder.mkdir(exist_ok=True)
    stem = f"{binary.name}-{module_version(binary)}-{_key(binary, go_version, flags)}"
    target = folder / stem / binary.name
    if target.exists():
        return target
    with wheels.locked(folder / f"{binary.name}.lock"):
        if not target.exists():
            _build([go, "build", *flags], binary, folder / stem)
    return target


def _build(command: list, binary: Binary, folder: pathlib.Path) -> None:
    print(f"building {binary.name} {module_version(binary)} ...", file=sys.stderr, flush=True)
    started = time.monotonic()
    partial = folder.with_name(folder.name + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    done = subprocess.run(
        [*command, "-o", partial / binary.name, binary.package],
        cwd=MODULES / binary.module,
        env={**go_toolchain.environment(), "CGO_ENABLED": "0"},
        stdout=sys.stderr,
        check=False,
    )
    if done.returncode != 0:
        raise BuildError(f"building {binary.name} failed (exit {done.returncode})")
    # Renamed last, so that the final name always denotes a complete build.
    partial.rename(folder)
    seconds = time.monotonic() - started
    print(f"built {binary.name} in {seconds:.0f} s", file=sys.stderr, flush=True)


def _key(binary: Binary, go_version: str, flags: list[str]) -> str:
    digest = hashlib.sha256()
    for file in ("go.mod", "go.sum"):
        digest.update((MODULES / binary.module / file).read_bytes())
    digest.update("\0".join([go_version, binary.package, *flags, os.uname().machine]).encode())
    return digest.hexdigest()[:12]


def link_flags(binary: Binary) -> str:
    """Returns the linker flags that set the versions as in a release build."""
    version = module_version(binary)
    major, minor = re.match(r"v(\d+)\.(\d+)", version).groups()
    settings = {}
    if binary.module == "kubernetes":
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
            settings[f"{package}.gitVersion"] = version
            settings[f"{package}.gitMajor"] = major
            settings[f"{package}.gitMinor"] = minor
            settings[f"{package}.gitTreeState"] = "clean"
    elif binary.module == "helm":
        settings[f"{_HELM}/internal/version.version"] = version
        settings[f"{_HELM}/internal/version.gitTreeState"] = "clean"
        # A version that no Go has: comparisons must not depend on the Go that built Helm.
        settings["runtime.buildVersion"] = "go0.0"
        # Helm's own release build derives its default kubeVersion from client-go the same way.
        minor = re.match(r"v0\.(\d+)", module_version(binary, "k8s.io/client-go"))[1]
        for package in (f"{_HELM}/pkg/chartutil", f"{_HELM}/pkg/lint/rules"):
            settings[f"{package}.k8sVersionMajor"] = "1"
            settings[f"{package}.k8sVersionMinor"] = minor
    return " ".join(["-s", "-w", *(f"-X {name}={value}" for name, value in settings.items())])
