// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "funcs/regexp.h"

namespace chartwright::chart {

/// A pattern of .Files.Glob: `*` and `?` stop at '/', `**` does not, `[a-z] [!abc] {a,b}`,
/// backslash escapes. Immutable, thread-safe. Source: gobwas/glob v0.2.3, compiled with separator
/// '/'.
class Glob {
 public:
  /// Error: kInvalidArgument when the pattern is malformed.
  static base::Result<Glob> compile(std::string_view pattern);
  bool matches(std::string_view name) const;
  /// What compiling a pattern of so many bytes may take, in bytes that are looked at.
  static size_t compile_work(size_t pattern_bytes) {
    return funcs::Regexp::compile_work(pattern_bytes);
  }
  /// What matching a name of so many bytes may take, in bytes that are looked at.
  size_t match_work(size_t name_bytes) const { return regexp_.search_work(name_bytes); }

 private:
  explicit Glob(funcs::Regexp regexp) : regexp_(std::move(regexp)) {}
  funcs::Regexp regexp_;
};

}  // namespace chartwright::chart
