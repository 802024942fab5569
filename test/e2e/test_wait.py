# SPDX-License-Identifier: Apache-2.0
"""`chartwright wait` waits until a custom resource is ready, has a revision, or is gone."""

import threading

import pytest

from e2e import console
from e2e.custom_resource import WIDGET

NAME = "widget.e2e.chartwright.io/one"


@pytest.fixture(name="wait")
def command(cluster, namespace):
    """`wait(ARGUMENTS...)` runs the command in the test's namespace."""
    return lambda *arguments, **options: console.run(
        cluster, namespace, "wait", *arguments, **options
    )


def test_ready_is_waited_for(widgets, declare, wait):
    declare(WIDGET, "one").create({"text": "a"})
    done = wait("widget/one", "--timeout", "60s")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{NAME} is ready, in revision 1\n"


def test_time_that_is_over_has_an_exit_code_of_its_own(widgets, declare, wait):
    broken = declare(WIDGET, "one").create({"element": 99})
    broken.wait_condition("Ready", "False", "ReconcileError")
    done = wait("widget/one", "--for", "ready", "--timeout", "1s")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"{NAME} is not ready: Stalled: ")
    assert done.stderr.count("\n") == 1
    done = wait("widget/one", "widget/nobody", "--timeout", "0s")
    assert done.returncode == 1
    assert '"nobody" not found' in done.stderr


def test_a_revision_is_waited_for(widgets, declare, wait):
    widget = declare(WIDGET, "one").create({"text": "a"})
    widget.wait_revision(1)
    later = threading.Timer(1, lambda: widget.patch({"text": "b"}))
    later.start()
    done = wait("widget", "one", "--for", "revision=2", "--timeout", "60s")
    later.join()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{NAME} has revision 2 in force\n"
    done = wait("widget/one", "--for=revision=1")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"{NAME} has revision 2 in force, which comes after revision 1\n"
    done = wait("widget/one", "--for=revision=9", "--timeout=0s")
    assert (done.returncode, done.stderr) == (3, f"{NAME} has revision 2 in force\n")


def test_the_end_is_waited_for(widgets, declare, wait):
    widget = declare(WIDGET, "one").create({"text": "a"})
    widget.wait_ready()
    done = wait("widget/one", "--for", "deleted", "--timeout", "0s")
    assert (done.returncode, done.stderr) == (3, f"{NAME} is not being deleted\n")
    widget.delete()
    done = wait("widget/one", "--for", "deleted", "--timeout", "60s")
    assert (done.returncode, done.stdout) == (0, f"{NAME} is deleted\n")
    assert wait("widget/one", "--for=deleted").stdout == f"{NAME} is deleted\n"


def test_the_right_to_get_is_enough(widgets, cluster, namespace, declare, wait):
    declare(WIDGET, "one").create({"text": "a"})
    kubeconfig = console.viewer(cluster, namespace, ("e2e.chartwright.io", "widgets", "get"))
    assert wait("widget/one", "--timeout", "60s", kubeconfig=kubeconfig).returncode == 0


def test_wrong_words_are_told(wait):
    done = wait("widget/one", "--for", "done")
    assert done.stderr == 'Error: --for: "done" is not ready, revision=NUMBER or deleted\n'
    done = wait("widget/one", "--timeout", "-1s")
    assert done.stderr == "Error: --timeout: the time must not be negative\n"
    assert wait("widgets").stderr == "Error: name the custom resource: KIND/NAME\n"
