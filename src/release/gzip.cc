// SPDX-License-Identifier: Apache-2.0
#include "release/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace chartwright::release {
namespace {

constexpr int kAsGzip = 16;  // zlib: what is added to a window's bits wraps the data as gzip.
constexpr int kWindowBitsMin = 9;
constexpr int kWindowBitsMax = 15;

/// The smallest window that spans the data: zlib clears its tables, a quarter of a megabyte with
/// the largest window, for each stream.
int window_bits(size_t bytes) {
  return std::clamp(static_cast<int>(std::bit_width(bytes)), kWindowBitsMin, kWindowBitsMax);
}

Bytef* input_bytes(std::string_view data) {
  // zlib's interface predates const; it only reads.
  return reinterpret_cast<Bytef*>(
      const_cast<char*>(data.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): see above.
}

}  // namespace

std::string gzip(std::string_view data) {
  z_stream stream{};
  const int bits = window_bits(data.size());
  const int memory_level = bits - 7;  // 8, zlib's default, with the largest window.
  CW_CHECK(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, bits + kAsGzip, memory_level,
                        Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, static_cast<uLong>(data.size())), '\0');
  stream.next_in = input_bytes(data);
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CW_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

base::Result<std::string> gunzip(std::string_view data, size_t max_bytes) {
  z_stream stream{};
  CW_CHECK(inflateInit2(&stream, kWindowBitsMax + kAsGzip) == Z_OK);
  stream.next_in = input_bytes(data);
  stream.avail_in = static_cast<uInt>(data.size());
  std::string out;
  std::array<char, 16384> block{};
  int code = Z_OK;
  while (code == Z_OK && out.size() <= max_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(block.data(), block.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (out.size() > max_bytes) {
    return base::Error(base::ErrorCode::kBudget,
                       "record unpacks to more than " + std::to_string(max_bytes) + " bytes");
  }
  if (code != Z_STREAM_END) {
    return base::Error(base::ErrorCode::kParse, "damaged gzip data");
  }
  return out;
}

}  // namespace chartwright::release
