// SPDX-License-Identifier: Apache-2.0
#include "base/release_memory.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "base/thread.h"

namespace chartwright::base {
namespace {

// Returns the resident memory that is mapped from files, in kilobytes.
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

// A variable that is written at run time, next to the loader's constants and tables.
const std::string& written_at_start() {
  static const std::string text = std::string("written ") + "at start";
  return text;
}

TEST_CASE("Pages from files are given back and come back when used") {
  CHECK(written_at_start() == "written at start");
  const int64_t kilobytes = file_backed_kilobytes();
  release_file_pages();
  CHECK(file_backed_kilobytes() < kilobytes);
  CHECK(written_at_start() == "written at start");
  CHECK(std::to_string(1.5) == "1.500000");
}

// Returns the resident memory that is not mapped from files, in kilobytes.
int64_t own_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "RssAnon:") {
      int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
  }
  FAIL("/proc/self/status has no RssAnon");
  return 0;
}

// Touches `kilobytes` kilobytes of the stack.
__attribute__((noinline)) int dig(int kilobytes) {
  volatile char room[1024];
  room[0] = static_cast<char>(kilobytes);
  room[1023] = 1;
  return kilobytes == 0 ? room[0] : dig(kilobytes - 1) + room[1023];
}

TEST_CASE("A stack that was deep once is given back, and can be deep again") {
  int64_t deep = 0;
  int64_t released = 0;
  int sum = 0;
  Thread thread("deep", size_t{32} << 20, [&] {
    constexpr int kKilobytes = 8192;
    sum = dig(kKilobytes);
    deep = own_kilobytes();
    release_unused_stack();
    released = own_kilobytes();
    sum += dig(kKilobytes);
  });
  thread.join();
  CHECK(sum == 2 * 8192);
  CHECK(deep - released > 6000);
}

}  // namespace
}  // namespace chartwright::base
