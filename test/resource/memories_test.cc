// SPDX-License-Identifier: Apache-2.0
#include "resource/memories.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

namespace chartwright::op {
namespace {

struct Count {
  int number = 0;
};

struct Name {
  std::optional<std::string> text;
};

TEST_CASE("Each type has a memory of its own, which stays where it is") {
  Memories memories;
  Count& count = memories.of<Count>();
  CHECK(count.number == 0);
  count.number = 3;
  CHECK_FALSE(memories.of<Name>().text);
  memories.of<Name>().text = "web";
  CHECK(&memories.of<Count>() == &count);
  CHECK(memories.of<Count>().number == 3);
}

TEST_CASE("A copy of memories is independent") {
  Memories memories;
  memories.of<Count>().number = 1;
  Memories copy = memories;
  copy.of<Count>().number = 2;
  CHECK(memories.of<Count>().number == 1);
}

}  // namespace
}  // namespace chartwright::op
