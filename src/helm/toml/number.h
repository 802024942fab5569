// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "helm/toml/scanner.h"
#include "value/value.h"

// Errors: kParse with a line, in the words of the library.
namespace chartwright::helm {

/// An int64, a float64 or a time.Time; the scanner stands before its first digit. A time without an
/// offset gets a zone of its own ("datetime-local", "date-local" or "time-local") with the offset
/// that this process's zone has at `now`.
base::Result<value::Value> read_toml_number(TomlScanner& scan, base::WallTime now);
/// The rest of a number whose sign has been read.
base::Result<value::Value> read_toml_signed_number(TomlScanner& scan, base::WallTime now);
/// The token just read, "inf" or "nan", as a number.
base::Result<value::Value> take_toml_float(TomlScanner& scan);

}  // namespace chartwright::helm
