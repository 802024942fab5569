// SPDX-License-Identifier: Apache-2.0
#include "base/signer.h"

#include <utility>

#include "base/digest.h"

namespace chartwright::base {

Result<Signer> Signer::make(const std::string& master, std::string_view uid) {
  std::string context = "chartwright custom resource ";
  context += uid;
  CW_TRY(std::string key, hmac_sha256_hex(master, context));
  return Signer(std::move(key));
}

// No purpose has a zero byte: where it ends is not in doubt.
Result<std::string> Signer::sign(std::string_view purpose, std::string_view text) const {
  std::string all(purpose);
  all += '\0';
  all += text;
  return hmac_sha256_hex(key_, all);
}

Result<bool> Signer::verifies(std::string_view purpose, std::string_view text,
                              std::string_view signature) const {
  CW_TRY(const std::string expected, sign(purpose, text));
  if (signature.size() != expected.size()) {
    return false;
  }
  unsigned difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference |=
        static_cast<unsigned char>(expected[i]) ^ static_cast<unsigned char>(signature[i]);
  }
  return difference == 0;
}

}  // namespace chartwright::base
