# SPDX-License-Identifier: Apache-2.0
"""Programs that build and run images: docker, podman or buildah, whichever the machine has."""

import abc
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator

from harness.paths import REPOSITORY

BASE = "docker.io/library/debian:bookworm-slim"


@dataclasses.dataclass(frozen=True)
class Start:
    """How a container is started, on the network of the machine.

    `command` replaces the image's entry point, `arguments` are appended to it. `folders` are
    mounted read-only, by their path in the container.
    """

    image: str
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    user: str | None = None
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    folders: dict[str, os.PathLike] = dataclasses.field(default_factory=dict)

    def flags(self) -> list[str]:
        """Returns the flags of `run`, which are the same in all programs."""
        return [
            "--network=host",
            *(f"--env={name}={value}" for name, value in self.environment.items()),
            *(f"--volume={os.fspath(source)}:{path}:ro" for path, source in self.folders.items()),
            *((f"--user={self.user}",) if self.user is not None else ()),
        ]


class Engine(abc.ABC):
    """One of the programs. Each method raises CalledProcessError if the program fails."""

    def __init__(self, program: str):
        self.program = program

    @abc.abstractmethod
    def build(self, dockerfile: pathlib.Path, folder: pathlib.Path, *tags: str) -> None:
        """Builds an image from a folder."""

    @abc.abstractmethod
    def configuration(self, image: str) -> dict:
        """Returns the configuration of a local image in OCI's words: User, Env, Entrypoint,
        WorkingDir.
        """

    @abc.abstractmethod
    def container(self, start: Start) -> contextlib.AbstractContextManager[list[str]]:
        """Yields the command that runs in a container of its own, which is removed in the end."""

    def terminate(self, pid: int) -> None:
        """Sends SIGTERM to the process of a container, by the pid of the command that runs it."""
        os.kill(pid, signal.SIGTERM)

    @abc.abstractmethod
    def remove(self, image: str) -> None:
        """Removes a tag, and the image if that was its last one."""

    def output(self, start: Start) -> str:
        """Returns what a container prints on stdout."""
        with self.container(start) as command:
            return self._output(*command)

    def _run(self, *arguments: str | os.PathLike) -> None:
        subprocess.run([self.program, *arguments], check=True)

    def _output(self, *command: str) -> str:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Docker(Engine):
    """docker, and podman, which has the same commands."""

    def build(self, dockerfile: pathlib.Path, folder: pathlib.Path, *tags: str) -> None:
        self._run("build", *(f"--tag={tag}" for tag in tags), f"--file={dockerfile}", folder)

    def configuration(self, image: str) -> dict:
        return json.loads(self._output(self.program, "image", "inspect", image))[0]["Config"]

    @contextlib.contextmanager
    def container(self, start: Start) -> Iterator[list[str]]:
        flags = start.flags()
        if start.command:
            flags.append(f"--entrypoint={start.command[0]}")
        yield [
            self.program,
            "run",
            "--rm",
            *flags,
            start.image,
            *start.command[1:],
            *start.arguments,
        ]

    def remove(self, image: str) -> None:
        self._run("image", "rm", image)


class Buildah(Engine):
    """buildah needs no daemon and, with this isolation, no other program to run containers."""

    def __init__(self, program: str):
        super().__init__(program)
        os.environ.setdefault("BUILDAH_ISOLATION", "chroot")

    def build(self, dockerfile: pathlib.Path, folder: pathlib.Path, *tags: str) -> None:
        # As docker does it: a step that has not changed is not run again.
        flags = ("--layers", "--pull-never", "--network=host")
        self._run(
            "build", *flags, *(f"--tag={tag}" for tag in tags), f"--file={dockerfile}", folder
        )

    def configuration(self, image: str) -> dict:
        return json.loads(self._output(self.program, "inspect", "--type=image", image))["OCIv1"][
            "config"
        ]

    @contextlib.contextmanager
    def container(self, start: Start) -> Iterator[list[str]]:
        command = start.command or tuple(self.configuration(start.image)["Entrypoint"])
        name = self._output(self.program, "from", "--pull-never", start.image).strip()
        try:
            yield [self.program, "run", *start.flags(), name, "--", *command, *start.arguments]
        finally:
            self._output(self.program, "rm", name)

    def terminate(self, pid: int) -> None:
        # buildah itself would kill the container. Below it are two processes of its own.
        while children := _children(pid):
            pid = children[0]
            if not _command_line(pid).startswith("buildah-chroot-"):
                break
        os.kill(pid, signal.SIGTERM)

    def remove(self, image: str) -> None:
        self._run("rmi", image)

    def provide_base(self) -> None:
        """Pulls the base image, or makes one with debootstrap, unless there is one."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        for words in (["inspect", "--type=image", BASE], ["pull", BASE]):
            if subprocess.run([self.program, *words], check=False, **quiet).returncode == 0:
                return
        print(f"image: {BASE} cannot be pulled; debootstrap makes one", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder, "base.tar")
            subprocess.run([REPOSITORY / "test" / "image" / "base", archive], check=True)
            name = self._output(self.program, "from", "scratch").strip()
            self._output(self.program, "add", name, str(archive))
            self._output(self.program, "config", "--cmd=bash", name)
            self._output(self.program, "commit", "--rm", name, BASE)


def find() -> Engine:
    """Returns docker or podman if one is there and works, else buildah with a base image.

    Installs buildah, with the other packages of the project, if it is missing.
    """
    for program in ("docker", "podman"):
        # Of docker, a machine may have the client alone.
        if shutil.which(program) and _succeeds(program, "info"):
            return Docker(program)
    subprocess.run([REPOSITORY / ".ci" / "deps"], check=True)
    engine = Buildah("buildah")
    engine.provide_base()
    return engine


def _children(pid: int) -> list[int]:
    tasks = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text(encoding="ascii").split()]


def _command_line(pid: int) -> str:
    return pathlib.Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")


def _succeeds(*command: str) -> bool:
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    return done.returncode == 0
