// SPDX-License-Identifier: Apache-2.0
#include "release/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>

namespace chartwright::release {
namespace {

constexpr int kAsGzip = 16;  // Added to the window bits, this makes zlib use the gzip format.
constexpr int kWindowBitsMin = 9;
constexpr int kWindowBitsMax = 15;

/// Returns the smallest window that spans the data. For each stream zlib clears its tables, which
/// take a quarter of a megabyte with the largest window.
int window_bits(size_t bytes) {
  return std::clamp(static_cast<int>(std::bit_width(bytes)), kWindowBitsMin, kWindowBitsMax);
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
  const int bits = window_bits(data.size());
  const int memory_level = bits - 7;  // With the largest window 8, which is zlib's default.
  const int begun = deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, bits + kAsGzip,
                                 memory_level, Z_DEFAULT_STRATEGY);
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

base::Result<GzipMember> gunzip_member(std::string_view data, size_t max_bytes) {
  z_stream stream{};
  CW_TRY_VOID(give_input(stream, data));
  const int begun = inflateInit2(&stream, kWindowBitsMax + kAsGzip);
  if (begun != Z_OK) {
    return zlib_error("inflateInit2", begun);
  }
  const std::unique_ptr<z_stream, EndStream<inflateEnd>> owned(&stream);
  GzipMember member;
  std::array<char, 16384> block{};
  int code = Z_OK;
  while (code == Z_OK && member.text.size() <= max_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    code = inflate(&stream, Z_NO_FLUSH);
    member.text.append(block.data(), block.size() - stream.avail_out);
  }
  if (member.text.size() > max_bytes) {
    return unpacks_to_more_than(max_bytes);
  }
  if (code == Z_MEM_ERROR) {
    return zlib_error("inflate", code);
  }
  if (code != Z_STREAM_END) {
    return base::Error(base::ErrorCode::kParse, "damaged gzip data");
  }
  member.size = stream.total_in;
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

}  // namespace chartwright::release
