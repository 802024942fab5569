// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chartwright {

/// Checks that a document (a path below the source folder) has exactly `table` between the comment
/// `begin` and the next `end`. If CW_UPDATE or CW_WRITE_DOCS is set, writes the table there
/// instead, but never in CI.
void check_document_table(const std::string& document, const std::string& begin,
                          const std::string& end, std::string_view table);

/// Returns the rows of the table that begins with the line `head` in a document, as cells.
std::vector<std::vector<std::string>> document_rows(const std::string& document,
                                                    const std::string& head);

/// Returns the texts between backticks.
std::vector<std::string> code_spans(std::string_view text);

}  // namespace chartwright
