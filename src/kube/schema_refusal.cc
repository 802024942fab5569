// SPDX-License-Identifier: Apache-2.0
#include "kube/schema_refusal.h"

#include <algorithm>
#include <string>

namespace chartwright::kube {
namespace {

using base::ErrorCause;

constexpr std::string_view kBeginning = "failed to create typed patch object (";
constexpr std::string_view kUndeclared = ": field not declared in schema";
constexpr std::string_view kDuplicate = ": duplicate entries for key ";
// A body of this many faults is not worth a second look.
constexpr size_t kCausesMax = 1000;

ErrorCause cause_in(std::string_view line) {
  if (line.ends_with(kUndeclared)) {
    line.remove_suffix(kUndeclared.size());
    return {std::string(kUndeclaredField), "field not declared in schema", std::string(line)};
  }
  if (const size_t at = line.rfind(kDuplicate); at != std::string_view::npos) {
    return {std::string(kDuplicateKey), std::string(line.substr(at + kDuplicate.size())),
            std::string(line.substr(0, at))};
  }
  const size_t colon = line.find(": ");
  const bool has_path = line.starts_with('.') && colon != std::string_view::npos;
  return {std::string(kUnfitValue), std::string(has_path ? line.substr(colon + 2) : line),
          std::string(has_path ? line.substr(0, colon) : "")};
}

}  // namespace

// One fault follows the object on the same line. Several follow "errors:", one a line, indented.
std::vector<ErrorCause> schema_causes(std::string_view message) {
  std::vector<ErrorCause> causes;
  const size_t object_end = message.find("): ");
  if (!message.starts_with(kBeginning) || object_end == std::string_view::npos) {
    return causes;
  }
  std::string_view rest = message.substr(object_end + 3);
  constexpr std::string_view kSeveral = "errors:\n";
  rest.remove_prefix(rest.starts_with(kSeveral) ? kSeveral.size() : 0);
  while (!rest.empty() && causes.size() < kCausesMax) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    // The server ends its message with a space or a line break.
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    if (!line.empty()) {
      causes.push_back(cause_in(line));
    }
  }
  return causes;
}

}  // namespace chartwright::kube
