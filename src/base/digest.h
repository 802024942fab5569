// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::base {

/// Returns the SHA-256 of `data` in lower-case hex.
std::string sha256_hex(std::string_view data);
/// Returns the HMAC-SHA256 of `data` under `key` in lower-case hex. `key` is binary and of any
/// length. Errors: kInternal if OpenSSL fails, kInvalidArgument if the key is longer than
/// OpenSSL accepts.
Result<std::string> hmac_sha256_hex(const std::string& key, std::string_view data);
/// Encodes each byte as two lower-case hex digits.
std::string hex_encode(std::string_view bytes);
/// Encodes with the standard alphabet and padding.
std::string base64_encode(std::string_view data);
/// Decodes strictly, with the standard alphabet and padding. Error: kParse.
Result<std::string> base64_decode(std::string_view text);
/// Fills `out` from the system's random generator. Error: kInternal if the generator fails.
Status fill_random(std::span<uint8_t> out);
/// Returns `count` bytes from the system's random generator. Error: kInternal if the
/// generator fails.
Result<std::string> random_bytes(size_t count);
/// Returns a seed for delays that should differ between processes. If the system's random generator
/// fails, the seed is always the same, which is acceptable.
uint32_t random_seed();
/// Returns the version 4 UUID made from `random`. Source: RFC 9562 section 5.4.
std::string uuid_v4(std::array<uint8_t, 16> random);

}  // namespace chartwright::base
