// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "value/value.h"

// Defaults of a chart that may be credentials. They are not secret in a cluster, but charts come
// with passwords that nobody should copy from a page or a sample.
namespace chartwright::defaults {

/// The scalars of a place that its name makes credentials. Booleans, null and empty texts are none.
enum class Secrecy : uint8_t {
  kNone,
  kTexts,  ///< Numbers are shown, such as the user ID of a process.
  kAll,    ///< Numbers may be credentials, too.
};

/// Reports whether a value of this name is probably a credential: "rootPassword", "api_key".
bool names_credential(std::string_view key);

/// Returns the secrecy of the member `key` of a table of the secrecy `around`. A member of a
/// table of credentials is one, too, unless its name is that of a property: "path", "runAsUser".
Secrecy secrecy_of(std::string_view key, Secrecy around = Secrecy::kNone);

/// Reports whether a text is a credential whatever its name: a private key, or a URL with a
/// password.
bool is_credential(std::string_view text);

/// Returns a copy in which every text that is a credential, by its name or its content, is empty,
/// and every number that is one is 0.
value::Value without_credentials(Secrecy secrecy, const value::Value& value);

}  // namespace chartwright::defaults
