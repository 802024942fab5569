// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace chartwright::fuzz {

/// Measures the peak heap usage of this thread since construction, in bytes above the usage at that
/// time. It counts at malloc, unlike base::MemoryLimit, and so includes memory of C libraries and
/// memory allocated while a limit is lifted. At most one per thread at a time.
class HeapPeak {
 public:
  HeapPeak();
  size_t bytes() const;
};

/// Reports whether this is a sanitizer build, which is slower.
bool is_sanitized();

}  // namespace chartwright::fuzz
