// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/master_key.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstdint>
#include <memory>

#include "base/digest.h"
#include "base/openssl_error.h"
#include "base/text_cache.h"

namespace chartwright::helm::funcs {
namespace {

base::Result<MasterKey> derive(std::string_view password, std::string_view salt) {
  constexpr uint64_t kMemoryMax = uint64_t{64} << 20;
  MasterKey key{};
  CW_TRY_OPENSSL(EVP_PBE_scrypt(password.data(), password.size(),
                                reinterpret_cast<const unsigned char*>(salt.data()), salt.size(),
                                32768, 8, 2, kMemoryMax, key.data(), key.size()));
  return key;
}

/// A cached key, wiped when its last owner releases it.
struct KeptKey {
  explicit KeptKey(const MasterKey& derived) : key(derived) {}
  ~KeptKey() { OPENSSL_cleanse(key.data(), key.size()); }
  KeptKey(const KeptKey&) = delete;
  KeptKey& operator=(const KeptKey&) = delete;
  MasterKey key;
};

}  // namespace

base::Result<MasterKey> master_key(std::string_view password, std::string_view salt) {
  static base::TextCache<std::shared_ptr<const KeptKey>> remembered(64);
  // The length separates password and salt unambiguously.
  const std::string known_by = base::sha256_hex(std::to_string(password.size()) + ":" +
                                                std::string(password) + std::string(salt));
  if (const auto known = remembered.find(known_by)) {
    return (*known)->key;
  }
  CW_TRY(const MasterKey key, derive(password, salt));
  remembered.keep(known_by, std::make_shared<const KeptKey>(key));
  return key;
}

}  // namespace chartwright::helm::funcs
