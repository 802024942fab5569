// SPDX-License-Identifier: Apache-2.0
#include "base/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <limits>

#include "base/check.h"

namespace chartwright::base {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const unsigned char* as_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// The six bits that `c` stands for, or -1.
int sextet(char c) {
  const size_t at = kAlphabet.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

Error invalid_base64(size_t offset) {
  return Error(ErrorCode::kParse, "illegal base64 data at input byte " + std::to_string(offset));
}

}  // namespace

std::string hex_encode(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 0xFU];
  }
  return out;
}

std::string uuid_v4(std::string random) {
  CW_CHECK(random.size() == 16);
  random[6] = static_cast<char>((static_cast<unsigned char>(random[6]) & 0x0FU) | 0x40U);
  random[8] = static_cast<char>((static_cast<unsigned char>(random[8]) & 0x3FU) | 0x80U);
  std::string id = hex_encode(random);
  for (const size_t at : {8U, 13U, 18U, 23U}) {
    id.insert(at, 1, '-');
  }
  return id;
}

std::string sha256_hex(std::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  // Fails only when the library has no SHA-256 or no memory: nothing that input can bring about.
  CW_CHECK(EVP_Digest(data.data(), data.size(), digest.data(), &length, EVP_sha256(), nullptr) ==
           1);
  return hex_encode({reinterpret_cast<const char*>(digest.data()), length});
}

std::string hmac_sha256_hex(std::string_view key, std::string_view data) {
  CW_CHECK(key.size() <= static_cast<size_t>(std::numeric_limits<int>::max()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  CW_CHECK(HMAC(EVP_sha256(), key.empty() ? "" : key.data(), static_cast<int>(key.size()),
                as_bytes(data), data.size(), digest.data(), &length) != nullptr);
  return hex_encode({reinterpret_cast<const char*>(digest.data()), length});
}

std::string base64_encode(std::string_view data) {
  std::string out;
  out.reserve((data.size() + 2) / 3 * 4);
  for (size_t i = 0; i < data.size(); i += 3) {
    const size_t have = std::min<size_t>(3, data.size() - i);
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < have ? static_cast<unsigned char>(data[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      out += j <= have ? kAlphabet[group >> (18 - 6 * j) & 0x3F] : '=';
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
    const size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] == '=' ? 2 : 1;
    uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      const int bits = j >= 4 - padding ? 0 : sextet(text[i + j]);
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

std::string random_bytes(size_t count) {
  CW_CHECK(count <= static_cast<size_t>(std::numeric_limits<int>::max()));
  std::string out(count, '\0');
  CW_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(count)) == 1);
  return out;
}

}  // namespace chartwright::base
