// SPDX-License-Identifier: Apache-2.0
#include "helm/objects/deprecation.h"

#include <map>
#include <vector>

#include "base/strings.h"
#include "helm/objects/tables.h"

namespace chartwright::helm {
namespace {

/// Parses a Kubernetes version of the table: "1.16", or "-" for never.
std::optional<std::pair<int64_t, int64_t>> parse_minor(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    return std::nullopt;
  }
  const auto major = base::parse_int(text.substr(0, dot));
  const auto minor = base::parse_int(text.substr(dot + 1));
  return major && minor ? std::optional(std::pair(*major, *minor)) : std::nullopt;
}

/// The words of each line of the table by "apiVersion kind": versions that deprecated and removed
/// it, and the replacing apiVersion and kind.
using Table = std::map<std::string, std::vector<std::string_view>, std::less<>>;

const Table& table() {
  static const Table parsed = [] {
    Table rows;
    for (std::string_view line : base::split(kDeprecatedApisTable, '\n')) {
      const auto words = base::split(line, ' ');
      if (words.size() == 6 && words[0] != "#") {
        rows.emplace(std::string(words[0]) + " " + std::string(words[1]),
                     std::vector(words.begin() + 2, words.end()));
      }
    }
    return rows;
  }();
  return parsed;
}

}  // namespace

std::optional<std::string> deprecation_of(std::string_view api_version, std::string_view kind,
                                          const helm::KubeVersion& version) {
  const std::string name = std::string(api_version) + " " + std::string(kind);
  const auto found = table().find(name);
  if (found == table().end()) {
    return std::nullopt;
  }
  const std::vector<std::string_view>& row = found->second;
  const auto since = parse_minor(row[0]);
  const auto current = parse_minor(version.major + "." + version.minor);
  if (!since || !current || *since > *current) {
    return std::nullopt;
  }
  std::string text = name + " is deprecated in v" + std::string(row[0]) + "+";
  if (parse_minor(row[1])) {
    text += ", unavailable in v" + std::string(row[1]) + "+";
  }
  if (row[2] != "-") {
    text += "; use " + std::string(row[2]) + " " + std::string(row[3]);
  }
  return text;
}

}  // namespace chartwright::helm
