// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::archive {

/// An entry of an archive, as its header describes it. It may lie.
struct Entry {
  std::string name;  ///< It may be absolute, or lead out of every folder.
  bool is_folder = false;
  uint64_t size = 0;  ///< In bytes.
};

/// Reads a .tgz that is in memory, entry by entry. Not thread-safe. The errors of all calls are
/// kInvalidArgument, with the words of libarchive about what is broken.
class TarReader {
 public:
  /// `gzipped` must outlive the reader.
  static base::Result<TarReader> open(std::string_view gzipped);
  TarReader(TarReader&&) noexcept;
  TarReader& operator=(TarReader&&) noexcept;
  ~TarReader();

  /// Goes to the next entry; nullopt: there are no more.
  base::Result<std::optional<Entry>> next();
  /// Returns the data of that entry, `size` bytes of it at most.
  base::Result<std::string> read(size_t size);

 private:
  struct Handle;
  explicit TarReader(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

}  // namespace chartwright::archive
