// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chartwright::pki {

/// One "-----BEGIN TYPE-----" block, decoded.
struct PemBlock {
  std::string type;
  std::string der;
};

/// The first block of a text; nullopt when there is none. Source: Go encoding/pem Decode.
std::optional<PemBlock> first_pem_block(const std::string& text);

/// The text of a block, in lines of 64 characters.
std::string to_pem(const PemBlock& block);

}  // namespace chartwright::pki
