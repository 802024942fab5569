// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "value/value.h"

// Defaults of a chart that may be credentials. They are not secret in a cluster, but charts come
// with passwords that nobody should copy from a page or a sample.
namespace chartwright::bundle {

/// Reports whether a value of this name is probably a credential: "rootPassword", "api_key".
bool names_credential(std::string_view key);

/// Reports whether a text is one whatever its name: a private key, or a URL with a password.
bool is_credential(std::string_view text);

/// Returns a copy in which every text that is a credential, by its name (`key` for the value
/// itself) or its content, is empty, and every number of such a name is 0.
value::Value without_credentials(std::string_view key, const value::Value& value);

}  // namespace chartwright::bundle
