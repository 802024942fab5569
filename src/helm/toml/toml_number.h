// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "helm/toml/scanner.h"
#include "value/value.h"

// Errors: kParse with a line and the library's message.
namespace chartwright::helm {

/// Reads an int64, a float64 or a time.Time; the scanner must be at its first digit. A time without
/// an offset gets a special zone ("datetime-local", "date-local" or "time-local") with the offset
/// of the process's zone at `now`.
base::Result<value::Value> read_toml_number(TomlScanner& scan, base::WallTime now);
/// Reads the rest of a number whose sign has been read.
base::Result<value::Value> read_toml_signed_number(TomlScanner& scan, base::WallTime now);
/// Converts the token just read, "inf" or "nan", to a number.
base::Result<value::Value> take_toml_float(TomlScanner& scan);

}  // namespace chartwright::helm
