// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace chartwright::suite {

/// An element of an XML document. Names are those of a program, and texts may be any.
struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::vector<XmlElement> children = {};
  std::string text = {};  ///< The content of an element without children.
  bool is_cdata = false;  ///< The text is between CDATA marks, for people who read the file.
};

/// Returns the element in lines indented by tabs, as Go's encoding/xml writes it. A character that
/// XML cannot have becomes U+FFFD.
/// Source: Go encoding/xml marshal.go, xml.go.
std::string xml_text(const XmlElement& root);

}  // namespace chartwright::suite
