// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::kube {

// The API server's rules for names, used to reject a bad configuration before any request is made.
// Source: kubernetes/apimachinery pkg/util/validation/validation.go.

/// Reports whether `text` is valid as an API group or an object's name, such as "blog.example.com"
/// (IsDNS1123Subdomain).
bool is_dns_subdomain(std::string_view text);
/// Reports whether `text` is valid as an API version or a lower-case kind, such as "v1alpha1"
/// (IsDNS1035Label).
bool is_dns_label(std::string_view text);
/// Reports whether `text` is a valid label key, such as "app" or "example.com/app"
/// (IsQualifiedName).
bool is_label_key(std::string_view text);
/// Reports whether `text` is a valid label value (IsValidLabelValue). It may be empty.
bool is_label_value(std::string_view text);

/// The value of a label, which can stand in a selector as it is. Immutable.
class LabelValue {
 public:
  LabelValue() = default;  ///< The empty value.
  /// Error: kInvalidArgument with the rule that `text` breaks, without its position.
  static base::Result<LabelValue> parse(std::string_view text);

  const std::string& text() const { return text_; }
  auto operator<=>(const LabelValue&) const = default;

 private:
  explicit LabelValue(std::string_view text) : text_(text) {}
  std::string text_;
};

}  // namespace chartwright::kube
