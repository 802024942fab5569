# SPDX-License-Identifier: Apache-2.0
"""The `kubectl` built with the control plane, as a callable."""

import json
import os
import subprocess

DEFAULT_TIMEOUT_SECONDS = 60.0


class KubectlError(Exception):
    """kubectl ended with an error; `code`, `stdout` and `stderr` say which."""

    def __init__(self, arguments, done: subprocess.CompletedProcess):
        self.code = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        super().__init__(f"kubectl {' '.join(arguments)}: exit {self.code}: {self.stderr.strip()}")


class Kubectl:
    """Runs kubectl with one kubeconfig."""

    def __init__(self, binary, kubeconfig):
        self.binary = binary
        self.kubeconfig = kubeconfig

    def __call__(self, *arguments: str, **options) -> str:
        """Returns what kubectl prints on stdout; KubectlError if it fails.

        Options: `input` (text for its stdin), `timeout_seconds`.
        """
        done = self.run(*arguments, **options)
        if done.returncode != 0:
            raise KubectlError(arguments, done)
        return done.stdout

    def run(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        """As calling it, but returns the exit code and both outputs whatever they are."""
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
        """Returns the environment for programs that are to use the same cluster."""
        return {**os.environ, "KUBECONFIG": os.fspath(self.kubeconfig)}

    def objects(self, *files) -> list[dict]:
        """Returns the objects in YAML files as dicts; their kinds must be served already."""
        arguments = [argument for file in files for argument in ("-f", os.fspath(file))]
        command = ["create", "--dry-run=client", "--validate=false", "-o", "json", *arguments]
        return _documents(self(*command))


def _documents(text: str) -> list[dict]:
    """Splits kubectl's output: JSON objects one after another, a List being its items."""
    decoder = json.JSONDecoder()
    objects, position = [], 0
    while position < len(text):
        obj, position = decoder.raw_decode(text, position)
        objects += obj["items"] if obj.get("kind") == "List" else [obj]
        while position < len(text) and text[position].isspace():
            position += 1
    return objects
