# SPDX-License-Identifier: Apache-2.0
"""The petstore of test/servers as a child process."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import urllib.request

from cluster import go_toolchain
from harness import ports, process, wheels
from harness.kube import wait_until
from harness.paths import REPOSITORY, cache_dir

SOURCES = REPOSITORY / "test" / "servers"
PROTO = SOURCES / "petstore" / "proto"


def _digest() -> str:
    digest = hashlib.sha256()
    for file in sorted(SOURCES.rglob("*")):
        if file.is_file():
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def build() -> tuple[pathlib.Path, pathlib.Path]:
    """Returns the server's binary and the descriptor set of its service, built once per version."""
    folder = cache_dir() / "bin" / f"petstore-{_digest()}"
    binary, descriptors = folder / "petstore", folder / "petstore.binpb"
    with wheels.locked(folder.parent / "petstore.lock"):
        if not binary.exists():
            folder.mkdir(exist_ok=True)
            subprocess.run(
                [
                    "protoc",
                    f"-I{PROTO}",
                    "--include_imports",
                    f"--descriptor_set_out={descriptors}",
                    "petstore.proto",
                ],
                check=True,
            )
            command = [go_toolchain.find_or_install(), "build", "-trimpath", "-buildvcs=false"]
            part = folder / "petstore.part"
            subprocess.run(
                [*command, "-o", part, "./petstore"],
                cwd=SOURCES,
                env={**go_toolchain.environment(), "CGO_ENABLED": "0"},
                check=True,
            )
            part.rename(binary)
    return binary, descriptors


class PetStore:
    """The server; `faults` and `calls` go through an address that is not under test."""

    def __init__(self, folder: pathlib.Path, *arguments: str):
        self._binary, self.descriptors = build()
        self._reservation = ports.Reservation(3)
        self._arguments = arguments
        self._log = folder / "petstore.log"
        self._child: subprocess.Popen | None = None
        self.tls = any(argument.startswith("-cert=") for argument in arguments)

    def __enter__(self) -> "PetStore":
        return self.start()

    def __exit__(self, *_exc) -> None:
        self.close()

    @property
    def url(self) -> str:
        """Returns the address of JSON over HTTP."""
        return f"{'https' if self.tls else 'http'}://localhost:{self._reservation.ports[0]}"

    @property
    def address(self) -> str:
        """Returns the address of gRPC."""
        return f"localhost:{self._reservation.ports[1]}"

    def start(self) -> "PetStore":
        """Starts the server, with an empty store, and waits until it answers."""
        http, grpc, control = self._reservation.ports
        self._child = process.spawn(
            [
                self._binary,
                f"-http=localhost:{http}",
                f"-grpc=localhost:{grpc}",
                f"-control=localhost:{control}",
                f"-descriptors={self.descriptors}",
                *self._arguments,
            ],
            log_path=self._log,
            cwd=REPOSITORY,
            env=dict(os.environ),
        )
        wait_until(self._answers, what="the petstore")
        return self

    def _answers(self) -> bool:
        assert self._child.poll() is None, process.tail(self._log)
        try:
            self.pets()
            return True
        except OSError:
            return False

    def kill(self) -> None:
        """Ends the server at once; its pets are lost."""
        self._child.kill()
        self._child.wait()

    def suspend(self) -> None:
        """Stops the server without closing its connections."""
        self._child.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Lets a suspended server go on."""
        self._child.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Ends the server and releases its ports."""
        if self._child is not None and self._child.poll() is None:
            self.kill()
        self._reservation.close()

    def pets(self) -> list[dict]:
        """Returns the entries of the store."""
        return self._control("GET", "/pets")

    def add(self, *pets: dict) -> list[str]:
        """Stores pets as another client would; returns their ids."""
        return self._control("POST", "/pets", list(pets))

    def clear(self) -> None:
        """Forgets every pet, as a restart does."""
        self._control("DELETE", "/pets")

    def misbehave(self, *faults: dict) -> None:
        """Replaces the faults to come; without any, the server behaves."""
        self._control("PUT", "/faults", list(faults))

    def calls(self, what: str = "") -> list[dict]:
        """Returns the calls so far that begin with `what`."""
        return [call for call in self._control("GET", "/calls") if call["what"].startswith(what)]

    def _control(self, method: str, path: str, body: object = None):
        data = None if body is None else json.dumps(body).encode()
        url = f"http://localhost:{self._reservation.ports[2]}{path}"
        request = urllib.request.Request(url, data=data, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=10) as reply:
            return json.loads(reply.read() or "null")
