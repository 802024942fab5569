// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "yaml/document.h"

namespace chartwright::bundle {

/// The names of the values of an enumeration.
template <typename Choice, size_t kCount>
using Choices = std::array<std::pair<std::string_view, Choice>, kCount>;

/// Returns the value that `text` names. Error: kInvalidArgument `"x" is not one of "a", "b"`.
template <typename Choice, size_t kCount>
base::Result<Choice> find_choice(std::string_view text, const Choices<Choice, kCount>& choices) {
  std::string names;
  for (const auto& [name, choice] : choices) {
    if (text == name) {
      return choice;
    }
    names += (names.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  return base::Error(base::ErrorCode::kInvalidArgument,
                     "\"" + std::string(text) + "\" is not one of " + names);
}

/// Returns the value that the node's text names. Error: as find_choice, kParse with the place.
template <typename Choice, size_t kCount>
base::Result<Choice> read_choice(const yaml::DocumentNode& node,
                                 const Choices<Choice, kCount>& choices) {
  CW_TRY(const std::string text, yaml::document_text(node));
  auto choice = find_choice<Choice, kCount>(text, choices);
  if (!choice.ok()) {
    return yaml::document_error(node, choice.error().message());
  }
  return choice;
}

}  // namespace chartwright::bundle
