// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::helm::funcs {

/// Converts "some_words" and "some words" to "SomeWords"; keeps leading and repeated connectors.
/// Source: huandu/xstrings v1.5.0 convert.go ToPascalCase.
std::string pascal_case(std::string_view text);

/// Converts "HTTPServer2xx" to "http_server_2xx" if `connector` is '_'.
/// Source: huandu/xstrings v1.5.0 convert.go ToSnakeCase, ToKebabCase.
std::string split_case(std::string_view text, char connector);

}  // namespace chartwright::helm::funcs
