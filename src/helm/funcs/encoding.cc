// SPDX-License-Identifier: Apache-2.0
#include <openssl/evp.h>

#include <string>

#include "base/digest.h"
#include "base/openssl_error.h"
#include "go/base_encoding.h"
#include "helm/funcs/families.h"

// Source: Masterminds/sprig v3.3.0 strings.go and crypto.go (checksums).
namespace chartwright::helm::funcs {
namespace {

// Returns the error message as the result, as Sprig does for decoding errors.
std::string text_or_error(Result<std::string> decoded) {
  return decoded.ok() ? std::move(decoded).value() : decoded.error().message();
}

std::string b64enc(std::string_view s) { return go::encode_base64(s); }
std::string b64dec(std::string_view s) { return text_or_error(go::decode_base64(s)); }
std::string b32enc(std::string_view s) { return go::encode_base32(s); }
std::string b32dec(std::string_view s) { return text_or_error(go::decode_base32(s)); }

Result<std::string> hex_digest(std::string_view s, const EVP_MD* algorithm) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  CW_TRY_OPENSSL(EVP_Digest(s.data(), s.size(), digest, &size, algorithm, nullptr));
  return base::hex_encode({reinterpret_cast<const char*>(digest), size});
}

Result<std::string> sha1sum(std::string_view s) { return hex_digest(s, EVP_sha1()); }
Result<std::string> sha256sum(std::string_view s) { return hex_digest(s, EVP_sha256()); }
Result<std::string> sha512sum(std::string_view s) { return hex_digest(s, EVP_sha512()); }

// Returns the Adler-32 checksum (RFC 1950) in decimal.
std::string adler32sum(std::string_view s) {
  constexpr uint32_t kPrime = 65521;
  uint32_t sum = 1;
  uint32_t sum_of_sums = 0;
  for (char c : s) {
    sum = (sum + static_cast<unsigned char>(c)) % kPrime;
    sum_of_sums = (sum_of_sums + sum) % kPrime;
  }
  return std::to_string((sum_of_sums << 16U) | sum);
}

}  // namespace

void add_encoding(Table& table) {
  table.add("b64enc", b64enc);
  table.add("b64dec", b64dec);
  table.add("b32enc", b32enc);
  table.add("b32dec", b32dec);
  table.add("sha1sum", sha1sum);
  table.add("sha256sum", sha256sum);
  table.add("sha512sum", sha512sum);
  table.add("adler32sum", adler32sum);
}

}  // namespace chartwright::helm::funcs
