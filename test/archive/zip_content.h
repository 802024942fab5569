// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace chartwright::archive::testing {

/// Returns the names and texts of a zip, in its order.
inline std::vector<std::pair<std::string, std::string>> zip_content(const std::string& zip) {
  std::vector<std::pair<std::string, std::string>> files;
  ::archive* a = archive_read_new();
  archive_read_support_format_zip(a);
  REQUIRE(archive_read_open_memory(a, zip.data(), zip.size()) == ARCHIVE_OK);
  archive_entry* entry = nullptr;
  while (archive_read_next_header(a, &entry) == ARCHIVE_OK) {
    std::string text;
    std::string piece(4096, '\0');
    for (la_ssize_t got = 0; (got = archive_read_data(a, piece.data(), piece.size())) > 0;) {
      text.append(piece, 0, static_cast<size_t>(got));
    }
    files.emplace_back(archive_entry_pathname(entry), std::move(text));
  }
  archive_read_free(a);
  return files;
}

}  // namespace chartwright::archive::testing
