// SPDX-License-Identifier: Apache-2.0
#include "pki/pem.h"

#include "go/base_encoding.h"

namespace chartwright::pki {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kDashes = "-----";
constexpr size_t kLineLength = 64;

// Returns the start of the next line that begins with `mark`, or npos if there is none.
size_t find_line(std::string_view text, std::string_view mark) {
  size_t at = text.find(mark);
  while (at != std::string_view::npos && at > 0 && text[at - 1] != '\n') {
    at = text.find(mark, at + 1);
  }
  return at;
}

// Removes the first line from `text` and returns it.
std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view without_trailing_space(std::string_view line) {
  const size_t last = line.find_last_not_of(" \t\r\n");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// Removes the "Name: value" lines from the front of `text`.
void skip_headers(std::string_view& text) {
  while (text.substr(0, text.find('\n')).find(':') != std::string_view::npos) {
    take_line(text);
  }
}

}  // namespace

std::optional<PemBlock> first_pem_block(const std::string& text) {
  std::string_view rest = text;
  for (size_t at = find_line(rest, kBegin); at != std::string_view::npos;
       at = find_line(rest, kBegin)) {
    rest.remove_prefix(at + kBegin.size());
    const std::string_view head = without_trailing_space(take_line(rest));
    if (!head.ends_with(kDashes)) {
      continue;
    }
    const std::string type(head.substr(0, head.size() - kDashes.size()));
    std::string_view body = rest;
    skip_headers(body);
    const size_t end = find_line(body, std::string(kEnd) + type + std::string(kDashes));
    if (end == std::string_view::npos) {
      continue;
    }
    std::string digits;
    for (char c : body.substr(0, end)) {
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
        digits += c;
      }
    }
    base::Result<std::string> der = go::decode_base64(digits);
    if (der.ok()) {
      return PemBlock{type, std::move(der).value()};
    }
  }
  return std::nullopt;
}

std::string to_pem(const PemBlock& block) {
  std::string out = std::string(kBegin) + block.type + std::string(kDashes) + "\n";
  const std::string digits = go::encode_base64(block.der);
  for (size_t at = 0; at < digits.size(); at += kLineLength) {
    out += digits.substr(at, kLineLength) + "\n";
  }
  return out + std::string(kEnd) + block.type + std::string(kDashes) + "\n";
}

}  // namespace chartwright::pki
