# SPDX-License-Identifier: Apache-2.0
"""Charts that take all the memory they get, under the limit that deploy/ ships."""

import subprocess

import pytest

from e2e import session
from e2e.custom_resource import WIDGET

MIB = 1 << 20
WORKERS = 4
# Shows the operator a container's limit: its own view of /sys/fs/cgroup, for it alone.
CONFINE = (
    "mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/memory &&"
    " echo $0 > /sys/fs/cgroup/memory/memory.limit_in_bytes &&"
    " echo $0 > /sys/fs/cgroup/memory.max && exec \"$@\""
)


def confined(limit: int) -> dict:
    """Returns options of an operator that believes in that limit."""
    refusals = ""
    for rights in ((), ("--map-root-user",)):  # Root's, or those in a user namespace.
        wrapper = ("unshare", *rights, "--mount", "sh", "-c", CONFINE, str(limit))
        probe = subprocess.run([*wrapper, "true"], capture_output=True, text=True, check=False)
        if probe.returncode == 0:
            return {"wrapper": wrapper}
        refusals += probe.stderr
    raise AssertionError(f"needs the right to unshare mounts: {refusals}")


@pytest.fixture
def shipped_limit(cluster):
    """The memory limit of the shipped Deployment, in bytes."""
    (deployment,) = cluster.kubectl.objects(session.DEPLOY / "manager" / "deployment.yaml")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    limit = container["resources"]["limits"]["memory"]
    assert limit.endswith("Mi")
    return int(limit.removesuffix("Mi")) * MIB


def test_hostile_renders_stay_below_the_shipped_limit(
    cluster, widgets, declare, namespace, shipped_limit
):
    widgets.stop()
    workers = f"--max-concurrent-reconciles={WORKERS}"
    operator = session.widget_operator(
        cluster, workers, namespaces=(namespace,), **confined(shipped_limit)
    )
    with operator:
        told = operator.wait_log(lambda line: line["msg"] == "Memory for renders")
        assert told["usableBytes"] == shipped_limit
        samples = operator.metrics()
        assert samples["chartwright_render_memory_limit_bytes"] == told["renderMemoryBytes"]
        assert samples["chartwright_renders_max"] == told["rendersAtOnce"]
        good = declare(WIDGET, "good").create()
        hostile = [
            declare(WIDGET, f"hostile-{i}").create({"hoard": 2000, "deep": 900})
            for i in range(3 * WORKERS)
        ]
        for one in hostile:
            message = one.wait_condition("Stalled", "True")["message"]
            assert "of memory" in message
            assert f"the operator may use {shipped_limit // MIB}Mi" in message
            assert "--render-memory" in message
        good.wait_ready()
        declare(WIDGET, "later").create({"hoard": 8}).wait_ready()
        assert operator.running()
        peak = operator.peak_resident_bytes()
        print(f"peak {peak / MIB:.0f} MiB of {shipped_limit / MIB:.0f}")
        assert peak < shipped_limit


def test_a_kind_may_have_more_or_less(cluster, widgets, declare, namespace, tmp_path):
    widgets.stop()
    watches = tmp_path / "watches.yaml"
    text = (session.WIDGET_FILES / "watches.yaml").read_text(encoding="utf-8")
    watches.write_text(text + "  renderMemory: 4Mi\n", encoding="utf-8")
    with session.widget_operator(cluster, namespaces=(namespace,), watches_file=watches):
        small = declare(WIDGET, "small").create({"hoard": 8})
        message = small.wait_condition("Stalled", "True")["message"]
        assert "One render may hold 4Mi of memory, which watches.yaml says" in message
