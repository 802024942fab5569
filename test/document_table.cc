// SPDX-License-Identifier: Apache-2.0
#include "test/document_table.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "test/source_dir.h"

namespace chartwright {

void check_document_table(const std::string& document, const std::string& begin,
                          const std::string& end, std::string_view table) {
  const std::string path = source_dir() + "/" + document;
  std::ostringstream read;
  read << std::ifstream(path).rdbuf();
  std::string text = read.str();
  const size_t before = text.find(begin);
  const size_t after = text.find(end, before);
  REQUIRE(before != std::string::npos);
  REQUIRE(after != std::string::npos);
  const size_t start = before + begin.size();
  REQUIRE(start <= after);
  const bool asked = std::getenv("CW_UPDATE") != nullptr || std::getenv("CW_WRITE_DOCS") != nullptr;
  if (asked && std::getenv("CI") == nullptr) {
    text.replace(start, after - start, table);
    std::ofstream(path) << text;
    return;
  }
  CHECK(text.substr(start, after - start) == table);
}

}  // namespace chartwright
