// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace chartwright::kube {

// The API server's rules for names, to object to a configuration before a request does.
// Source: kubernetes/apimachinery pkg/util/validation/validation.go.

/// "blog.example.com": an API group, or an object's name (IsDNS1123Subdomain).
bool is_dns_subdomain(std::string_view text);
/// "v1alpha1": a version of an API, a kind in lower case (IsDNS1035Label).
bool is_dns_label(std::string_view text);
/// "app" or "example.com/app": a label's key (IsQualifiedName).
bool is_label_key(std::string_view text);
/// A label's value (IsValidLabelValue); may be empty.
bool is_label_value(std::string_view text);

}  // namespace chartwright::kube
