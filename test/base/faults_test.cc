// SPDX-License-Identifier: Apache-2.0
#include "base/faults.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace chartwright::base {
namespace {

TEST_CASE("All faults are one error: the first, with the others below it") {
  Faults faults;
  CHECK(faults.status().ok());
  faults.add(Status());
  CHECK(faults.empty());
  faults.add(Error(ErrorCode::kParse, "no map").at({"a.yaml", 1, 2}).with_help("1 | a"));
  CHECK(faults.status().error().to_string() == "a.yaml:1:2: no map\n1 | a");
  faults.add(Status(Error(ErrorCode::kNotFound, "no file").with_help("look")));
  faults.add(Error(ErrorCode::kParse, "no list").at({"b.yaml", 3, 4}));
  const Error all = faults.status().error();
  CHECK(all.code() == ErrorCode::kParse);
  CHECK(all.pos()->to_string() == "a.yaml:1:2");
  CHECK(all.message() == "no map\nno file\nb.yaml:3:4: no list");
  CHECK(all.help() == "1 | a");
  CHECK(faults.all().size() == 3);
}

TEST_CASE("A long list of faults is cut") {
  Faults faults;
  for (int i = 0; i < 60; ++i) {
    faults.add(Error(ErrorCode::kParse, "x"));
  }
  const std::string text = faults.status().error().message();
  CHECK(std::count(text.begin(), text.end(), '\n') == 50);
  CHECK(text.ends_with("\nand 10 more"));
}

}  // namespace
}  // namespace chartwright::base
