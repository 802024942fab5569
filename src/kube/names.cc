// SPDX-License-Identifier: Apache-2.0
#include "kube/names.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"

namespace chartwright::kube {
namespace {

constexpr size_t kLabelMax = 63;
constexpr size_t kSubdomainMax = 253;

bool is_lower_alphanumeric(char c) { return base::is_ascii_lower(c) || base::is_ascii_digit(c); }

// part: alphanumeric { alphanumeric | "-" } alphanumeric, all in lower case
bool is_subdomain_part(std::string_view text) {
  return !text.empty() && is_lower_alphanumeric(text.front()) &&
         is_lower_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return c == '-' || is_lower_alphanumeric(c); });
}

}  // namespace

bool is_dns_subdomain(std::string_view text) {
  return text.size() <= kSubdomainMax &&
         std::ranges::all_of(base::split(text, '.'), is_subdomain_part);
}

bool is_dns_label(std::string_view text) {
  return text.size() <= kLabelMax && is_subdomain_part(text) && base::is_ascii_lower(text.front());
}

bool is_label_key(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (!is_dns_subdomain(text.substr(0, slash))) {
      return false;
    }
    text.remove_prefix(slash + 1);
  }
  return !text.empty() && is_label_value(text);
}

bool is_label_value(std::string_view text) {
  return text.empty() ||
         (text.size() <= kLabelMax && base::is_ascii_alphanumeric(text.front()) &&
          base::is_ascii_alphanumeric(text.back()) && std::ranges::all_of(text, [](char c) {
            return c == '-' || c == '_' || c == '.' || base::is_ascii_alphanumeric(c);
          }));
}

base::Result<LabelValue> LabelValue::parse(std::string_view text) {
  if (is_label_value(text)) {
    return LabelValue(text);
  }
  if (text.size() > kLabelMax) {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       "a label has no more than " + std::to_string(kLabelMax) +
                           " characters, not " + std::to_string(text.size()));
  }
  return base::Error(base::ErrorCode::kInvalidArgument,
                     "a label has only the characters A-Z, a-z, 0-9, \"-\", \"_\" and \".\", and "
                     "begins and ends with a letter or digit");
}

}  // namespace chartwright::kube
