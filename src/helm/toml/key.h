// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "helm/toml/scanner.h"
#include "helm/toml/tree.h"

// Errors: kParse with a line and the library's message.
namespace chartwright::helm {

/// A key and the line of its first part.
struct TomlKeyAt {
  TomlKey key;
  int line = 0;
};

/// Reads the name of a table, up to and including the closing bracket.
base::Result<TomlKeyAt> read_toml_header_key(TomlScanner& scan);
/// Reads the key of a member, up to and including the equals sign.
base::Result<TomlKeyAt> read_toml_member_key(TomlScanner& scan);

}  // namespace chartwright::helm
