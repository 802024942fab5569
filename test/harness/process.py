# SPDX-License-Identifier: Apache-2.0
"""Child processes that cannot be orphaned, and process identities that detect reused pids."""

import dataclasses
import os
import pathlib
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO

KILL_TIMEOUT_SECONDS = 20.0


@dataclasses.dataclass(frozen=True)
class Identity:
    """A process: pid and start time, because a pid alone may be reused."""

    pid: int
    start_ticks: int

    @classmethod
    def of(cls, pid: int) -> "Identity":
        """Returns the identity of a running process; raises ProcessLookupError if there is none."""
        ticks = start_ticks(pid)
        if ticks is None:
            raise ProcessLookupError(pid)
        return cls(pid, ticks)

    def alive(self) -> bool:
        """Reports whether exactly this process still runs (a zombie does not)."""
        return start_ticks(self.pid) == self.start_ticks


def start_ticks(pid: int) -> int | None:
    """Returns the start time in clock ticks since boot, or None if the process has ended."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command name is in parentheses and may itself contain spaces and parentheses.
    fields = stat.rpartition(")")[2].split()
    state, started = fields[0], int(fields[19])
    return None if state in "ZX" else started


def resident_bytes(pid: int) -> int:
    """Returns the resident set size of a process in bytes; 0 if it has ended."""
    try:
        pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def peak_resident_bytes(pid: int) -> int:
    """Returns the peak resident set size of a process in bytes."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise ProcessLookupError(pid)


def cpu_seconds(pid: int) -> float:
    """Returns user plus system time of a process; raises ProcessLookupError if it has ended."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        raise ProcessLookupError(pid) from None
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spawn(
    argv: Sequence[str | os.PathLike],
    *,
    log_path: pathlib.Path | str,
    cwd: pathlib.Path | str | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int | IO | None = subprocess.DEVNULL,
) -> subprocess.Popen:
    """Starts `argv` in a process group of its own; appends both output streams to `log_path`.

    The kernel kills the child when the calling thread ends for any reason, so call it from a
    thread that lives as long as the child should.
    """
    with pathlib.Path(log_path).open("ab") as log:
        return subprocess.Popen(
            tied_to_parent(argv),
            stdin=stdin,
            stdout=log,
            stderr=log,
            cwd=cwd,
            env=env,
            process_group=0,
        )


def tied_to_parent(argv: Sequence[str | os.PathLike]) -> list[str]:
    """Returns a command that runs `argv`, and that the kernel kills when the thread that starts it
    ends.

    It does not need Python between fork and exec: where other threads run, that waits for locks
    which they held, among them those of OpenSSL, for ever.
    """
    # The parent may have ended before the kernel knew of this.
    unless_orphan = '[ "$PPID" = "$0" ] && exec "$@"'
    command = [os.fspath(arg) for arg in argv]
    return ["setpriv", "--pdeathsig=KILL", "sh", "-c", unless_orphan, str(os.getpid()), *command]


def wait_for_end(identity: Identity, timeout_seconds: float = KILL_TIMEOUT_SECONDS) -> bool:
    """Blocks until the process has ended; returns False at a timeout."""
    try:
        descriptor = os.pidfd_open(identity.pid)
    except ProcessLookupError:
        return True
    try:
        if not identity.alive():
            return True
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        return bool(poller.poll(timeout_seconds * 1000))
    finally:
        os.close(descriptor)


def send_signal(identity: Identity, number: int) -> bool:
    """Signals exactly this process, never a later one with its pid; False if it has ended."""
    try:
        descriptor = os.pidfd_open(identity.pid)
    except ProcessLookupError:
        return False
    try:
        # The descriptor pins the process, so this check has no race.
        if not identity.alive():
            return False
        signal.pidfd_send_signal(descriptor, number)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(descriptor)


def tail(path: pathlib.Path | str, lines: int = 15) -> str:
    """Returns the last lines of a log for an error message; empty if there is no such file."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
