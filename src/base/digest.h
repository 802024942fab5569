// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::base {

/// Lower-case hex SHA-256 of `data`.
std::string sha256_hex(std::string_view data);
/// Lower-case hex HMAC-SHA-256: for hashes of Secret contents that appear in status.
std::string hmac_sha256_hex(std::string_view key, std::string_view data);
/// Two lower-case digits for each byte.
std::string hex_encode(std::string_view bytes);
/// Standard alphabet with padding.
std::string base64_encode(std::string_view data);
/// Strict standard alphabet with padding. Error: kParse.
Result<std::string> base64_decode(std::string_view text);
/// `count` bytes from the system's generator.
std::string random_bytes(size_t count);
/// The UUID of version 4 that `random` makes; 16 bytes. Source: RFC 9562 section 5.4.
std::string uuid_v4(std::string random);

}  // namespace chartwright::base
