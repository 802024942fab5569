// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cmd/commands.h"

namespace chartwright::cmd {

/// A page of the manual.
struct ManPage {
  std::string file;  ///< "chartwright-get.1"
  std::string text;  ///< Troff with the macros of man(7).
};

/// Returns the page of the program, and one of each command, made from the same declarations as
/// help. The commands must not be run afterwards.
std::vector<ManPage> man_pages(const Program& program);

/// Returns text as troff shows it: no character of it is a request, and each dash can be copied.
/// Source: groff_char(7), groff(7) "Escape sequences".
std::string to_troff(std::string_view text);

}  // namespace chartwright::cmd
