// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The texts of charts and servers must not control the terminal on which they are shown.
namespace chartwright::base {

/// Returns `text` in one line, with characters that cannot be printed as \n, \t, \uXXXX or
/// \UXXXXXXXX.
std::string printable(std::string_view text);
/// Returns `text` with the characters that control a terminal, or the order in which others are
/// shown, as \uXXXX. Keeps line breaks and tabs.
std::string printable_lines(std::string_view text);

}  // namespace chartwright::base
