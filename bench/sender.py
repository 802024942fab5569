# SPDX-License-Identifier: Apache-2.0
"""Sends prepared requests over HTTP/2 with the Go program in bench/floor."""

import dataclasses
import hashlib
import json
import pathlib
import subprocess

from cluster import go_toolchain
from harness.cluster import Cluster
from harness.paths import cache_dir

CONCURRENCY = 16
USER_AGENT = "floor/1"
_SOURCE = pathlib.Path(__file__).with_name("floor")
_TIMEOUT_SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Request:
    """One request; `path` includes the query."""

    method: str
    path: str
    content_type: str
    body: dict


@dataclasses.dataclass(frozen=True)
class Report:
    """Time and the sender's CPU time from first request to last reply, and the requests."""

    seconds: float
    cpu_seconds: float
    requests: int
    protocol: str


class SendError(Exception):
    """A request was refused, or the sender could not be built."""


class Sender:
    """Sends chains of requests to one cluster, with all rights."""

    def __init__(self, cluster: Cluster):
        self._access = cluster.kube.connection.access
        self._program = _build()

    def send(self, chains: list[list[Request]]) -> Report:
        """Sends the chains in parallel, each in order; raises SendError if a request fails."""
        job = {
            "server": self._access.server,
            "ca": self._access.ca.decode(),
            "certificate": self._access.certificate.decode(),
            "key": self._access.key.decode(),
            "userAgent": USER_AGENT,
            "concurrency": CONCURRENCY,
            "chains": [[_encode(request) for request in chain] for chain in chains],
        }
        done = subprocess.run(
            [self._program],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            raise SendError(done.stderr.strip())
        return Report(**json.loads(done.stdout))


def _encode(request: Request) -> dict:
    return {
        "method": request.method,
        "path": request.path,
        "contentType": request.content_type,
        "body": request.body,
    }


def _build() -> pathlib.Path:
    """Returns the path of the program, which is built once per version of its source."""
    digest = hashlib.sha256()
    for file in ("go.mod", "main.go"):
        digest.update((_SOURCE / file).read_bytes())
    target = cache_dir() / "bin" / f"floor-{digest.hexdigest()[:12]}" / "floor"
    if target.exists():
        return target
    partial = target.with_suffix(".part")
    go = go_toolchain.find_or_install()
    done = subprocess.run(
        [go, "build", "-trimpath", "-buildvcs=false", "-o", partial, "."],
        cwd=_SOURCE,
        env={**go_toolchain.environment(), "CGO_ENABLED": "0"},
        check=False,
    )
    if done.returncode != 0:
        raise SendError(f"building bench/floor failed (exit {done.returncode})")
    partial.rename(target)
    return target
