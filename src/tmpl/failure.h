// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "value/value.h"

// Details of a failed execution beyond Go's error message, for code that explains the error. None
// of this is collected until an execution has failed.
namespace chartwright::tmpl {

/// One of the templates that were running when the execution failed.
struct FailedFrame {
  base::SourcePos pos;  ///< The place of the node that failed, or called the next inner template.
  std::string name;     ///< The name of the template; differs from pos.file inside a `define`.
};

/// A field that the failing statement reads, followed through maps as far as possible, without
/// calling methods or functions.
struct Operand {
  enum class Reach : uint8_t {
    kMissing,  ///< `holder` has no `key`.
    kCut,      ///< The value found is not a map, but more names follow.
    kWhole,    ///< All names have been followed.
    kElement,  ///< Like kCut, but the names are looked up in an element of the value, by a range.
  };
  std::string text;     ///< The expression up to `key`, as in the template: ".Values.image".
  value::Value holder;  ///< The last map on the path.
  std::string key;      ///< The name looked up in `holder`.
  std::string next;     ///< The name after `key`; empty if there is none.
  value::Value found;   ///< The member `key` of `holder`; nil with kMissing. Not for printing.
  Reach reach = Reach::kMissing;
};

/// Filled by the first error of an execution (ExecOptions::failure). Not thread-safe.
struct Failure {
  static constexpr size_t kFramesMax = 32;
  static constexpr size_t kOperandsMax = 4;

  std::vector<FailedFrame> frames;  ///< Innermost first; beyond kFramesMax only the outermost.
  size_t frames_left_out = 0;       ///< Omitted between the last two frames.
  std::vector<Operand> operands;    ///< The operands of the innermost statement.
  std::string meant;                ///< The template whose name is closest to the unknown one.

  void add_frame(FailedFrame frame);
};

}  // namespace chartwright::tmpl
