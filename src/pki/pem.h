// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace chartwright::pki {

/// A decoded "-----BEGIN TYPE-----" block.
struct PemBlock {
  std::string type;
  std::string der;
};

/// Returns the first block of `text`, or nullopt if there is none. Source: Go encoding/pem Decode.
std::optional<PemBlock> first_pem_block(const std::string& text);

/// Encodes `block` as PEM, in lines of 64 characters.
std::string to_pem(const PemBlock& block);

}  // namespace chartwright::pki
