// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "helm/toml/scanner.h"
#include "helm/toml/tree.h"

// Errors: kParse with a line, in the words of the library.
namespace chartwright::helm {

/// A key and the line of its first part.
struct TomlKeyAt {
  TomlKey key;
  int line = 0;
};

/// The name of a table, up to and with the bracket that closes it.
base::Result<TomlKeyAt> read_toml_header_key(TomlScanner& scan);
/// The key of a member, up to and with its equals sign.
base::Result<TomlKeyAt> read_toml_member_key(TomlScanner& scan);

}  // namespace chartwright::helm
