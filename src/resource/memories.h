// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <typeindex>
#include <unordered_map>

namespace chartwright::op {

/// The memory of the steps of a reconcile, of one custom resource from one reconcile to the next.
/// Each has its own: a step declares it as a type that is private, so that no other step can read
/// or write it. In memory only: losing it costs a request or a render, never data.
/// Not thread-safe.
class Memories {
 public:
  /// Returns the memory of that type, which is made at its first use, and stays where it is.
  /// `Memory` can be copied.
  template <typename Memory>
  Memory& of() {
    std::any& kept = kept_[typeid(Memory)];
    if (!kept.has_value()) {
      return kept.emplace<Memory>();
    }
    return *std::any_cast<Memory>(&kept);
  }

 private:
  std::unordered_map<std::type_index, std::any> kept_;
};

}  // namespace chartwright::op
