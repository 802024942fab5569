# SPDX-License-Identifier: Apache-2.0
"""The state that all demo steps share: cluster, operator, namespace and narrator."""

import dataclasses
import pathlib
import subprocess
from collections.abc import Callable

from demo.narrator import Narrator
from harness.cluster import Cluster
from harness.kubectl import KubectlError
from harness.operator import Operator

STORE = "store"
# On an external cluster, images are pulled and disks are created.
_OWN_TIMEOUT_SECONDS = 30.0
_EXTERNAL_TIMEOUT_SECONDS = 300.0


class Deviation(AssertionError):
    """The demo did not behave as described."""


@dataclasses.dataclass
class Scene:
    """The state of a run; steps read it and act on it."""

    narrator: Narrator
    cluster: Cluster | None = None
    operator: Operator | None = None
    namespace: str = "demo"
    left_out: int = 0
    logs: list[pathlib.Path] = dataclasses.field(default_factory=list)

    @property
    def kube(self):
        """A client with all rights."""
        return self.cluster.kube

    @property
    def timeout_seconds(self) -> float:
        """Returns the time after which a wait counts as a deviation."""
        return _EXTERNAL_TIMEOUT_SECONDS if self.cluster.external else _OWN_TIMEOUT_SECONDS

    def kubectl(self, *words: str) -> str:
        """Runs kubectl, prints command and output, and returns the output."""
        done = self.cluster.kubectl.run(*words, timeout_seconds=self.timeout_seconds)
        self.narrator.command(("kubectl", *words), done.stdout + done.stderr)
        if done.returncode != 0:
            raise KubectlError(words, done)
        return done.stdout

    def in_namespace(self, *words: str) -> str:
        """Like `kubectl`, in the namespace of the demo."""
        return self.kubectl("-n", self.namespace, *words)

    def run_program(self, program: pathlib.Path | str, *words: str) -> str:
        """Runs another program on the same cluster and returns its output."""
        done = subprocess.run(
            [program, *words],
            env=self.cluster.kubectl.environment(),
            capture_output=True,
            text=True,
            timeout=self.timeout_seconds,
            check=False,
        )
        if done.returncode != 0:
            raise Deviation(f"{program} {' '.join(words)}: exit {done.returncode}: {done.stderr}")
        return done.stdout

    def require(self, holds: object, claim: str) -> None:
        """Prints a claim that holds; raises Deviation if it does not."""
        if not holds:
            raise Deviation(f"this does not hold: {claim}")
        self.narrator.verified(claim)

    def leave_out(self, reason: str) -> None:
        """Counts the step as left out, and says why."""
        self.left_out += 1
        self.narrator.say(f"Left out: {reason}")

    def await_object(
        self, kind: str, name: str, predicate: Callable[[dict], object], what: str
    ) -> dict:
        """Blocks until the predicate holds and returns the object; else raises WaitTimeout."""
        return self.kube.wait(
            kind,
            name,
            self.namespace,
            lambda obj: obj is not None and predicate(obj),
            timeout_seconds=self.timeout_seconds,
            what=what,
        )

    def settle(self, kind: str, name: str) -> dict:
        """Blocks until a custom resource is ready in its current generation, and returns it."""
        return self.await_object(kind, name, is_settled, "Ready for its present generation")

    def change(self, kind: str, name: str, patch: str) -> dict:
        """Patches a custom resource with kubectl and waits until it has settled."""
        self.in_namespace("patch", kind, name, "--type=merge", "-p", patch)
        return self.settle(kind, name)


def condition(obj: dict, kind: str) -> dict | None:
    """Returns a condition of an object by its type, or None."""
    conditions = obj.get("status", {}).get("conditions", [])
    return next((found for found in conditions if found["type"] == kind), None)


def is_settled(obj: dict) -> bool:
    """Reports whether a custom resource is Ready for its current spec."""
    ready = condition(obj, "Ready")
    generation = obj["metadata"]["generation"]
    return (
        ready is not None
        and ready["status"] == "True"
        and obj["status"].get("observedGeneration") == generation
    )
