// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::record {

/// Compresses `data` into a gzip member with the best ratio and no timestamp, so that equal input
/// gives equal output. Errors: kBudget (4 GiB or more), kInternal (out of memory).
base::Result<std::string> gzip(std::string_view data);
/// The first member of gzip data.
struct GzipMember {
  std::string text;
  size_t size = 0;  ///< The size of the compressed member, in bytes.
};

/// Decompresses the first gzip member of `data`. Errors: kParse (not gzip, or damaged), kBudget
/// (more than `max_bytes`, or 4 GiB of `data`), kInternal (out of memory).
base::Result<GzipMember> gunzip_member(std::string_view data, size_t max_bytes);
/// Decompresses all members of `data`, which may have nothing else, to one text. Errors: as above,
/// where `max_bytes` is for all of them.
base::Result<std::string> gunzip(std::string_view data, size_t max_bytes);

/// Receives text as it is decompressed. An error ends that.
using TextSink = std::function<base::Status(std::string_view text)>;

/// Decompresses the first gzip member of `data` piece by piece, so that no more than a piece is in
/// memory. Returns the size of the member, compressed. Errors: as gunzip_member, and those of
/// `sink`.
base::Result<size_t> gunzip_pieces(std::string_view data, size_t max_bytes, const TextSink& sink);

/// Compresses text that arrives piece by piece into one gzip member, as gzip() does.
class GzipWriter {
 public:
  /// `bytes` is the size of the whole text; another size only costs time or space.
  explicit GzipWriter(size_t bytes);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  /// Errors: as gzip().
  base::Status write(std::string_view text);
  /// Ends the member, and returns it. Errors: as gzip().
  base::Result<std::string> finish();

 private:
  struct Stream;
  base::Status run(int flush);

  std::unique_ptr<Stream> stream_;
};

}  // namespace chartwright::record
