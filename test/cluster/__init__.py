# SPDX-License-Identifier: Apache-2.0
"""The local control plane: built from Go modules, started and stopped by `test/cluster/cluster`."""
