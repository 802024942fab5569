// SPDX-License-Identifier: Apache-2.0
#include "suite/results/xml.h"

#include <catch2/catch.hpp>

namespace chartwright::suite {
namespace {

TEST_CASE("Elements are indented, and none is written as one tag") {
  const XmlElement root{.name = "a",
                        .children = {{.name = "b", .attributes = {{"c", "1"}, {"d", ""}}},
                                     {.name = "e", .children = {{.name = "f", .text = "g"}}}}};
  CHECK(xml_text(root) == "<a>\n\t<b c=\"1\" d=\"\"></b>\n\t<e>\n\t\t<f>g</f>\n\t</e>\n</a>\n");
}

TEST_CASE("A text cannot end its element, nor its attribute") {
  const std::string hostile = "<b>&\"'\t\r\n";
  const XmlElement root{.name = "a", .attributes = {{"t", hostile}}, .text = hostile};
  const std::string escaped = "&lt;b&gt;&amp;&#34;&#39;&#x9;&#xD;&#xA;";
  CHECK(xml_text(root) == "<a t=\"" + escaped + "\">" + escaped + "</a>\n");
}

TEST_CASE("A text between CDATA marks is as it is, but for their end") {
  CHECK(xml_text({.name = "a", .text = "<b>\n]]>]]>", .is_cdata = true}) ==
        "<a><![CDATA[<b>\n]]]]><![CDATA[>]]]]><![CDATA[>]]></a>\n");
  CHECK(xml_text({.name = "a", .is_cdata = true}) == "<a></a>\n");
}

TEST_CASE("A character that XML cannot have is replaced") {
  const std::string text = std::string("\x1b[2J\xff\x00", 6) + "\xEF\xBF\xBE" + "\xF0\x9F\x98\x80";
  const std::string valid = "\xEF\xBF\xBD[2J\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xF0\x9F\x98\x80";
  CHECK(xml_text({.name = "a", .text = text}) == "<a>" + valid + "</a>\n");
  CHECK(xml_text({.name = "a", .text = text, .is_cdata = true}) ==
        "<a><![CDATA[" + valid + "]]></a>\n");
}

}  // namespace
}  // namespace chartwright::suite
