# SPDX-License-Identifier: Apache-2.0
"""The command line of the demo: runs the steps, names the one that fails, cleans up."""

import argparse
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence

from cluster.build import BuildError
from cluster.go_toolchain import ToolchainError
from cluster.state import StateError
from demo import servers, setting, steps
from demo.narrator import Narrator
from demo.scene import Scene
from harness.connection import ApiError
from harness.kubectl import KubectlError
from harness.operator import default_binary
from harness.paths import REPOSITORY

INTERRUPTED = 130
_SETTING = (
    setting.start_control_plane,
    setting.install,
    setting.start_operator,
    setting.create_store,
)
_STORE = (
    steps.change_tag,
    steps.delete_child,
    steps.grow_volume,
    steps.shrink_volume,
    steps.roll_back,
)
_DEMO = (
    *_SETTING,
    *_STORE,
    steps.run_podset,
    steps.run_demovolume,
    servers.keep_pet,
    servers.serve_farm,
    steps.delete_store,
    steps.stop_operator,
)
_OPERATOR = _SETTING[:-1]
# The scene of each system alone. The farm shows the pods of a store; pets have their own operator.
_SYSTEMS = {
    "bookstore": (*_SETTING, *_STORE, steps.delete_store, steps.stop_operator),
    "podset": (*_OPERATOR, steps.run_podset, steps.stop_operator),
    "demovolume": (*_OPERATOR, steps.run_demovolume, steps.stop_operator),
    "pet": (setting.start_control_plane, setting.install, servers.keep_pet),
    "farm": (*_SETTING, servers.serve_farm, steps.stop_operator),
}
# Deviation, WaitTimeout and OperatorFailed are assertion errors.
_DEVIATIONS = (
    AssertionError,
    ApiError,
    BuildError,
    KubectlError,
    OSError,
    StateError,
    ToolchainError,
    KeyError,
    subprocess.SubprocessError,
)


class StepFailed(Exception):
    """A step deviated; the message names it."""


def main(arguments: list[str]) -> int:
    """Runs the demo and returns the exit code: 0, 1 after a deviation, 130 after Ctrl-C."""
    options = _parse(arguments)
    os.chdir(REPOSITORY)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    scene = Scene(Narrator())
    chosen = _SYSTEMS[options.system] if options.system else _DEMO
    started = time.monotonic()
    try:
        _require_binary()
        with contextlib.ExitStack() as stack:
            if options.play:
                return _play(scene, stack)
            _run(scene, stack, chosen)
    except StepFailed as failure:
        scene.narrator.failed(f"\ndemo: {failure}")
        return 1
    except KeyboardInterrupt:
        scene.narrator.failed("\ndemo: interrupted; everything that was started has ended")
        return INTERRUPTED
    seconds = time.monotonic() - started
    scene.narrator.end(_outcome(len(chosen), scene.left_out, seconds))
    return 0


def _outcome(total: int, left_out: int, seconds: float) -> str:
    """Returns the last line of a demo without a deviation."""
    if left_out == 0:
        return f"All {total} steps went as told, in {seconds:.0f} s."
    done = total - left_out
    return f"{done} of {total} steps went as told, in {seconds:.0f} s; {left_out} were left out."


def _run(scene: Scene, stack: contextlib.ExitStack, chosen: Sequence[Callable]) -> None:
    """Runs the steps in order; raises StepFailed for the first one that deviates."""
    for number, step in enumerate(chosen, start=1):
        title = step.__doc__.splitlines()[0]
        scene.narrator.title(number, len(chosen), title)
        try:
            step(scene, stack)
        except _DEVIATIONS as error:
            logs = "".join(f"\nLog: {path}" for path in scene.logs)
            text = f'step {number}, "{title}", failed: {type(error).__name__}: {error}{logs}'
            raise StepFailed(text) from error


def _play(scene: Scene, stack: contextlib.ExitStack) -> int:
    """Sets up the scene, prints how to use it and waits for Ctrl-C."""
    _run(scene, stack, _SETTING)
    _invite(scene)
    try:
        ended = scene.operator.wait_exit(timeout_seconds=None)
    except KeyboardInterrupt:
        scene.narrator.end("Ending everything.")
        return 0
    scene.narrator.failed(
        f"\ndemo: the operator ended with {ended.code}; its log: {scene.operator.log_path}"
    )
    return 1


def _invite(scene: Scene) -> None:
    """Prints what is running and what to try."""
    namespace = scene.namespace
    scene.narrator.end("It is yours, until Ctrl-C. In another terminal:")
    for words in (
        ("export", f"KUBECONFIG={scene.cluster.kubeconfig}"),
        ("alias", f"kubectl={scene.cluster.kubectl.binary}"),
        ("kubectl", "-n", namespace, "get", "bookstores", "--watch"),
        ("kubectl", "-n", namespace, "edit", "bookstore", "store"),
        ("kubectl", "-n", namespace, "delete", "deployment", "store"),
        ("kubectl", "-n", namespace, "describe", "bookstore", "store"),
        (
            *("kubectl", "-n", namespace, "annotate", "bookstore", "store"),
            "chartwright.io/rollback-to=previous",
        ),
        ("kubectl", "-n", namespace, "apply", "-f", "deploy/samples/podset.yaml"),
        ("tail", "-f", str(scene.operator.log_path)),
    ):
        scene.narrator.command(words)


def _require_binary() -> None:
    if not os.access(default_binary(), os.X_OK):
        raise StepFailed(f"{default_binary()} is not there; make build builds it")


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="demo",
        description="Shows four charts becoming operators on a Kubernetes API, and views being "
        "served, and verifies each step. With KUBECONFIG set it uses that cluster, without the "
        "steps that need another server; otherwise it starts one of its own.",
    )
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--system", choices=_SYSTEMS, help="show the scene of one system only")
    parts.add_argument(
        "--play", action="store_true", help="set the scene and leave it to you until Ctrl-C"
    )
    return parser.parse_args(arguments)
