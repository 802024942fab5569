// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tmpl/ast.h"

namespace chartwright::bundle {

/// Stands in a line for what an action writes; no YAML may contain it.
inline constexpr char kWrittenMark = '\x01';

/// A line that a template may write.
struct WrittenLine {
  std::string text;
  std::vector<size_t> offsets;          ///< The place of each byte of `text` in the template.
  const tmpl::Pipe* written = nullptr;  ///< The last action in the line.
  bool branches = false;                ///< Parts of it are alternatives, one after another.
  bool conditional = false;             ///< A branch or a loop writes it, or a part of it.
};

/// Returns the lines of all branches of a template, one after another: `else` after `if`, and the
/// body of a loop once. The pointers are into `tree`.
std::vector<WrittenLine> written_lines(const tmpl::Tree& tree);

/// Reports whether the last action in a line may write more than its rest: other lines, too.
bool may_write_lines(const WrittenLine& line);

}  // namespace chartwright::bundle
