# SPDX-License-Identifier: Apache-2.0
"""The `kubectl` of the control plane, as a callable."""

import json
import os
import pathlib
import subprocess
from collections.abc import Sequence

DEFAULT_TIMEOUT_SECONDS = 60.0


class KubectlError(Exception):
    """kubectl failed; `code`, `stdout` and `stderr` have the details."""

    def __init__(self, arguments: Sequence[str], done: subprocess.CompletedProcess):
        self.code = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        super().__init__(f"kubectl {' '.join(arguments)}: exit {self.code}: {self.stderr.strip()}")


class Kubectl:
    """Runs kubectl with one kubeconfig."""

    def __init__(self, binary: pathlib.Path | str, kubeconfig: pathlib.Path | str):
        self.binary = binary
        self.kubeconfig = kubeconfig

    def __call__(self, *arguments: str, **options) -> str:
        """Runs kubectl and returns its stdout; raises KubectlError if it fails.

        Options: `input` (string for its stdin), `timeout_seconds`.
        """
        done = self.run(*arguments, **options)
        if done.returncode != 0:
            raise KubectlError(arguments, done)
        return done.stdout

    def run(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        """Like a call, but returns exit code and outputs even if kubectl fails."""
        return subprocess.run(
            [self.binary, *arguments],
            env=self.environment(),
            input=options.get("input", ""),
            timeout=options.get("timeout_seconds", DEFAULT_TIMEOUT_SECONDS),
            capture_output=True,
            text=True,
            check=False,
        )

    def environment(self) -> dict:
        """Returns the environment for programs that shall use the same cluster."""
        return {**os.environ, "KUBECONFIG": os.fspath(self.kubeconfig)}

    def objects(self, *files) -> list[dict]:
        """Returns the objects in YAML files as dicts; the cluster must serve their kinds."""
        arguments = [argument for file in files for argument in ("-f", os.fspath(file))]
        command = ["create", "--dry-run=client", "--validate=false", "-o", "json", *arguments]
        return _documents(self(*command))


def _documents(text: str) -> list[dict]:
    """Splits kubectl's output, a sequence of JSON objects; a List yields its items."""
    decoder = json.JSONDecoder()
    objects, position = [], 0
    while position < len(text):
        obj, position = decoder.raw_decode(text, position)
        objects += obj["items"] if obj.get("kind") == "List" else [obj]
        while position < len(text) and text[position].isspace():
            position += 1
    return objects
