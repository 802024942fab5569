// SPDX-License-Identifier: Apache-2.0
#include "helm/toml/key.h"

#include "go/quote.h"
#include "helm/toml/string.h"

// Source: BurntSushi/toml v1.6.0 lex.go from lexTableStart to lexKeyEnd.
namespace chartwright::helm {
namespace {

using base::Result;

// Reads one part. An unquoted part may be empty; the caller then rejects the next character.
Result<std::string> read_part(TomlScanner& scan, char32_t first) {
  if (first == '"' || first == '\'') {
    scan.next();
    return read_toml_key_string(scan, first);
  }
  while (is_toml_bare(scan.next())) {
  }
  scan.backup();
  CW_TRY(const TomlToken token, scan.take());
  return std::string(token.text);
}

}  // namespace

Result<TomlKeyAt> read_toml_header_key(TomlScanner& scan) {
  TomlKeyAt at;
  TomlKey& key = at.key;
  while (true) {
    scan.skip_blanks();
    const char32_t first = scan.peek();
    if (first == ']' || first == TomlScanner::kEnd) {
      return scan.error("unexpected end of table name (table names cannot be empty)");
    }
    if (first == '.') {
      return scan.error("unexpected table separator (table names cannot be empty)");
    }
    CW_TRY(std::string part, read_part(scan, first));
    at.line = key.empty() ? scan.line() : at.line;
    key.push_back(std::move(part));
    scan.skip_blanks();
    const char32_t c = scan.next();
    if (c == ']') {
      return at;
    }
    if (c != '.') {
      return scan.error("expected '.' or ']' to end table name, but got " + go::quote_rune(c) +
                        " instead");
    }
    scan.ignore();
  }
}

Result<TomlKeyAt> read_toml_member_key(TomlScanner& scan) {
  TomlKeyAt at;
  TomlKey& key = at.key;
  while (true) {
    scan.skip_blanks();
    const char32_t first = scan.peek();
    if (first == '=' || first == TomlScanner::kEnd) {
      return scan.error(key.empty() ? "unexpected '=': key name appears blank" : "unexpected '='");
    }
    if (first == '.') {
      return scan.error(key.empty() ? "unexpected '.': keys cannot start with a '.'"
                                    : "unexpected '.'");
    }
    CW_TRY(std::string part, read_part(scan, first));
    at.line = key.empty() ? scan.line() : at.line;
    key.push_back(std::move(part));
    scan.skip_blanks();
    const char32_t c = scan.next();
    scan.ignore();
    if (c == '=') {
      return at;
    }
    if (c == TomlScanner::kEnd) {
      return scan.error("unexpected EOF; expected key separator '='");
    }
    if (c != '.') {
      std::string message = "expected '.' or '=', but got " + go::quote_rune(c) + " instead";
      return c == '\n' ? scan.error_before(std::move(message)) : scan.error(std::move(message));
    }
  }
}

}  // namespace chartwright::helm
