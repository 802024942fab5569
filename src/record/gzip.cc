// SPDX-License-Identifier: Apache-2.0
#include "record/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>

namespace chartwright::record {
namespace {

constexpr int kAsGzip = 16;  // Added to the window bits, this makes zlib use the gzip format.
constexpr int kWindowBitsMin = 9;
constexpr int kWindowBitsMax = 15;
constexpr size_t kPieceBytes = 16384;

/// Returns the smallest window that spans the data. For each stream zlib clears its tables, which
/// take a quarter of a megabyte with the largest window.
int window_bits(size_t bytes) {
  return std::clamp(static_cast<int>(std::bit_width(bytes)), kWindowBitsMin, kWindowBitsMax);
}

/// Begins to compress that many bytes. Returns zlib's code.
int begin_deflate(z_stream& stream, size_t bytes) {
  const int bits = window_bits(bytes);
  const int memory_level = bits - 7;  // With the largest window 8, which is zlib's default.
  return deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, bits + kAsGzip, memory_level,
                      Z_DEFAULT_STRATEGY);
}

/// Makes `stream` read `data`. zlib's interface predates const and counts in 32 bits.
base::Status give_input(z_stream& stream, std::string_view data) {
  if (data.size() > std::numeric_limits<uInt>::max()) {
    return base::Error(base::ErrorCode::kBudget, "zlib takes less than 4 GiB at a time");
  }
  stream.next_in = reinterpret_cast<Bytef*>(
      const_cast<char*>(data.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): see above.
  stream.avail_in = static_cast<uInt>(data.size());
  return {};
}

base::Error zlib_error(std::string_view function, int code) {
  return base::Error(base::ErrorCode::kInternal,
                     std::string(function) + " of zlib failed: " + zError(code));
}

base::Error unpacks_to_more_than(size_t max_bytes) {
  return {base::ErrorCode::kBudget,
          "record unpacks to more than " + std::to_string(max_bytes) + " bytes"};
}

/// Ends a zlib stream when it goes out of scope.
template <auto kEnd>
struct EndStream {
  void operator()(z_stream* stream) const { kEnd(stream); }
};

}  // namespace

base::Result<std::string> gzip(std::string_view data) {
  z_stream stream{};
  CW_TRY_VOID(give_input(stream, data));
  const int begun = begin_deflate(stream, data.size());
  if (begun != Z_OK) {
    return zlib_error("deflateInit2", begun);
  }
  const std::unique_ptr<z_stream, EndStream<deflateEnd>> owned(&stream);
  std::string out(deflateBound(&stream, static_cast<uLong>(data.size())), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out =
      static_cast<uInt>(std::min<size_t>(out.size(), std::numeric_limits<uInt>::max()));
  const int done = deflate(&stream, Z_FINISH);
  if (done != Z_STREAM_END) {
    return zlib_error("deflate", done);
  }
  out.resize(stream.total_out);
  return out;
}

base::Result<size_t> gunzip_pieces(std::string_view data, size_t max_bytes, const TextSink& sink) {
  z_stream stream{};
  CW_TRY_VOID(give_input(stream, data));
  const int begun = inflateInit2(&stream, kWindowBitsMax + kAsGzip);
  if (begun != Z_OK) {
    return zlib_error("inflateInit2", begun);
  }
  const std::unique_ptr<z_stream, EndStream<inflateEnd>> owned(&stream);
  std::array<char, kPieceBytes> block{};
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    code = inflate(&stream, Z_NO_FLUSH);
    if (stream.total_out > max_bytes) {
      return unpacks_to_more_than(max_bytes);
    }
    CW_TRY_VOID(sink({block.data(), block.size() - stream.avail_out}));
  }
  if (code == Z_MEM_ERROR) {
    return zlib_error("inflate", code);
  }
  if (code != Z_STREAM_END) {
    return base::Error(base::ErrorCode::kParse, "damaged gzip data");
  }
  return static_cast<size_t>(stream.total_in);
}

base::Result<GzipMember> gunzip_member(std::string_view data, size_t max_bytes) {
  GzipMember member;
  CW_TRY(member.size, gunzip_pieces(data, max_bytes, [&member](std::string_view text) {
           member.text.append(text);
           return base::Status();
         }));
  return member;
}

base::Result<std::string> gunzip(std::string_view data, size_t max_bytes) {
  std::string out;
  do {
    auto member = gunzip_member(data, max_bytes - out.size());
    if (!member.ok() && member.error().code() == base::ErrorCode::kBudget) {
      return unpacks_to_more_than(max_bytes);
    }
    CW_TRY(const GzipMember next, std::move(member));
    out += next.text;
    data.remove_prefix(next.size);
  } while (!data.empty());
  return out;
}

struct GzipWriter::Stream {
  z_stream zlib{};
  int begun = Z_OK;
  std::string out;
};

GzipWriter::GzipWriter(size_t bytes) : stream_(std::make_unique<Stream>()) {
  stream_->begun = begin_deflate(stream_->zlib, bytes);
}

GzipWriter::~GzipWriter() {
  if (stream_->begun == Z_OK) {
    deflateEnd(&stream_->zlib);
  }
}

base::Status GzipWriter::write(std::string_view text) {
  if (stream_->begun != Z_OK) {
    return zlib_error("deflateInit2", stream_->begun);
  }
  CW_TRY_VOID(give_input(stream_->zlib, text));
  return run(Z_NO_FLUSH);
}

base::Result<std::string> GzipWriter::finish() {
  CW_TRY_VOID(write({}));
  CW_TRY_VOID(run(Z_FINISH));
  return std::move(stream_->out);
}

// Until zlib has taken all input, which it has once it leaves a part of the block free.
base::Status GzipWriter::run(int flush) {
  z_stream& zlib = stream_->zlib;
  std::array<char, kPieceBytes> block{};
  int code = Z_OK;
  do {
    zlib.next_out = reinterpret_cast<Bytef*>(block.data());
    zlib.avail_out = static_cast<uInt>(block.size());
    code = deflate(&zlib, flush);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      return zlib_error("deflate", code);
    }
    stream_->out.append(block.data(), block.size() - zlib.avail_out);
  } while (zlib.avail_out == 0);
  return {};
}

}  // namespace chartwright::record
