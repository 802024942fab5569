// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace chartwright::base {

/// Returns the memory that this process may use, in bytes: the smallest limit of the control groups
/// (version 2 or 1) that contain it, and at most the machine's physical memory. `root` is prefixed
/// to /proc and /sys. Anything that cannot be read counts as no limit. Source: kernel
/// Documentation/admin-guide cgroup-v2.rst (memory.max), cgroup-v1/memory.rst
/// (memory.limit_in_bytes).
size_t usable_memory(const std::string& root = "");

/// Returns the bytes that all threads have allocated and not yet freed, without the pages that the
/// allocator keeps; nullopt where nobody counts them (without jemalloc). Takes some ten
/// microseconds.
std::optional<size_t> allocated_memory();

}  // namespace chartwright::base
