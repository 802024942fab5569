// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::tmpl {

/// Source: Go text/template.HTMLEscapeString.
std::string escape_html(std::string_view text);
/// Source: Go text/template.JSEscapeString.
std::string escape_js(std::string_view text);

}  // namespace chartwright::tmpl
