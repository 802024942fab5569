// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "value/value.h"

namespace chartwright::tmpl {

/// The dicts into which one render wrote containers. Values are reference-counted, so a dict that
/// contains itself would never be freed. Only a write into an existing dict can close such a cycle:
/// functions note each write before making it, and the destructor, at the end of the render, sets
/// the entries that close cycles to nil. Values without cycles are left unchanged. One per render;
/// not thread-safe.
class WrittenDicts {
 public:
  WrittenDicts() = default;
  ~WrittenDicts();
  WrittenDicts(const WrittenDicts&) = delete;
  WrittenDicts& operator=(const WrittenDicts&) = delete;

  /// Notes that `member` is about to be written into `dict`.
  void note(const value::Value& dict, const value::Value& member);

 private:
  // A dict that has been freed by the end of the render cannot be part of a cycle.
  std::vector<std::weak_ptr<value::Dict>> dicts_;
  size_t sweep_at_ = 1024;  ///< Size of dicts_ at which expired pointers are removed.
};

}  // namespace chartwright::tmpl
