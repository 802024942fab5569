// SPDX-License-Identifier: Apache-2.0
#include "base/faults.h"

#include <algorithm>
#include <string>

namespace chartwright::base {
namespace {

/// More are not read in one go.
constexpr size_t kShownMax = 50;

std::string line_of(const Error& error) {
  return (error.pos() ? error.pos()->to_string() + ": " : "") + error.message();
}

}  // namespace

Status Faults::status() const {
  if (all_.empty()) {
    return {};
  }
  if (all_.size() == 1) {
    return all_.front();
  }
  const Error& first = all_.front();
  std::string text = first.message();
  for (size_t i = 1; i < std::min(all_.size(), kShownMax); ++i) {
    text += "\n" + line_of(all_[i]);
  }
  if (all_.size() > kShownMax) {
    text += "\nand " + std::to_string(all_.size() - kShownMax) + " more";
  }
  Error combined = Error(first.code(), std::move(text)).with_help(first.help());
  return first.pos() ? std::move(combined).at(*first.pos()) : std::move(combined);
}

}  // namespace chartwright::base
