// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "helm/toml/scanner.h"

// Errors: kParse with a line, in the words of the library.
namespace chartwright::helm {

/// The text of a string on one line, whose opening quote has been read.
base::Result<std::string> read_toml_key_string(TomlScanner& scan, char32_t quote);
/// The same; two more opening quotes make it a string of several lines.
base::Result<std::string> read_toml_string(TomlScanner& scan, char32_t quote);

}  // namespace chartwright::helm
