// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "yaml/scalar_style.h"

namespace chartwright::yaml {

/// Lays out YAML text as go-yaml's emitter does. Tracks the column, folds long lines, and knows
/// whether the current line holds only indentation so far. Source: go.yaml.in/yaml/v2 emitterc.go.
class Writer {
 public:
  /// Only values are folded.
  enum class Folding : uint8_t { kFold, kKeepLine };
  enum class Before : uint8_t { kNothing, kSpace };
  /// An indicator such as "-" keeps its line open for nested indentation; ":" does not.
  enum class After : uint8_t { kText, kIndentation };

  int indent() const { return indent_; }
  void set_indent(int indent) { indent_ = indent; }
  /// Reports whether the current line holds only indentation and block indicators.
  bool in_indentation() const { return in_indentation_; }
  size_t size() const { return out_.size(); }
  std::string take() { return std::move(out_); }

  /// Goes to the indentation column, on a new line unless the current one is still blank up to it.
  void start_line();
  void indicator(std::string_view text, Before before, After after);
  /// Writes a scalar with continuation lines at the current indentation.
  void scalar(std::string_view text, Style style, Folding folding);

 private:
  void put(char c);
  void put_break();
  void copy_char(std::string_view text, size_t& at);
  void copy_break(std::string_view text, size_t& at);
  bool too_long(Folding folding) const;
  void plain(std::string_view text, Folding folding);
  void single_quoted(std::string_view text, Folding folding);
  void double_quoted(std::string_view text, Folding folding);
  void escape(std::string_view text, size_t& at);
  void literal(std::string_view text);
  void literal_hints(std::string_view text);

  std::string out_;
  int indent_ = -1;
  int column_ = 0;
  bool after_space_ = true;
  bool in_indentation_ = true;
};

}  // namespace chartwright::yaml
