// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "yaml/document.h"

namespace chartwright::bundle {

/// Returns the value that stands for the node's text. Error: kParse `"x" is not one of "a", "b"`.
template <typename Choice, size_t kCount>
base::Result<Choice> read_choice(
    const yaml::DocumentNode& node,
    const std::array<std::pair<std::string_view, Choice>, kCount>& choices) {
  CW_TRY(const std::string text, yaml::document_text(node));
  std::string names;
  for (const auto& [name, choice] : choices) {
    if (text == name) {
      return choice;
    }
    names += (names.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  return yaml::document_error(node, "\"" + text + "\" is not one of " + names);
}

}  // namespace chartwright::bundle
