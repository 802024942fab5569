// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chartwright::base {

/// Splits at every `separator`; "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Joins with `separator` between.
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Without leading and trailing white space of Unicode. Source: Go strings.TrimSpace.
std::string_view trim(std::string_view text);
std::string to_lower_ascii(std::string_view text);
/// Whole text as a decimal int64, with optional sign; nullopt otherwise or on overflow.
std::optional<int64_t> parse_int(std::string_view text);
/// Whole text as a finite or infinite double in C syntax; nullopt otherwise.
std::optional<double> parse_double(std::string_view text);
/// Replaces every occurrence of `from` (not empty).
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);
/// The candidate with the smallest edit distance to `word` (neighbours that change places count
/// once), if it is near enough to be meant (at most a third of the word's length, at least 1);
/// empty otherwise.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace chartwright::base
