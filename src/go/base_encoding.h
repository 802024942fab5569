// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::go {

/// Encodes with the standard alphabet and padding. Source: Go encoding/base64 StdEncoding.
std::string encode_base64(std::string_view data);
/// Decodes base64, ignoring line breaks and unused trailing bits.
/// Error: kParse `illegal base64 data at input byte N`. Source: Go encoding/base64 StdEncoding.
base::Result<std::string> decode_base64(std::string_view text);

/// Encodes with the standard alphabet and padding. Source: Go encoding/base32 StdEncoding.
std::string encode_base32(std::string_view data);
/// Decodes base32, ignoring line breaks. Error: kParse `illegal base32 data at input byte N`, where
/// N does not count line breaks. Source: Go encoding/base32 StdEncoding.
base::Result<std::string> decode_base32(std::string_view text);

}  // namespace chartwright::go
