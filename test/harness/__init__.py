# SPDX-License-Identifier: Apache-2.0
"""What the demo, the end-to-end tests and the benchmarks need to drive a real control plane."""
