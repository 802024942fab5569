// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace chartwright::fuzz {

/// The most that this thread has held on the heap since this was made, beyond what it held then.
/// Counted at malloc, not where base::MemoryLimit counts: what C libraries take, and what is taken
/// while a limit is lifted, is in it. One at a time for a thread.
class HeapPeak {
 public:
  HeapPeak();
  size_t bytes() const;
};

/// Whether sanitizers watch, which slow everything down.
bool is_sanitized();

}  // namespace chartwright::fuzz
