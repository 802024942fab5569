// SPDX-License-Identifier: Apache-2.0
#include "yaml/text.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "yaml/nodes.h"

namespace chartwright::yaml {

TEST_CASE("A text whose pieces adjoin is a view of the source") {
  const std::string source = "one two";
  const std::string_view all = source;
  Text text;
  text.append("");
  text.append(all.substr(0, 3));
  text.append(all.substr(3, 1));
  text.append(all.substr(4));
  CHECK(!text.is_copy());
  CHECK(text.view().data() == source.data());
  CHECK(text.view() == "one two");
}

TEST_CASE("A text with anything left out or put in is a copy") {
  const std::string source = "one''two";
  const std::string_view all = source;
  Text text;
  text.append(all.substr(0, 4));
  text.append(all.substr(5));
  CHECK(text.is_copy());
  CHECK(text.view() == "one'two");
  text.append(all.substr(5));
  text.copy() += '!';
  CHECK(text.view() == "one'twotwo!");
}

TEST_CASE("An empty text copies what is appended to it") {
  Text text;
  {
    Text copied;
    copied.copy() = "a text too long to be kept in place";
    text.append(copied);
  }
  CHECK(text.view() == "a text too long to be kept in place");
}

TEST_CASE("The texts of a document outlive its reader") {
  for (const bool wide : {false, true}) {
    std::string source = "? \"a\\x41\"\n: [plain words, 'it''s', &x y]\n";
    if (wide) {
      std::string utf16 = "\xFF\xFE";
      for (const char c : source) {
        utf16 += {c, '\0'};
      }
      source = utf16;
    }
    auto read = read_yaml_document(source);
    REQUIRE(read.ok());
    const Document document = std::move(read).value();
    const Node& root = document.at(0);
    CHECK(document.at(document.children_of(root)[0]).text == "aA");
    const auto items = document.children_of(document.at(document.children_of(root)[1]));
    REQUIRE(items.size() == 3);
    CHECK(document.at(items[0]).text == "plain words");
    CHECK(document.at(items[1]).text == "it's");
    CHECK(document.at(items[2]).text == "y");
  }
}

}  // namespace chartwright::yaml
