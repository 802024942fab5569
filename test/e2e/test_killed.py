# SPDX-License-Identifier: Apache-2.0
"""The operator is killed during a render, and recognises the custom resource after restart."""

import json

import pytest

from e2e import session
from e2e.custom_resource import CONFIGMAP, WIDGET, condition
from harness.kube import wait_until

# Long enough to kill the operator meanwhile, and less than the CPU limit of a render.
BURN = 8


@pytest.fixture
def mortal(cluster, namespace):
    """An operator of the test chart for the test's namespace, which tests may kill."""
    workers = "--max-concurrent-reconciles=2"
    with session.widget_operator(cluster, workers, namespaces=(namespace,)) as operator:
        yield operator


def marks(operator) -> dict:
    """Returns the renders that the operator has marked as under way: name -> mark."""
    found = {}
    for file in operator.state_dir.glob("*.mark"):
        try:
            line = file.read_text(encoding="utf-8").partition("\n")[0]
        except FileNotFoundError:  # Left by an earlier process, rendered meanwhile.
            continue
        if line:
            mark = json.loads(line)
            found[mark["name"]] = mark
    return found


def kill_while_rendering(operator, *names: str) -> None:
    """Kills the operator as soon as it renders all of these."""
    wait_until(lambda: set(names) <= set(marks(operator)), what=f"a render of {names}")
    operator.kill()


def test_a_render_that_kills_the_operator_is_set_aside(mortal, declare):
    good = declare(WIDGET, "good").create({"text": "one"})
    bad = declare(WIDGET, "bad").create({"text": "one"})
    good.wait_ready()
    bad.wait_ready()
    wait_until(lambda: not marks(mortal), what="no mark at rest")

    bad.patch({"burn": BURN, "password": "hunter2"})
    kill_while_rendering(mortal, "bad")
    left = marks(mortal)
    assert set(left) == {"bad"} and not left["bad"]["alone"]
    assert "hunter2" not in json.dumps(left)
    mortal.revive()
    kill_while_alone(mortal, "bad")

    mortal.revive()
    assert "was killed twice while it rendered" in bad.wait_error("RenderKilledOperator")
    assert condition(bad.get(), "Irreconcilable")["reason"] == "RenderKilledOperator"
    # All others continue, and the deployed revision of this one is still repaired.
    good.patch({"text": "two"})
    good.wait_revision(2)
    bad.kube.delete(CONFIGMAP, "bad-0", bad.namespace)
    bad.wait_child(CONFIGMAP, "bad-0", lambda obj: obj["data"]["text"] == "one")

    bad.patch({"burn": 0, "text": "two"})
    bad.wait_revision(2)
    bad.wait_condition("Stalled", None)
    wait_until(lambda: not marks(mortal), what="no mark at rest")


def test_a_render_beside_the_one_that_kills_is_cleared(mortal, declare):
    bad = declare(WIDGET, "bad").create({"burn": BURN})
    innocent = declare(WIDGET, "innocent").create({"burn": BURN - 2})
    kill_while_rendering(mortal, "bad", "innocent")
    mortal.revive()
    # They are rendered again one at a time.
    kill_while_alone(mortal, "bad")
    mortal.revive()
    bad.wait_condition("Stalled", "True", "RenderKilledOperator")
    innocent.wait_ready(timeout_seconds=90)


def kill_while_alone(operator, name: str) -> None:
    """Kills the operator as soon as it renders that one again, alone."""

    def is_alone() -> bool:
        found = marks(operator)
        alone = [one for one, mark in found.items() if mark["alone"]]
        assert len(alone) <= 1, found
        return alone == [name]

    wait_until(is_alone, timeout_seconds=90, what=f"a render of {name} alone")
    operator.kill()


def test_a_request_retries_a_render_that_was_set_aside(mortal, declare):
    bad = declare(WIDGET, "bad").create({"burn": 2})
    for kill in (kill_while_rendering, kill_while_alone):
        kill(mortal, "bad")
        mortal.revive()
    bad.wait_condition("ReleaseFailed", "True", "RenderKilledOperator")
    bad.touch()
    bad.wait_ready(timeout_seconds=90)


def test_a_graceful_shutdown_leaves_no_mark(mortal, declare):
    slow = declare(WIDGET, "slow").create({"burn": 2})
    wait_until(lambda: "slow" in marks(mortal), what="a render")
    assert mortal.stop().code == 0
    assert not marks(mortal)
    mortal.revive()
    slow.wait_ready(timeout_seconds=90)


def test_a_mark_is_removed_with_its_custom_resource(mortal, declare):
    declare(WIDGET, "good").create().wait_ready()
    bad = declare(WIDGET, "bad").create({"burn": 2})
    kill_while_rendering(mortal, "bad")
    bad.delete()
    bad.wait_gone()
    mortal.revive()
    wait_until(lambda: not marks(mortal), what="no mark at rest")


def test_a_state_directory_that_is_missing_is_a_warning(cluster, declare, namespace):
    with session.widget_operator(cluster, "--state-dir=/none", namespaces=(namespace,)) as operator:
        line = operator.wait_log(lambda line: line["msg"].startswith("State directory cannot"))
        assert line["level"] == "warn" and line["stateDir"] == "/none"
        declare(WIDGET, "one").create().wait_ready()
