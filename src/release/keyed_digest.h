// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::release {

/// Of keys. As many as the digest has: more would add nothing. Source: RFC 2104 section 3.
inline constexpr size_t kKeyBytes = 32;

/// What digests under a key begin with.
inline constexpr std::string_view kKeyedPrefix = "hmac-sha256:";

/// A new random key. Error: kInternal where the system's generator fails.
base::Result<std::string> make_key();

/// Digest of `text` that may stand where people read who must not know the text: without the key no
/// guess can be tried. Who may choose the key as well cannot find another text of that digest.
/// Error: kInternal where OpenSSL fails.
base::Result<std::string> keyed_digest(const std::string& key, std::string_view text);

}  // namespace chartwright::release
