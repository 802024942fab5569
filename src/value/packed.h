// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "value/value.h"

namespace chartwright::value {

/// A value that is kept for long and read now and then: one block of bytes, an eighth of what the
/// tree takes and less than its JSON. In memory only; the encoding is nobody else's.
class Packed {
 public:
  Packed() = default;  ///< Of nil.
  /// `v` consists of what JSON has (no bytes, natives or no-values): else it aborts.
  explicit Packed(const Value& v);

  /// The same as bytes, to be kept inside another value. Leaves nil behind.
  Value to_bytes() && { return Value::bytes(std::move(bytes_)); }
  /// What was packed into `bytes`, which came from to_bytes.
  static Value unpack_bytes(const Value& bytes);

  /// The value, made anew, sharing nothing. Integers are int64, maps and lists of the plain kind.
  Value unpack() const;
  bool is_nil() const { return bytes_.empty(); }
  /// Values that are equal in kind and content, and no others, are equal here.
  bool operator==(const Packed& other) const = default;

 private:
  std::string bytes_;  ///< Empty for nil; no larger than needed.
};

}  // namespace chartwright::value
