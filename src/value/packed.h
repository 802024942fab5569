// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "value/value.h"

namespace chartwright::value {

/// A value that is kept for long and read rarely: one block of bytes, an eighth of the size of the
/// tree and smaller than its JSON. For use in memory only; the encoding is private.
class Packed {
 public:
  Packed() = default;  ///< Holds nil.
  /// `v` must contain only what JSON can represent (no bytes, natives or no-values); aborts
  /// otherwise.
  explicit Packed(const Value& v);

  /// Moves the packed form into a Value of bytes, to be kept inside another value.
  /// Leaves nil behind.
  Value to_bytes() && { return Value::bytes(std::move(bytes_)); }
  /// Unpacks a Value that to_bytes returned.
  static Value unpack_bytes(const Value& bytes);

  /// Returns a new copy of the value that shares nothing. Integers are int64; maps and lists have
  /// type kAny.
  Value unpack() const;
  bool is_nil() const { return bytes_.empty(); }
  /// Reports whether the values are equal in kind and content.
  bool operator==(const Packed& other) const = default;

 private:
  std::string bytes_;  ///< Empty for nil. Has no spare capacity.
};

}  // namespace chartwright::value
