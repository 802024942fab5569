// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::helm::funcs {

using MasterKey = std::array<unsigned char, 64>;

/// The key that `derivePassword` makes all passwords of a user from: scrypt with N = 32768, r = 8,
/// p = 2, which takes some 50 ms and 32 MiB. The keys of late calls are remembered for the next
/// render, known by a digest of password and salt. Thread-safe. Error: kInternal without that much
/// memory. Source: Masterminds/sprig v3.3.0 crypto.go derivePassword.
base::Result<MasterKey> master_key(std::string_view password, std::string_view salt);

}  // namespace chartwright::helm::funcs
