// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright {

/// Checks that the document (below the source folder) holds exactly `table` between two comments.
/// With CW_UPDATE set, writes it there instead; never in CI.
void check_document_table(const std::string& document, const std::string& begin,
                          const std::string& end, std::string_view table);

}  // namespace chartwright
