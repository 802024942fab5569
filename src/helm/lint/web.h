// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// What Helm's linter accepts as addresses in Chart.yaml.
// Source: asaskevich/govalidator patterns.go, validator.go.
namespace chartwright::helm::lint {

/// An e-mail address in the syntax of RFC 5322 and 6531.
bool is_email(std::string_view text);
/// A web address, of which the scheme may be missing.
bool is_url(std::string_view text);
/// An address with a scheme.
bool is_request_url(std::string_view text);

}  // namespace chartwright::helm::lint
