// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::go {

/// "some_words" and "some words" become "SomeWords"; leading and doubled connectors stay.
/// Source: huandu/xstrings v1.5.0 convert.go ToPascalCase.
std::string pascal_case(std::string_view text);

/// "HTTPServer2xx" becomes "http_server_2xx" with '_' as connector.
/// Source: huandu/xstrings v1.5.0 convert.go ToSnakeCase, ToKebabCase.
std::string split_case(std::string_view text, char connector);

}  // namespace chartwright::go
