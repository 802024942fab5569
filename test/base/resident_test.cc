// SPDX-License-Identifier: Apache-2.0
#include "base/resident.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

namespace chartwright::base {
namespace {

// Kilobytes of resident memory that come from files.
int64_t file_backed_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "RssFile:") {
      int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
  }
  FAIL("/proc/self/status has no RssFile");
  return 0;
}

// Constants and tables of the loader's own, and a written variable beside them.
const std::string& written_at_start() {
  static const std::string text = std::string("written ") + "at start";
  return text;
}

TEST_CASE("resident: pages from files are given back and come back when used") {
  const std::string before = written_at_start();
  const int64_t kilobytes = file_backed_kilobytes();
  release_file_pages();
  CHECK(file_backed_kilobytes() < kilobytes);
  CHECK(written_at_start() == before);
  CHECK(std::to_string(1.5) == "1.500000");
}

}  // namespace
}  // namespace chartwright::base
