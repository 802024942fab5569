// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chartwright::base {

/// Whether <, > and & are escaped as \u003c, \u003e and \u0026.
enum class JsonEscape : uint8_t { kHtml, kNone };

/// Appends `text` as a quoted JSON string. Escapes control characters, U+2028 and U+2029; replaces
/// each invalid UTF-8 byte with \ufffd. Source: Go encoding/json appendString.
void append_json_string(std::string& out, std::string_view text, JsonEscape escape);

}  // namespace chartwright::base
