// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::release {

/// The size of a key. It equals that of the digest; more would add nothing. Source: RFC 2104
/// section 3.
inline constexpr size_t kKeyBytes = 32;

/// Returns a new random key. Error: kInternal if the system's random generator fails.
base::Result<std::string> make_key();

/// Returns a digest of `text` that may be shown to readers who must not know `text`: without the
/// key they cannot test a guess. Even someone who can choose the key cannot find another `text`
/// with the same digest. Error: kInternal if OpenSSL fails.
base::Result<std::string> keyed_digest(const std::string& key, std::string_view text);

}  // namespace chartwright::release
