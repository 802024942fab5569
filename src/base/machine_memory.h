// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace chartwright::base {

/// Bytes of memory that this process may use: the smallest limit of the control groups that it is
/// in (version 2 or 1), else the machine's physical memory. `root` is where /proc and /sys are
/// looked for. What cannot be read is no limit. Source: kernel Documentation/admin-guide
/// cgroup-v2.rst (memory.max), cgroup-v1/memory.rst (memory.limit_in_bytes).
size_t usable_memory(const std::string& root = "");

}  // namespace chartwright::base
