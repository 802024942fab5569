// SPDX-License-Identifier: Apache-2.0
#include "test/document_table.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "test/source_dir.h"

namespace chartwright {

namespace {

std::string text_of(const std::string& document) {
  std::ostringstream read;
  read << std::ifstream(source_dir() + "/" + document).rdbuf();
  return read.str();
}

/// Splits "| a | b |" at the bars that are not escaped.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  size_t begin = 2;
  for (size_t bar = line.find(" |", begin); bar != std::string::npos;
       bar = line.find(" |", begin)) {
    cells.push_back(line.substr(begin, bar - begin));
    begin = bar + 3;
  }
  return cells;
}

}  // namespace

std::vector<std::vector<std::string>> document_rows(const std::string& document,
                                                    const std::string& head) {
  std::istringstream text(text_of(document));
  std::vector<std::vector<std::string>> rows;
  std::string line;
  while (std::getline(text, line) && line != head) {
  }
  REQUIRE(line == head);
  std::getline(text, line);  // The line of dashes.
  while (std::getline(text, line) && line.starts_with("| ")) {
    rows.push_back(cells_of(line));
  }
  return rows;
}

void check_document_table(const std::string& document, const std::string& begin,
                          const std::string& end, std::string_view table) {
  const std::string path = source_dir() + "/" + document;
  std::string text = text_of(document);
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

std::vector<std::string> code_spans(std::string_view text) {
  std::vector<std::string> spans;
  for (size_t begin = text.find('`'); begin != std::string_view::npos;) {
    const size_t end = text.find('`', begin + 1);
    if (end == std::string_view::npos) {
      break;
    }
    spans.emplace_back(text.substr(begin + 1, end - begin - 1));
    begin = text.find('`', end + 1);
  }
  return spans;
}

}  // namespace chartwright
