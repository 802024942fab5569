# SPDX-License-Identifier: Apache-2.0
"""Shows a process the memory limit of a container, through a private /sys/fs/cgroup."""

import re
import subprocess

from harness.paths import REPOSITORY

MIB = 1 << 20
CONFINE = (
    "mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/memory &&"
    " echo $0 > /sys/fs/cgroup/memory/memory.limit_in_bytes &&"
    ' echo $0 > /sys/fs/cgroup/memory/memory.max && exec "$@"'
)


def confined(limit: int) -> tuple[str, ...]:
    """Returns a command prefix under which a command sees a memory limit of `limit` bytes.

    Raises AssertionError if mounts cannot be unshared.
    """
    refusals = ""
    for rights in ((), ("--map-root-user",)):  # As root, or in a user namespace.
        wrapper = ("unshare", *rights, "--mount", "sh", "-c", CONFINE, str(limit))
        probe = subprocess.run([*wrapper, "true"], capture_output=True, text=True, check=False)
        if probe.returncode == 0:
            return wrapper
        refusals += probe.stderr
    raise AssertionError(f"needs the right to unshare mounts: {refusals}")


def shipped_limit() -> int:
    """Returns the memory limit of the shipped Deployment, in bytes."""
    text = (REPOSITORY / "deploy/manager/deployment.yaml").read_text(encoding="utf-8")
    (limit,) = re.findall(r"^ *limits:\n *memory: (\d+)Mi$", text, re.MULTILINE)
    return int(limit) * MIB
