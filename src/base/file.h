// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace chartwright::base {

/// Reads a whole file of at most `max_bytes`. Errors: kNotFound ("open P: no such file or
/// directory"), kForbidden, kInvalidArgument (a directory), kBudget (too large).
Result<std::string> read_file(const std::string& path, size_t max_bytes);

/// A file of one line that a process keeps open to say what it is doing, so that saying it costs
/// one system call and no change of a folder. Whoever reads it, after a kill of the process too,
/// finds one line as it was written, and behind it what longer ones have left. Only this user may
/// read it. It is not forced to the disk. Not thread-safe.
class NoteFile {
 public:
  /// Creates an empty file. Errors: kAlreadyExists, and as of opening a file.
  static Result<NoteFile> create(const std::string& path);
  /// Replaces the line; `line` has no line break. Error: what writing fails with.
  Status write(std::string_view line);

 private:
  explicit NoteFile(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace chartwright::base
