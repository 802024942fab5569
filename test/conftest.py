# SPDX-License-Identifier: Apache-2.0
"""Settings for all tests written in Python."""

import signal

# A background job of a shell ignores Ctrl-C, and child processes would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# These take minutes each. They begin first, so that processes side by side end at the same time.
LONG = (
    "test_crash.py",
    "test_crash_failures.py",
    "test_hostile.py",
    "test_operator.py",
    "test_shared_objects.py",
)


def pytest_collection_modifyitems(items) -> None:
    """Puts the tests of long files first, and leaves the order as it is otherwise."""
    items.sort(key=lambda item: item.path.name not in LONG)
