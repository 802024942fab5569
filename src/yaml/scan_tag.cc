// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "base/ascii.h"
#include "yaml/scanner.h"

// Directives, tags, anchors and aliases.
namespace chartwright::yaml {
namespace {

bool is_word_char(unsigned char c) {
  return base::is_ascii_alphanumeric(c) || c == '_' || c == '-';
}

bool is_uri_char(unsigned char c) {
  constexpr std::string_view kOthers = ";/?:@&=+$,.!~*'()[]%";
  return is_word_char(c) ||
         (c != 0 && kOthers.find(static_cast<char>(c)) != std::string_view::npos);
}

// Returns the length of the UTF-8 sequence that starts with this octet, or 0 if none does.
int sequence_width(int octet) {
  if (octet < 0x80) {
    return 1;
  }
  if (octet >= 0xC0 && octet < 0xE0) {
    return 2;
  }
  if (octet >= 0xE0 && octet < 0xF0) {
    return 3;
  }
  return octet >= 0xF0 && octet < 0xF8 ? 4 : 0;
}

}  // namespace

bool Scanner::scan_words(std::string& out) {
  if (!need(1)) {
    return false;
  }
  while (is_word_char(source_.at())) {
    out += source_.read();
    if (!need(1)) {
      return false;
    }
  }
  return true;
}

// "%YAML" version | "%TAG" handle prefix
bool Scanner::fetch_directive() {
  unroll_indent(-1);
  if (!remove_simple_key()) {
    return false;
  }
  simple_key_allowed_ = false;
  Token token = take_indicator(TokenKind::kVersionDirective, 1);
  const Mark start = token.start;
  std::string name;
  if (!scan_words(name)) {
    return false;
  }
  if (name.empty()) {
    return fail(start, "could not find expected directive name");
  }
  if (!source_.is_blank_or_end()) {
    return fail(start, "found unexpected non-alphabetical character");
  }
  if (name != "YAML" && name != "TAG") {
    return fail(start, "found unknown directive name");
  }
  if (!(name == "YAML" ? scan_version(start, token) : scan_tag_directive(start, token))) {
    return false;
  }
  token.end = source_.mark();
  if (!finish_line(start)) {
    return false;
  }
  push(token);
  return true;
}

bool Scanner::scan_version(const Mark& start, Token& token) {
  std::string version;
  if (!need(1) || !skip_blanks() || !scan_version_number(start, version)) {
    return false;
  }
  if (!source_.is('.')) {
    return fail(start, "did not find expected digit or '.' character");
  }
  source_.skip();
  version += '.';
  if (!scan_version_number(start, version)) {
    return false;
  }
  token.text = keep(std::move(version));
  return true;
}

bool Scanner::scan_version_number(const Mark& start, std::string& out) {
  constexpr int kMaxDigits = 2;
  if (!need(1)) {
    return false;
  }
  int digits = 0;
  int value = 0;
  while (base::is_ascii_digit(source_.at())) {
    if (++digits > kMaxDigits) {
      return fail(start, "found extremely long version number");
    }
    value = value * 10 + (source_.at() - '0');
    if (!next()) {
      return false;
    }
  }
  out += std::to_string(value);
  return digits > 0 || fail(start, "did not find expected version number");
}

bool Scanner::scan_tag_directive(const Mark& start, Token& token) {
  token.kind = TokenKind::kTagDirective;
  std::string handle;
  std::string prefix;
  if (!need(1) || !skip_blanks() || !scan_tag_handle(start, true, handle) || !need(1)) {
    return false;
  }
  if (!source_.is_blank()) {
    return fail(start, "did not find expected whitespace");
  }
  if (!skip_blanks() || !scan_tag_uri(start, {}, prefix) || !need(1)) {
    return false;
  }
  token.text = keep(std::move(handle));
  token.suffix = keep(std::move(prefix));
  return source_.is_blank_or_end() || fail(start, "did not find expected whitespace or line break");
}

// ("&" | "*") word
bool Scanner::fetch_anchor(TokenKind kind) {
  if (!save_simple_key()) {
    return false;
  }
  simple_key_allowed_ = false;
  Token token = take_indicator(kind, 1);
  std::string name;
  if (!scan_words(name)) {
    return false;
  }
  token.end = source_.mark();
  constexpr std::string_view kMayFollow = "?:,]}%@`";
  const bool ends = source_.is_blank_or_end() ||
                    kMayFollow.find(static_cast<char>(source_.at())) != std::string_view::npos;
  if (name.empty() || !ends) {
    return fail(token.start, "did not find expected alphabetic or numeric character");
  }
  token.text = keep(std::move(name));
  push(token);
  return true;
}

// "!<" uri ">" | "!" | "!" uri | "!!" uri | "!" word "!" uri
bool Scanner::fetch_tag() {
  if (!save_simple_key()) {
    return false;
  }
  simple_key_allowed_ = false;
  Token token = token_here(TokenKind::kTag);
  if (!need(2)) {
    return false;
  }
  if (source_.is('<', 1)) {
    source_.skip();
    source_.skip();
    std::string uri;
    if (!scan_tag_uri(token.start, {}, uri)) {
      return false;
    }
    token.suffix = keep(std::move(uri));
    if (!source_.is('>')) {
      return fail(token.start, "did not find the expected '>'");
    }
    source_.skip();
  } else if (!scan_shorthand_tag(token.start, token)) {
    return false;
  }
  if (!need(1)) {
    return false;
  }
  if (!source_.is_blank_or_end()) {
    return fail(token.start, "did not find expected whitespace or line break");
  }
  token.end = source_.mark();
  push(token);
  return true;
}

bool Scanner::scan_shorthand_tag(const Mark& start, Token& token) {
  std::string handle;
  if (!scan_tag_handle(start, false, handle)) {
    return false;
  }
  // Otherwise it is the start of a local tag.
  const bool is_handle = handle.size() > 1 && handle.back() == '!';
  std::string uri;
  if (!scan_tag_uri(start, is_handle ? std::string_view() : handle, uri)) {
    return false;
  }
  token.text = is_handle ? keep(std::move(handle)) : "!";
  token.suffix = keep(std::move(uri));
  if (token.suffix.empty()) {
    std::swap(token.text, token.suffix);
  }
  return true;
}

// "!" | "!!" | "!" word "!"; outside of a directive also "!" word, which the URI continues.
bool Scanner::scan_tag_handle(const Mark& start, bool in_directive, std::string& handle) {
  if (!need(1)) {
    return false;
  }
  if (!source_.is('!')) {
    return fail(start, "did not find expected '!'");
  }
  handle += source_.read();
  if (!scan_words(handle)) {
    return false;
  }
  if (source_.is('!')) {
    handle += source_.read();
    return true;
  }
  return !in_directive || handle == "!" || fail(start, "did not find expected '!'");
}

// `head` is the part of the tag that has been read; its "!" is not part of the URI.
bool Scanner::scan_tag_uri(const Mark& start, std::string_view head, std::string& uri) {
  bool found = !head.empty();
  if (found) {
    uri += head.substr(1);
  }
  if (!need(1)) {
    return false;
  }
  while (is_uri_char(source_.at())) {
    if (source_.is('%')) {
      if (!scan_uri_escapes(start, uri)) {
        return false;
      }
    } else {
      uri += source_.read();
    }
    if (!need(1)) {
      return false;
    }
    found = true;
  }
  return found || fail(start, "did not find expected tag URI");
}

// Scans the "%XX" octets of one UTF-8 sequence.
bool Scanner::scan_uri_escapes(const Mark& start, std::string& out) {
  int left = 0;
  do {
    if (!need(3)) {
      return false;
    }
    const int high = base::hex_digit_value(source_.at(1));
    const int low = base::hex_digit_value(source_.at(2));
    if (!source_.is('%') || high < 0 || low < 0) {
      return fail(start, "did not find URI escaped octet");
    }
    const int octet = high << 4 | low;
    if (left == 0) {
      left = sequence_width(octet);
      if (left == 0) {
        return fail(start, "found an incorrect leading UTF-8 octet");
      }
    } else if ((octet & 0xC0) != 0x80) {
      return fail(start, "found an incorrect trailing UTF-8 octet");
    }
    out += static_cast<char>(octet);
    for (int i = 0; i < 3; ++i) {
      source_.skip();
    }
    --left;
  } while (left > 0);
  return true;
}

}  // namespace chartwright::yaml
