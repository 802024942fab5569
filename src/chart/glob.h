// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::chart {

/// A pattern of .Files.Glob: `*` and `?` stop at '/', `**` does not, `[a-z] [!abc] {a,b}`,
/// backslash escapes. Immutable, thread-safe. Source: gobwas/glob v0.2.3, compiled with separator
/// '/'.
class Glob {
 public:
  /// Error: kInvalidArgument when the pattern is malformed.
  static base::Result<Glob> compile(std::string_view pattern);
  bool matches(std::string_view name) const;

 private:
  struct Program;
  explicit Glob(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

}  // namespace chartwright::chart
