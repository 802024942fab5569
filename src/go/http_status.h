// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace chartwright::go {

/// Returns the text of an HTTP status ("Not Found"), or "" if it has none. Source: Go net/http
/// StatusText.
std::string_view http_status_text(int status);

}  // namespace chartwright::go
