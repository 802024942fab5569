// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chartwright::helm {

enum class EntryType : uint8_t { kFile, kDirectory };

/// The rules of a .helmignore file. Source: helm/helm v3 pkg/ignore/rules.go.
class IgnoreRules {
 public:
  /// Makes the default rules, which ignore only hidden files of templates/.
  IgnoreRules();
  /// Parses the rules of a file, followed by the default rules. Error: kInvalidArgument for `**`
  /// and bad patterns.
  static base::Result<IgnoreRules> parse(std::string_view text);
  /// Reports whether `path`, relative to the chart and with slashes, is ignored. The first matching
  /// rule decides. A negated rule ignores everything that it does not match.
  bool ignores(std::string_view path, EntryType type) const;

 private:
  enum class Scope : uint8_t { kBaseName, kWholePath };
  struct Rule {
    std::string pattern;
    Scope scope;
    bool negated;
    bool directories_only;
  };
  base::Status add(std::string_view line);
  static bool matches(const Rule& rule, std::string_view path);
  std::vector<Rule> rules_;
};

}  // namespace chartwright::helm
