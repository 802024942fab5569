# SPDX-License-Identifier: Apache-2.0
"""A process in place of a container, which a simulated node does not run."""

import pathlib
import subprocess
import sys

from harness.kube import Kube

_CLAIM = "v1/PersistentVolumeClaim"
_VOLUME = "v1/PersistentVolume"


class Container:
    """The first container of a live pod, as far as its files matter.

    Files below a mounted path are in the volume's folder, and outlive the pod; all others are in a
    folder of the pod. `disk` is the disk of all nodes.
    """

    def __init__(self, kube: Kube, pod: dict, disk: pathlib.Path):
        self._kube = kube
        self._pod = pod
        self._disk = disk

    def python(self, script: str, path: str) -> str:
        """Runs a script in the folder that is `path` in the container; returns its output."""
        folder = self._folder(path)
        folder.mkdir(parents=True, exist_ok=True)
        ended = subprocess.run(
            [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True
        )
        return ended.stdout

    def _folder(self, path: str) -> pathlib.Path:
        spec = self._pod["spec"]
        mounted = {m["mountPath"]: m["name"] for m in spec["containers"][0].get("volumeMounts", [])}
        for parent in (pathlib.PurePosixPath(path), *pathlib.PurePosixPath(path).parents):
            if (name := mounted.get(str(parent))) is not None:
                volume = next(v for v in spec["volumes"] if v["name"] == name)
                return (
                    self._disk
                    / self._on_node(volume)
                    / pathlib.PurePosixPath(path).relative_to(parent)
                )
        return self._disk / self._pod["metadata"]["uid"] / path.lstrip("/")

    def _on_node(self, volume: dict) -> str:
        claim = self._kube.get(
            _CLAIM, volume["persistentVolumeClaim"]["claimName"], self._pod["metadata"]["namespace"]
        )
        return self._kube.get(_VOLUME, claim["spec"]["volumeName"])["spec"]["hostPath"][
            "path"
        ].lstrip("/")
