// SPDX-License-Identifier: Apache-2.0
#include "revision/keyed_digest.h"

#include "base/digest.h"
#include "release/secret_digest.h"

namespace chartwright::release {

base::Result<std::string> make_key() { return base::random_bytes(kKeyBytes); }

base::Result<std::string> keyed_digest(const std::string& key, std::string_view text) {
  CW_TRY(const std::string digest, base::hmac_sha256_hex(key, text));
  return std::string(kKeyedPrefix) + digest;
}

}  // namespace chartwright::release
