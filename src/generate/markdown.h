// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Markdown from texts that are not trusted: nothing in them becomes a link, an image, HTML, another
// row or another line.
namespace chartwright::generate {

/// The code points that are shown of a text; the rest becomes "…".
inline constexpr size_t kShownMax = 500;

/// Returns `text` as one line of prose that shows it as it is. Runs of white space and control
/// characters become one space; invisible characters are dropped.
std::string markdown_text(std::string_view text, size_t shown_max = kShownMax);

/// Returns `text` as a code span for a cell of a table, on one line as markdown_text; "" for "".
std::string markdown_code(std::string_view text, size_t shown_max = kShownMax);

/// Returns code spans, separated by commas, and the number of those beyond `count_max`.
std::string markdown_codes(const std::vector<std::string>& texts, size_t count_max);

/// Returns a code block that no line of `text`, which ends with a newline, can close.
std::string markdown_block(std::string_view language, std::string_view text);

/// Returns a row of a table. The cells are Markdown.
std::string markdown_row(const std::vector<std::string>& cells);

/// Returns the first two lines of a table.
std::string markdown_head(const std::vector<std::string>& titles);

}  // namespace chartwright::generate
