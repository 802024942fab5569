// SPDX-License-Identifier: Apache-2.0
#include "views/name_rule.h"

namespace chartwright::views {
namespace {

std::optional<std::string> trimmed(std::string_view name, std::string_view prefix,
                                   std::string_view suffix) {
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) ||
      !name.ends_with(suffix)) {
    return std::nullopt;
  }
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  return std::string(name);
}

}  // namespace

std::optional<NameRule> NameRule::between(std::string_view source, std::string_view object) {
  NameRule rule;
  rule.adds_ = object.size() >= source.size();
  const std::string_view longer = rule.adds_ ? object : source;
  const std::string_view shorter = rule.adds_ ? source : object;
  const size_t at = longer.find(shorter);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  rule.prefix_ = longer.substr(0, at);
  rule.suffix_ = longer.substr(at + shorter.size());
  return rule;
}

std::optional<std::string> NameRule::object_of(std::string_view source) const {
  return adds_ ? prefix_ + std::string(source) + suffix_ : trimmed(source, prefix_, suffix_);
}

std::optional<std::string> NameRule::source_of(std::string_view object) const {
  return adds_ ? trimmed(object, prefix_, suffix_) : prefix_ + std::string(object) + suffix_;
}

}  // namespace chartwright::views
