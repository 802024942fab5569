// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "value/value.h"

// What an execution knows about its own failure beyond Go's text, for those who explain it. Nothing
// of this is gathered before something has failed.
namespace chartwright::tmpl {

/// One of the templates that were running.
struct FailedFrame {
  base::SourcePos pos;  ///< Of the node that failed, or that called the next inner template.
  std::string name;     ///< Of the template: another one than pos.file inside a `define`.
};

/// A field that the failing statement reads, followed through maps as far as they lead. No method
/// and no function is called for it.
struct Operand {
  enum class Reach : uint8_t {
    kMissing,  ///< `holder` has no `key`.
    kCut,      ///< What is there is no map, and more names follow.
    kWhole,    ///< All names have been followed.
    kElement,  ///< As kCut, but the names are asked of an element of what is there, by a range.
  };
  std::string text;     ///< Up to `key`, as the template has it: ".Values.image".
  value::Value holder;  ///< The last map on the way.
  std::string key;      ///< What is looked up in it.
  std::string next;     ///< The name after that; empty where there is none.
  value::Value found;   ///< What the holder has there; nil with kMissing. Not for printing.
  Reach reach = Reach::kMissing;
};

/// Filled by the first error of an execution (ExecOptions::failure). Not thread-safe.
struct Failure {
  static constexpr size_t kFramesMax = 32;
  static constexpr size_t kOperandsMax = 4;

  std::vector<FailedFrame> frames;  ///< Innermost first; past kFramesMax only the outermost.
  size_t frames_left_out = 0;       ///< Between the last two frames.
  std::vector<Operand> operands;    ///< Of the innermost statement.
  std::string meant;                ///< A template whose name is near to one that does not exist.

  void add_frame(FailedFrame frame);
};

}  // namespace chartwright::tmpl
