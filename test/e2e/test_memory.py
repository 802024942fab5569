# SPDX-License-Identifier: Apache-2.0
"""Charts that use all available memory, under the limit in deploy/."""

from e2e import session
from e2e.custom_resource import WIDGET
from harness.confinement import MIB, confined, shipped_limit

WORKERS = 4


def test_hostile_renders_stay_below_the_shipped_limit(cluster, declare, namespace):
    limit = shipped_limit()
    workers = f"--max-concurrent-reconciles={WORKERS}"
    operator = session.widget_operator(
        cluster, workers, namespaces=(namespace,), wrapper=confined(limit)
    )
    with operator:
        told = operator.wait_log(lambda line: line["msg"] == "Memory for renders")
        assert told["usableBytes"] == limit
        samples = operator.metrics()
        assert samples["chartwright_render_memory_limit_bytes"] == told["renderMemoryBytes"]
        assert samples["chartwright_renders_max"] == told["rendersAtOnce"]
        good = declare(WIDGET, "good").create()
        hostile = [
            declare(WIDGET, f"hostile-{i}").create({"hoard": 2000, "deep": 900})
            for i in range(3 * WORKERS)
        ]
        for one in hostile:
            message = one.wait_condition("ReleaseFailed", "True")["message"]
            assert "of memory" in message
            assert f"the operator may use {limit // MIB}Mi" in message
            assert "--render-memory" in message
        good.wait_ready()
        declare(WIDGET, "later").create({"hoard": 8}).wait_ready()
        assert operator.running()
        peak = operator.peak_resident_bytes()
        print(f"peak {peak / MIB:.0f} MiB of {limit / MIB:.0f}")
        assert peak < limit


def test_a_kind_may_have_its_own_render_memory(cluster, declare, namespace, tmp_path):
    watches = tmp_path / "watches.yaml"
    text = (session.WIDGET_FILES / "watches.yaml").read_text(encoding="utf-8")
    watches.write_text(text + "  renderMemory: 4Mi\n", encoding="utf-8")
    with session.widget_operator(cluster, namespaces=(namespace,), watches_file=watches):
        small = declare(WIDGET, "small").create({"hoard": 8})
        message = small.wait_condition("ReleaseFailed", "True")["message"]
        assert "One render may hold 4Mi of memory, which watches.yaml says" in message
