// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "base/text_cache.h"

namespace chartwright::helm::funcs {

using MasterKey = std::array<unsigned char, 64>;

/// The keys from which `derivePassword` derives all passwords of a user: scrypt with N = 32768,
/// r = 8, p = 2, which takes about 50 ms and 32 MiB. Recent keys are cached, indexed by a digest of
/// password and salt, and wiped when they are dropped. Thread-safe.
/// Source: Masterminds/sprig v3.3.0 crypto.go derivePassword.
class MasterKeys {
 public:
  /// Error: kInternal if the memory to derive a key is not available.
  base::Result<MasterKey> derive(std::string_view password, std::string_view salt);

 private:
  struct Kept;
  base::TextCache<std::shared_ptr<const Kept>> kept_{64};
};

}  // namespace chartwright::helm::funcs
