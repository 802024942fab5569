// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "value/value.h"

namespace chartwright::cmd {

/// A table as kubectl prints it: columns that are as wide as their widest cell, three spaces
/// between them, none at the end of a line.
class Table {
 public:
  explicit Table(std::vector<std::string> header)
      : widths_(header.size(), 0), rows_{std::move(header)} {}

  /// Adds a row with as many cells as the header has. An empty cell is shown as "-".
  void add(std::vector<std::string> cells);
  /// Returns the header and the rows, each in a line without control characters.
  std::string text() const;
  /// Returns the same, and forgets it but for the widths: rows that are added later go on below.
  std::string take();

 private:
  std::vector<size_t> widths() const;

  std::vector<size_t> widths_;  ///< The widths of the rows that were taken.
  std::vector<std::vector<std::string>> rows_;
};

enum class DataForm : uint8_t { kJson, kYaml };
/// Returns a document whose member `items` has these values. Errors: those of value::to_json and
/// yaml::to_yaml.
base::Result<std::string> document_of(std::vector<value::Value> items, DataForm form);

/// Returns how long ago a time in RFC 3339 was, in the form of kubectl: "5m", "2d3h"; "" if it is
/// no such time, and "0s" if it is yet to come.
/// Source: k8s.io/apimachinery pkg/util/duration/duration.go, HumanDuration.
std::string age_text(std::string_view time, base::WallTime now);

/// The longest text of a cluster that is shown, in bytes.
inline constexpr size_t kTextBytesMax = 1024;
/// Returns the beginning of `text` in one printable line of at most kTextBytesMax bytes.
std::string short_line(std::string_view text);

/// The longest message of a condition, in bytes. Source: k8s.io/apimachinery metav1.Condition.
inline constexpr size_t kMessageBytesMax = 32768;
/// Returns the beginning of the message of a condition, at most kMessageBytesMax bytes, with each
/// of its lines printable, as base::printable has it: no character that cannot be seen is left in
/// it.
std::string message_lines(std::string_view message);
/// Returns the beginning of these lines, at most kTextBytesMax bytes.
std::string short_lines(std::string_view message);

/// Returns each line of `text` behind `front`, with its line break: what a server or a chart says
/// then cannot be taken for a line of the command.
std::string indented(std::string_view text, std::string_view front);

/// Returns the beginning of `text` that fits `runes` characters, with "…" in the place of the rest.
std::string cut_to(std::string_view text, size_t runes);

}  // namespace chartwright::cmd
