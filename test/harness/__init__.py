# SPDX-License-Identifier: Apache-2.0
"""Tools with which the demo, the end-to-end tests and the benchmarks drive a control plane."""
