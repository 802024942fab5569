// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chartwright::views {

/// How the name of an object follows from that of its source: by texts that are added or removed at
/// both ends, as in "farm-{{ .source.metadata.name }}". Immutable.
class NameRule {
 public:
  /// Returns the rule that one pair of names follows; nullopt if neither contains the other.
  static std::optional<NameRule> between(std::string_view source, std::string_view object);
  /// Returns the name of the object that shows `source`; nullopt if the rule does not apply to it.
  std::optional<std::string> object_of(std::string_view source) const;
  /// Returns the name of the source that `object` shows; nullopt if there is none by this rule.
  std::optional<std::string> source_of(std::string_view object) const;

 private:
  bool adds_ = true;  ///< The object's name is the longer one.
  std::string prefix_;
  std::string suffix_;
};

}  // namespace chartwright::views
