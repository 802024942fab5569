// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace chartwright::base {

/// Reads a whole file of at most `max_bytes`. Errors: kNotFound ("open P: no such file or
/// directory"), kForbidden, kInvalidArgument (a directory), kBudget (too large).
Result<std::string> read_file(const std::string& path, size_t max_bytes);

/// Writes a file as a whole: a reader sees the old text or the new one. A file that exists keeps
/// its permissions; a symbolic link is replaced, not followed. It is not synced to disk. Errors:
/// those of read_file, and kInternal if the disk is full.
Status replace_file(const std::string& path, std::string_view text);

enum class Overwrite : uint8_t { kNo, kYes };
/// Writes a file as a whole that only the current user can read, whatever permissions one of that
/// name has had. A symbolic link is replaced, not followed. It is not synced to disk. Errors: those
/// of replace_file, and kAlreadyExists with Overwrite::kNo if something of that name exists.
Status write_private_file(const std::string& path, std::string_view text, Overwrite overwrite);

/// A one-line file that a process keeps open to record what it is doing. An update costs one system
/// call and does not modify a directory. A reader, even after the process was killed, finds one
/// complete line, possibly followed by remains of longer earlier lines. Only the current user can
/// read the file. It is not synced to disk. Not thread-safe.
class NoteFile {
 public:
  /// Creates an empty file. Errors: kAlreadyExists, and those of opening a file.
  static Result<NoteFile> create(const std::string& path);
  /// Replaces the line. `line` must not contain a line break. Error: kInternal if writing fails.
  Status write(std::string_view line);

 private:
  explicit NoteFile(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace chartwright::base
