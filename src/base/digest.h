// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::base {

/// Lower-case hex SHA-256 of `data`.
std::string sha256_hex(std::string_view data);
/// Lower-case hex HMAC-SHA256 of `data` under `key`, which is bytes of any number. Errors:
/// kInternal where OpenSSL fails, kInvalidArgument for a key longer than it takes.
Result<std::string> hmac_sha256_hex(const std::string& key, std::string_view data);
/// Two lower-case digits for each byte.
std::string hex_encode(std::string_view bytes);
/// Standard alphabet with padding.
std::string base64_encode(std::string_view data);
/// Strict standard alphabet with padding. Error: kParse.
Result<std::string> base64_decode(std::string_view text);
/// Fills `out` from the system's generator. Error: kInternal where that fails.
Status fill_random(std::span<uint8_t> out);
/// `count` bytes from the system's generator. Error: kInternal where that fails.
Result<std::string> random_bytes(size_t count);
/// A seed for delays that should differ between processes; always the same where the system's
/// generator fails, for then they need not.
uint32_t random_seed();
/// The UUID of version 4 that `random` makes. Source: RFC 9562 section 5.4.
std::string uuid_v4(std::array<uint8_t, 16> random);

}  // namespace chartwright::base
