// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "base/result.h"
#include "go/regexp.h"

namespace chartwright::helm {

/// A pattern of .Files.Glob: `*` and `?` stop at '/', `**` does not, `[a-z] [!abc] {a,b}`,
/// backslash escapes. Immutable, thread-safe. Source: gobwas/glob v0.2.3, compiled with separator
/// '/'.
class Glob {
 public:
  /// Compiles a pattern, through the cache. Error: kInvalidArgument if it is malformed.
  static base::Result<Glob> compile(std::string_view pattern, go::RegexpCache& cache);
  bool matches(std::string_view name) const;
  /// Returns the maximum work of compiling a pattern of so many bytes, in bytes examined.
  static size_t compile_work(size_t pattern_bytes) {
    return go::Regexp::compile_work(pattern_bytes);
  }
  /// Returns the maximum work of matching a name of so many bytes, in bytes examined.
  size_t match_work(size_t name_bytes) const { return regexp_.search_work(name_bytes); }

 private:
  explicit Glob(go::Regexp regexp) : regexp_(std::move(regexp)) {}
  go::Regexp regexp_;
};

}  // namespace chartwright::helm
