// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "yaml/document.h"

namespace chartwright::generate {

/// Returns the text of the member `key`; "" if there is none. It lives as long as `node`.
inline std::string_view text_at(const yaml::DocumentNode& node, std::string_view key) {
  const yaml::DocumentNode* member = node.find(key);
  return member != nullptr ? std::string_view(member->text) : std::string_view();
}

}  // namespace chartwright::generate
