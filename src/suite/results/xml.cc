// SPDX-License-Identifier: Apache-2.0
#include "suite/results/xml.h"

#include <cstdint>
#include <string_view>

#include "base/strings.h"
#include "base/unicode.h"

namespace chartwright::suite {
namespace {

bool is_xml(char32_t rune) {
  return rune == '\t' || rune == '\n' || rune == '\r' || (rune >= 0x20 && rune <= 0xD7FF) ||
         (rune >= 0xE000 && rune <= 0xFFFD) || (rune >= 0x10000 && rune <= 0x10FFFF);
}

/// Returns the reference for a character that has a meaning in XML; "" for another one.
std::string_view reference_to(char32_t rune) {
  switch (rune) {
    case '"':
      return "&#34;";
    case '\'':
      return "&#39;";
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '\t':
      return "&#x9;";
    case '\n':
      return "&#xA;";
    case '\r':
      return "&#xD;";
    default:
      return "";
  }
}

enum class Escape : uint8_t { kNo, kYes };

std::string valid_text(std::string_view text, Escape escape) {
  std::string out;
  while (!text.empty()) {
    const base::DecodedRune next = base::decode_rune(text);
    const std::string_view reference =
        escape == Escape::kYes ? reference_to(next.rune) : std::string_view();
    if (reference.empty()) {
      base::append_rune(out, is_xml(next.rune) ? next.rune : base::kRuneError);
    } else {
      out += reference;
    }
    text.remove_prefix(next.size);
  }
  return out;
}

std::string content_of(const XmlElement& element) {
  if (!element.is_cdata || element.text.empty()) {
    return valid_text(element.text, Escape::kYes);
  }
  // The mark of the end cannot stand in the text.
  return "<![CDATA[" +
         base::replace_all(valid_text(element.text, Escape::kNo), "]]>", "]]]]><![CDATA[>") + "]]>";
}

void write(const XmlElement& element, const std::string& indent, std::string& out) {
  out += indent + "<" + element.name;
  for (const auto& [name, text] : element.attributes) {
    out += " " + name + "=\"" + valid_text(text, Escape::kYes) + "\"";
  }
  out += ">" + content_of(element);
  for (const XmlElement& child : element.children) {
    out += "\n";
    write(child, indent + "\t", out);
  }
  out += (element.children.empty() ? "" : "\n" + indent) + "</" + element.name + ">";
}

}  // namespace

std::string xml_text(const XmlElement& root) {
  std::string out;
  write(root, "", out);
  return out + "\n";
}

}  // namespace chartwright::suite
