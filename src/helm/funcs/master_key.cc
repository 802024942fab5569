// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/master_key.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstdint>
#include <string>

#include "base/digest.h"
#include "base/openssl_error.h"

namespace chartwright::helm::funcs {
namespace {

base::Result<MasterKey> scrypt(std::string_view password, std::string_view salt) {
  constexpr uint64_t kMemoryMax = uint64_t{64} << 20;
  MasterKey key{};
  CW_TRY_OPENSSL(EVP_PBE_scrypt(password.data(), password.size(),
                                reinterpret_cast<const unsigned char*>(salt.data()), salt.size(),
                                32768, 8, 2, kMemoryMax, key.data(), key.size()));
  return key;
}

}  // namespace

/// A key that is wiped when its last owner releases it.
struct MasterKeys::Kept {
  explicit Kept(const MasterKey& derived) : key(derived) {}
  ~Kept() { OPENSSL_cleanse(key.data(), key.size()); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  MasterKey key;
};

base::Result<MasterKey> MasterKeys::derive(std::string_view password, std::string_view salt) {
  // The length separates password and salt unambiguously.
  const std::string known_by = base::sha256_hex(std::to_string(password.size()) + ":" +
                                                std::string(password) + std::string(salt));
  if (const auto known = kept_.find(known_by)) {
    return (*known)->key;
  }
  CW_TRY(const MasterKey key, scrypt(password, salt));
  kept_.keep(known_by, std::make_shared<const Kept>(key));
  return key;
}

}  // namespace chartwright::helm::funcs
