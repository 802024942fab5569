# SPDX-License-Identifier: Apache-2.0
"""Settings for all tests written in Python."""

import signal

# A background job of a shell ignores Ctrl-C, and child processes would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
