# SPDX-License-Identifier: Apache-2.0
"""Runs a command under limits: `launch.py SECONDS DEADLINE OUT ERR COMMAND...`.

Prints exit code, CPU seconds and peak memory in MiB. It is a separate script with few imports
because a process inherits the peak memory of its parent.
"""

import itertools
import os
import resource
import signal
import sys

# Above the bounds of every attack; protects the machine from a failing test.
ADDRESS_BYTES_MAX = 8 << 30
OUTPUT_BYTES_MAX = 1 << 30
# Time between SIGTERM and SIGKILL.
GRACE_SECONDS = 10


def become(seconds: int, out: str, err: str, command: list) -> None:
    """Turns this process into the command."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if "CHARTWRIGHT_SANITIZED" not in os.environ:  # Sanitizers reserve terabytes of address space.
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES_MAX, ADDRESS_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_BYTES_MAX, OUTPUT_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Python ignores these two; if the command inherited that, its limits would not end it.
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), descriptor)
    os.execv(command[0], command)


def main(seconds: str, deadline: str, out: str, err: str, *command: str) -> None:
    """Runs the command with SIGTERM at the deadline and SIGKILL later; prints its cost."""
    child = os.fork()
    if child == 0:
        try:
            become(int(seconds), out, err, list(command))
        finally:
            os._exit(127)
    number = itertools.chain([signal.SIGTERM], itertools.repeat(signal.SIGKILL))
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, next(number)))
    signal.setitimer(signal.ITIMER_REAL, float(deadline), GRACE_SECONDS)
    _, status, usage = os.wait4(child, 0)
    print(
        os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
