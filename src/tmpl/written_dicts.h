// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "value/value.h"

namespace chartwright::tmpl {

/// The dicts that one render wrote containers into. Values are counted, so that a dict which got
/// into itself would never be freed. Only a write into a dict that is there already can close such
/// a cycle: functions tell of each before they do it, and at the end of the render the entries that
/// close cycles are made nil. Whatever holds no cycle is left as it is. One per render, not
/// thread-safe.
class WrittenDicts {
 public:
  WrittenDicts() = default;
  ~WrittenDicts();
  WrittenDicts(const WrittenDicts&) = delete;
  WrittenDicts& operator=(const WrittenDicts&) = delete;

  /// `dict` is about to hold `member`.
  void note(const value::Value& dict, const value::Value& member);

 private:
  // Dicts that are gone by the end can be in no cycle.
  std::vector<std::weak_ptr<value::Dict>> dicts_;
  size_t sweep_at_ = 1024;  ///< At this size those that are gone are dropped.
};

}  // namespace chartwright::tmpl
