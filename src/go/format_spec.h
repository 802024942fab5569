// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chartwright::go {

enum class Letters : uint8_t { kLower, kUpper };

/// The operand of an integer verb: a magnitude and a sign.
struct IntegerOperand {
  uint64_t magnitude = 0;
  bool negative = false;
};

/// The flags, width and precision of one formatting directive, with functions that format each
/// basic kind accordingly. Source: Go fmt/format.go.
struct FormatSpec {
  bool has_width = false;
  bool has_precision = false;
  bool minus = false;
  bool plus = false;
  bool sharp = false;
  bool space = false;
  bool zero = false;
  bool plus_v = false;   ///< %+v
  bool sharp_v = false;  ///< %#v
  int width = 0;
  int precision = 0;

  void write_padding(std::string& out, int count) const;
  /// Pads to the width, counted in code points.
  void pad(std::string& out, std::string_view text) const;
  /// Pads with spaces even if the zero flag is set.
  void pad_with_spaces(std::string& out, std::string_view text) const;
  std::string_view truncated(std::string_view text) const;

  void write_string(std::string& out, std::string_view text) const;
  void write_quoted(std::string& out, std::string_view text) const;
  void write_hex(std::string& out, std::string_view bytes, Letters letters) const;
  /// Supports the verbs b d o O x X, and v as d.
  void write_integer(std::string& out, IntegerOperand operand, char verb) const;
  void write_rune(std::string& out, uint64_t code) const;         ///< %c
  void write_quoted_rune(std::string& out, uint64_t code) const;  ///< %q
  void write_unicode(std::string& out, uint64_t code) const;      ///< %U
  /// Supports the float verbs of strconv: b e E f g G x X. `default_precision` applies if the
  /// directive has none.
  void write_float(std::string& out, double d, char verb, int default_precision) const;
};

}  // namespace chartwright::go
