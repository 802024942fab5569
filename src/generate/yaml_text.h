// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "value/value.h"

namespace chartwright::generate {

/// YAML to be written, with members in the order in which they were added.
class Yaml {
 public:
  Yaml() = default;  ///< An empty map.
  static Yaml text(std::string_view text);
  /// Returns a scalar, list or map; members of maps are in their sorted order.
  static Yaml of(const value::Value& value);
  static Yaml list(std::vector<Yaml> items);
  /// YAML that is written as it is, indented.
  static Yaml verbatim(std::string_view text);

  Yaml& set(std::string_view key, Yaml value);
  Yaml& set(std::string_view key, std::string_view value) { return set(key, text(value)); }
  Yaml& set(std::string_view key, const char* value) { return set(key, text(value)); }
  void erase(std::string_view key);
  bool has(std::string_view key) const;
  const Yaml* find(std::string_view key) const;
  /// Returns a text as it was given to text(); "" for others.
  const std::string& scalar() const { return text_; }
  /// Returns a whole number; nullopt for others.
  std::optional<int64_t> whole() const;
  const std::vector<Yaml>& items() const { return items_; }  ///< The items of a list.
  /// The members of a map, in their order.
  const std::vector<std::pair<std::string, Yaml>>& members() const { return members_; }
  bool is_empty() const { return kind_ == Kind::kMap && members_.empty(); }

  /// Returns the document. Long texts are folded.
  std::string to_string() const;

 private:
  enum class Kind : uint8_t { kMap, kList, kScalar, kVerbatim };
  void write(size_t indent, std::string& out) const;
  size_t place_of(std::string_view key) const;
  void index();
  void write_member(std::string_view key, size_t indent, std::string& out) const;

  Kind kind_ = Kind::kMap;
  std::string text_;
  std::string scalar_;  ///< The text as it is written.
  std::vector<Yaml> items_;
  std::vector<std::pair<std::string, Yaml>> members_;
  /// The places of the members, once there are many.
  std::unordered_map<std::string, size_t> places_;
};

}  // namespace chartwright::generate
