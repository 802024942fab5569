// SPDX-License-Identifier: Apache-2.0
// SHA256_Init and its relatives allocate no memory, so they cannot fail. Nine in ten digests are
// made where an error could not be returned.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <bit>

#include "base/openssl_error.h"
#include "base/schedule.h"

namespace chartwright::base {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The six bits that each byte stands for, or -1.
constexpr std::array<int8_t, 256> kSextets = [] {
  std::array<int8_t, 256> sextets{};
  sextets.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    sextets[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  return sextets;
}();

// Returns the 24 bits of three bytes; missing ones are zero.
uint32_t group_of(std::string_view bytes) {
  uint32_t group = 0;
  for (size_t i = 0; i < 3; ++i) {
    group = group << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  }
  return group;
}

Error invalid_base64(size_t offset) {
  return Error(ErrorCode::kParse, "illegal base64 data at input byte " + std::to_string(offset));
}

/// Returns how many of the last four characters are padding.
size_t padding_of(std::string_view four) {
  if (four[3] != '=') {
    return 0;
  }
  return four[2] == '=' ? 2 : 1;
}

}  // namespace

std::string hex_encode(std::string_view bytes) {
  std::string out(bytes.size() * 2, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    out[2 * i] = kHexDigits[byte >> 4U];
    out[2 * i + 1] = kHexDigits[byte & 0xFU];
  }
  return out;
}

std::string uuid_v4(std::array<uint8_t, 16> random) {
  random[6] = static_cast<uint8_t>((random[6] & 0x0FU) | 0x40U);
  random[8] = static_cast<uint8_t>((random[8] & 0x3FU) | 0x80U);
  std::string id = hex_encode({reinterpret_cast<const char*>(random.data()), random.size()});
  for (const size_t at : {8U, 13U, 18U, 23U}) {
    id.insert(at, 1, '-');
  }
  return id;
}

std::string sha256_hex(std::string_view data) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, data.data(), data.size());
  SHA256_Final(digest.data(), &state);
  return hex_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

Result<std::string> hmac_sha256_hex(const std::string& key, std::string_view data) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  CW_TRY(const int key_length, openssl_length(key.size()));
  CW_TRY_OPENSSL(HMAC(EVP_sha256(), key.data(), key_length,
                      reinterpret_cast<const unsigned char*>(data.data()), data.size(),
                      digest.data(), nullptr));
  return hex_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string base64_encode(std::string_view data) {
  std::string out((data.size() + 2) / 3 * 4, '=');
  for (size_t i = 0, at = 0; i < data.size(); i += 3, at += 4) {
    const std::string_view three = data.substr(i, 3);
    const uint32_t group = group_of(three);
    for (size_t j = 0; j <= three.size(); ++j) {
      out[at + j] = kAlphabet[group >> (18 - 6 * j) & 0x3F];
    }
  }
  return out;
}

Result<std::string> base64_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    if (text.size() - i < 4) {
      return invalid_base64(i);
    }
    const bool last = i + 4 == text.size();
    const size_t padding = last ? padding_of(text.substr(i)) : 0;
    uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      const int bits = j >= 4 - padding ? 0 : kSextets[static_cast<unsigned char>(text[i + j])];
      if (bits < 0) {
        return invalid_base64(i + j);
      }
      group = group << 6 | static_cast<uint32_t>(bits);
    }
    for (size_t j = 0; j < 3 - padding; ++j) {
      out += static_cast<char>(group >> (16 - 8 * j) & 0xFF);
    }
  }
  return out;
}

Status fill_random(std::span<uint8_t> out) {
  if (Schedule* schedule = Schedule::current()) {
    schedule->draw(out);
    return {};
  }
  CW_TRY(const int count, openssl_length(out.size()));
  CW_TRY_OPENSSL(RAND_bytes(out.data(), count));
  return {};
}

Result<std::string> random_bytes(size_t count) {
  std::string out(count, '\0');
  CW_TRY_VOID(fill_random({reinterpret_cast<uint8_t*>(out.data()), out.size()}));
  return out;
}

uint32_t random_seed() {
  std::array<uint8_t, sizeof(uint32_t)> bytes{};
  static_cast<void>(fill_random(bytes));
  return std::bit_cast<uint32_t>(bytes);
}

}  // namespace chartwright::base
