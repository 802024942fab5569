# SPDX-License-Identifier: Apache-2.0
"""The Go programs of test/oracle: client-go's informer, Helm on a cluster, and helm-operator."""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import subprocess
from collections.abc import Callable

from cluster import go_toolchain
from harness import wheels
from harness.kube import WaitTimeout
from harness.paths import REPOSITORY, cache_dir

_MODULE = REPOSITORY / "test" / "oracle"
_TIMEOUT_SECONDS = 120


def build(name: str) -> pathlib.Path:
    """Returns the path of a program, which is built once per version of its source."""
    return _build(_MODULE, name, f"./{name}", ("go.mod", "go.sum", f"{name}/main.go"))


def build_helm_operator() -> pathlib.Path:
    """Returns the path of operator-sdk's helm-operator, which is built once per version."""
    package = "github.com/operator-framework/operator-sdk/cmd/helm-operator"
    return _build(_MODULE / "helm_operator", "helm-operator", package, ("go.mod", "go.sum"))


def build_helm_unittest() -> pathlib.Path:
    """Returns the path of helm-unittest, which is built once per version."""
    module = _MODULE / "helm_unittest"
    name = "github.com/helm-unittest/helm-unittest"
    version = re.search(rf"^require {name} v(.*)$", (module / "go.mod").read_text(), re.MULTILINE)
    link = f"-X {name}/internal/build.version={version[1]}"
    return _build(
        module, "helm-unittest", f"{name}/cmd/helm-unittest", ("go.mod", "go.sum"), link=link
    )


def sdk_sample_project() -> pathlib.Path:
    """Returns operator-sdk's own sample project, as its Go module has it; read only."""
    command = [go_toolchain.find_or_install(), "mod", "download", "-json"]
    done = subprocess.run(
        [*command, "github.com/operator-framework/operator-sdk"],
        cwd=_MODULE / "helm_operator",
        env=go_toolchain.environment(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return pathlib.Path(json.loads(done.stdout)["Dir"], "testdata/helm/memcached-operator")


def _build(
    module: pathlib.Path, name: str, package: str, sources: tuple[str, ...], *, link: str = ""
) -> pathlib.Path:
    digest = hashlib.sha256()
    for file in sources:
        digest.update((module / file).read_bytes())
    binary = cache_dir() / "bin" / f"{name}-{digest.hexdigest()[:12]}" / name
    binary.parent.parent.mkdir(exist_ok=True)
    with wheels.locked(binary.parent.with_name(f"{name}.lock")):
        if not binary.exists():
            part = binary.with_suffix(".part")
            command = [go_toolchain.find_or_install(), "build", "-trimpath", "-buildvcs=false"]
            subprocess.run(
                [*command, f"-ldflags={link}", "-o", part, package],
                cwd=module,
                env={**go_toolchain.environment(), "CGO_ENABLED": "0"},
                check=True,
            )
            part.rename(binary)
    return binary


def try_again(run: Callable[[], object]):
    """Returns what `run()` does with the real helm-operator, which gets three tries.

    It may read its records from a cache that is older than its own last write, and then waits
    longer and longer between its tries.
    """
    for _ in range(2):
        with contextlib.suppress(WaitTimeout):
            return run()
    return run()


class Helm:
    """Real Helm, for the releases of a namespace; raises CalledProcessError where Helm fails."""

    def __init__(self, kubeconfig: pathlib.Path | str, namespace: str):
        self._command = [
            os.fspath(build("deploy")),
            f"-kubeconfig={os.fspath(kubeconfig)}",
            f"-namespace={namespace}",
        ]

    def __call__(self, *arguments: str) -> None:
        """Runs `install NAME CHART [KEY=VALUE ...]`, `upgrade`, `rollback NAME N` or `uninstall
        NAME`.
        """
        subprocess.run(
            [*self._command, *map(str, arguments)],
            check=True,
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
        )


if __name__ == "__main__":
    for program in ("informer", "deploy"):
        build(program)
    build_helm_operator()
