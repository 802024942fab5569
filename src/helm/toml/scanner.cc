// SPDX-License-Identifier: Apache-2.0
#include "helm/toml/scanner.h"

#include "base/unicode.h"

namespace chartwright::helm {
namespace {

base::Error on_line(std::string message, int line) {
  return base::Error(base::ErrorCode::kParse, std::move(message)).at({"", line, 0});
}

bool is_control(char32_t c) { return (c < 0x20 && c != '\t' && !is_toml_line_end(c)) || c == 0x7F; }

std::string hex_byte(char32_t byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'0', 'x', kDigits[(byte >> 4) & 0xF], kDigits[byte & 0xF]};
}

}  // namespace

char32_t TomlScanner::fault(std::string message) {
  fault_ = std::move(message);
  return kFault;
}

char32_t TomlScanner::next() {
  if (!fault_.empty()) {
    return kFault;
  }
  if (pos_ >= text_.size()) {
    at_end_ = true;
    return kEnd;
  }
  line_ += text_[pos_] == '\n' ? 1 : 0;
  const auto [rune, size] = base::decode_rune(text_.substr(pos_));
  if (rune == base::kRuneError && size == 1) {
    return fault("invalid UTF-8 byte: " + hex_byte(static_cast<unsigned char>(text_[pos_])));
  }
  const bool lone_return = rune == '\r' && text_.substr(pos_ + 1, 1) != "\n";
  if (is_control(rune) || lone_return) {
    return fault("TOML files cannot contain control characters: '" + hex_byte(rune) + "'");
  }
  pos_ += size;
  return rune;
}

void TomlScanner::backup() {
  if (!fault_.empty()) {
    return;
  }
  if (at_end_) {
    at_end_ = false;
    return;
  }
  do {
    --pos_;
  } while (base::is_utf8_continuation(text_[pos_]));
  line_ -= text_[pos_] == '\n' ? 1 : 0;
}

char32_t TomlScanner::peek() {
  const char32_t c = next();
  backup();
  return c;
}

bool TomlScanner::accept(char32_t wanted) {
  if (next() == wanted) {
    return true;
  }
  backup();
  return false;
}

void TomlScanner::skip_blanks() {
  while (is_toml_blank(next())) {
  }
  backup();
  ignore();
}

base::Result<TomlToken> TomlScanner::take() {
  if (!fault_.empty()) {
    return on_line(fault_, line_);
  }
  const TomlToken token{current(), line_};
  ignore();
  return token;
}

base::Error TomlScanner::error(std::string message) const {
  if (!fault_.empty()) {
    return on_line(fault_, line_);
  }
  const bool after_line = at_end_ && pos_ > 0 && text_[pos_ - 1] == '\n';
  return on_line(std::move(message), after_line ? line_ - 1 : line_);
}

base::Error TomlScanner::error_before(std::string message) const {
  return fault_.empty() ? on_line(std::move(message), line_ - 1) : on_line(fault_, line_);
}

base::Error TomlScanner::escape_error(std::string message) const {
  return at_end_ ? error_before(std::move(message)) : error(std::move(message));
}

}  // namespace chartwright::helm
