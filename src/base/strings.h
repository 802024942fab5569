// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chartwright::base {

/// Splits at every `separator`. "" yields one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Joins `parts` with `separator` between them.
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Returns `text` without leading and trailing Unicode white space. Source: Go strings.TrimSpace.
std::string_view trim(std::string_view text);
/// Reports whether `text` is one or more ASCII digits.
bool is_all_digits(std::string_view text);
/// Quotes like Go's time.quote, not strconv.Quote: writes every byte outside printable ASCII in
/// hex.
std::string quote_bytes(std::string_view text);
std::string to_lower_ascii(std::string_view text);
/// Appends the byte as %XX with upper-case digits. Source: RFC 3986 section 2.1.
void append_percent_encoded(std::string& out, char byte);
/// Parses all of `text` as a decimal int64 with an optional sign. Returns nullopt if it is
/// malformed or overflows.
std::optional<int64_t> parse_int(std::string_view text);
/// Parses all of `text` as a finite or infinite double in C syntax. Returns nullopt otherwise.
std::optional<double> parse_double(std::string_view text);
/// Replaces every occurrence of `from`, which must not be empty.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);
/// Returns the candidate with the smallest edit distance to `word`, or "" if none is close enough
/// to be what was meant. The distance may be at most a third of the word's length, but 1 is always
/// allowed. Swapping two adjacent characters counts as one edit.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace chartwright::base
