// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::helm::funcs {

using MasterKey = std::array<unsigned char, 64>;

/// Returns the key from which `derivePassword` derives all passwords of a user: scrypt with
/// N = 32768, r = 8, p = 2, which takes about 50 ms and 32 MiB. Recent keys are cached across
/// renders, indexed by a digest of password and salt. Thread-safe. Error: kInternal if that memory
/// is not available. Source: Masterminds/sprig v3.3.0 crypto.go derivePassword.
base::Result<MasterKey> master_key(std::string_view password, std::string_view salt);

}  // namespace chartwright::helm::funcs
