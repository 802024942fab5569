// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The addresses that Helm's linter accepts in Chart.yaml.
// Source: asaskevich/govalidator patterns.go, validator.go.
namespace chartwright::helm {

/// Reports whether `text` is an e-mail address in the syntax of RFC 5322 and 6531.
bool is_email(std::string_view text);
/// Reports whether `text` is a web address; the scheme may be missing.
bool is_url(std::string_view text);
/// Reports whether `text` is an address with a scheme.
bool is_request_url(std::string_view text);

}  // namespace chartwright::helm
