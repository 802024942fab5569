// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/ignore.h"

#include "base/ascii.h"
#include "base/strings.h"
#include "go/path.h"

namespace chartwright::helm {
namespace {

constexpr std::string_view kDefaultRule = "templates/.?*";

}  // namespace

IgnoreRules::IgnoreRules() {
  rules_.push_back({std::string(kDefaultRule), Scope::kWholePath, false, false});
}

base::Result<IgnoreRules> IgnoreRules::parse(std::string_view text) {
  IgnoreRules rules;
  rules.rules_.clear();
  if (text.starts_with(base::kByteOrderMark)) {
    text.remove_prefix(base::kByteOrderMark.size());
  }
  for (std::string_view line : base::split(text, '\n')) {
    CW_TRY_VOID(rules.add(line));
  }
  CW_TRY_VOID(rules.add(kDefaultRule));
  return rules;
}

base::Status IgnoreRules::add(std::string_view line) {
  std::string_view pattern = base::trim(line);
  if (pattern.empty() || pattern.front() == '#') {
    return {};
  }
  if (pattern.find("**") != std::string_view::npos) {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       "double-star (**) syntax is not supported");
  }
  CW_TRY_DISCARD(go::match_path(pattern, "abc"));
  Rule rule{"", Scope::kBaseName, pattern.front() == '!', false};
  pattern.remove_prefix(rule.negated ? 1 : 0);
  if (pattern.ends_with('/')) {
    rule.directories_only = true;
    pattern.remove_suffix(1);
  }
  if (pattern.find('/') != std::string_view::npos) {
    rule.scope = Scope::kWholePath;
    pattern.remove_prefix(pattern.front() == '/' ? 1 : 0);
  }
  rule.pattern = pattern;
  rules_.push_back(std::move(rule));
  return {};
}

bool IgnoreRules::matches(const Rule& rule, std::string_view path) {
  const auto matched =
      go::match_path(rule.pattern, rule.scope == Scope::kBaseName ? go::base_name(path) : path);
  return matched.ok() && *matched;
}

bool IgnoreRules::ignores(std::string_view path, EntryType type) const {
  if (path.empty() || path == "." || path == "./") {
    return false;
  }
  for (const Rule& rule : rules_) {
    const bool wrong_type = rule.directories_only && type != EntryType::kDirectory;
    if (rule.negated) {
      if (wrong_type || !matches(rule, path)) {
        return true;
      }
    } else if (!wrong_type && matches(rule, path)) {
      return true;
    }
  }
  return false;
}

}  // namespace chartwright::helm
