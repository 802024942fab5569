# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests that are written in Python."""

import signal

# A shell that starts the tests in the background has them ignore Ctrl-C, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
