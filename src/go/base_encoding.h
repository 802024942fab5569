// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::go {

/// Standard alphabet with padding. Source: Go encoding/base64 StdEncoding.
std::string encode_base64(std::string_view data);
/// Line ends are ignored and unused trailing bits are not looked at.
/// Error: kParse `illegal base64 data at input byte N`. Source: Go encoding/base64 StdEncoding.
base::Result<std::string> decode_base64(std::string_view text);

/// Standard alphabet with padding. Source: Go encoding/base32 StdEncoding.
std::string encode_base32(std::string_view data);
/// Line ends are ignored. Error: kParse `illegal base32 data at input byte N`, N counted without
/// them. Source: Go encoding/base32 StdEncoding.
base::Result<std::string> decode_base32(std::string_view text);

}  // namespace chartwright::go
