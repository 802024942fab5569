// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "helm/toml/scanner.h"

// Errors: kParse with a line and the library's message.
namespace chartwright::helm {

/// Reads a single-line string whose opening quote has been consumed, and returns its content.
base::Result<std::string> read_toml_key_string(TomlScanner& scan, char32_t quote);
/// Like read_toml_key_string, but two more opening quotes begin a multi-line string.
base::Result<std::string> read_toml_string(TomlScanner& scan, char32_t quote);

}  // namespace chartwright::helm
