// SPDX-License-Identifier: Apache-2.0
#include "go/base_encoding.h"

#include <algorithm>
#include <cstdint>

namespace chartwright::go {
namespace {

constexpr std::string_view kAlphabet64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kAlphabet32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

base::Error corrupt(std::string_view base, size_t at) {
  return base::Error(base::ErrorCode::kParse,
                     "illegal " + std::string(base) + " data at input byte " + std::to_string(at));
}

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

// Encodes `bits_each` bits per character, and pads with '=' to a multiple of `group` characters.
std::string encode(std::string_view data, std::string_view alphabet, unsigned bits_each,
                   size_t group) {
  std::string out;
  out.reserve(data.size() * 8 / bits_each + group);
  uint32_t pending = 0;
  unsigned pending_bits = 0;
  const auto emit = [&](unsigned shift) {
    out += alphabet[(pending >> shift) & (alphabet.size() - 1)];
  };
  for (char c : data) {
    pending = (pending << 8U) | static_cast<unsigned char>(c);
    pending_bits += 8;
    while (pending_bits >= bits_each) {
      pending_bits -= bits_each;
      emit(pending_bits);
    }
  }
  if (pending_bits > 0) {
    pending <<= bits_each - pending_bits;
    emit(0);
  }
  while (out.size() % group != 0) {
    out += '=';
  }
  return out;
}

// Appends the whole bytes encoded by `count` characters of `bits_each` bits.
void append_bits(std::string& out, const unsigned* digits, size_t count, unsigned bits_each) {
  uint64_t bits = 0;
  for (size_t i = 0; i < count; ++i) {
    bits = (bits << bits_each) | digits[i];
  }
  const size_t total = count * bits_each;
  for (size_t used = 8; used <= total; used += 8) {
    out += static_cast<char>((bits >> (total - used)) & 0xFFU);
  }
}

// Reads base64 in groups of four characters.
class Base64Reader {
 public:
  explicit Base64Reader(std::string_view text) : text_(text) {}
  base::Result<std::string> read();

 private:
  base::Status read_group();
  base::Status read_padding(size_t digits);
  void skip_line_ends() {
    while (at_ < text_.size() && is_line_end(text_[at_])) {
      ++at_;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
};

// Called after `digits` characters of the group and one '=' have been consumed.
base::Status Base64Reader::read_padding(size_t digits) {
  if (digits < 2) {
    return corrupt("base64", at_ - 1);
  }
  if (digits == 2) {
    skip_line_ends();
    if (at_ == text_.size()) {
      return corrupt("base64", text_.size());
    }
    if (text_[at_] != '=') {
      return corrupt("base64", at_ - 1);
    }
    ++at_;
  }
  skip_line_ends();
  if (at_ < text_.size()) {
    return corrupt("base64", at_);
  }
  return {};
}

base::Status Base64Reader::read_group() {
  unsigned digits[4];
  size_t count = 0;
  while (count < 4) {
    if (at_ == text_.size()) {
      if (count == 0) {
        return {};
      }
      return corrupt("base64", at_ - count);
    }
    const char c = text_[at_++];
    if (is_line_end(c)) {
      continue;
    }
    const size_t digit = kAlphabet64.find(c);
    if (digit != std::string_view::npos) {
      digits[count++] = static_cast<unsigned>(digit);
      continue;
    }
    if (c != '=') {
      return corrupt("base64", at_ - 1);
    }
    CW_TRY_VOID(read_padding(count));
    break;
  }
  append_bits(out_, digits, count, 6);
  return {};
}

base::Result<std::string> Base64Reader::read() {
  while (at_ < text_.size()) {
    CW_TRY_VOID(read_group());
  }
  return std::move(out_);
}

// Reads base32 without line breaks in groups of eight characters.
class Base32Reader {
 public:
  explicit Base32Reader(std::string_view text) : text_(text) {}
  base::Result<std::string> read();

 private:
  base::Status read_group();
  base::Status check_padding(size_t digits) const;

  std::string_view text_;
  size_t at_ = 0;
  bool ended_ = false;
  std::string out_;
};

// Called after `digits` characters of the last group and the first '=' have been consumed.
base::Status Base32Reader::check_padding(size_t digits) const {
  const size_t left = text_.size() - at_;
  if (left + digits < 7) {
    return corrupt("base32", text_.size());
  }
  for (size_t k = 0; k < 7 - digits && k < left; ++k) {
    if (text_[at_ + k] != '=') {
      return corrupt("base32", at_ + k - 1);
    }
  }
  if (digits == 3 || digits == 6) {  // Not a whole number of bytes.
    return corrupt("base32", at_ - 1);
  }
  return {};
}

base::Status Base32Reader::read_group() {
  unsigned digits[8];
  size_t count = 0;
  while (count < 8) {
    if (at_ == text_.size()) {
      return corrupt("base32", at_ - count);
    }
    const char c = text_[at_++];
    if (c == '=' && count >= 2 && text_.size() - at_ < 8) {
      CW_TRY_VOID(check_padding(count));
      ended_ = true;
      break;
    }
    const size_t digit = kAlphabet32.find(c);
    if (digit == std::string_view::npos) {
      return corrupt("base32", at_ - 1);
    }
    digits[count++] = static_cast<unsigned>(digit);
  }
  append_bits(out_, digits, count, 5);
  return {};
}

base::Result<std::string> Base32Reader::read() {
  while (at_ < text_.size() && !ended_) {
    CW_TRY_VOID(read_group());
  }
  return std::move(out_);
}

}  // namespace

std::string encode_base64(std::string_view data) { return encode(data, kAlphabet64, 6, 4); }
std::string encode_base32(std::string_view data) { return encode(data, kAlphabet32, 5, 8); }

base::Result<std::string> decode_base64(std::string_view text) { return Base64Reader(text).read(); }

base::Result<std::string> decode_base32(std::string_view text) {
  std::string stripped(text);
  stripped.erase(std::remove_if(stripped.begin(), stripped.end(), is_line_end), stripped.end());
  return Base32Reader(stripped).read();
}

}  // namespace chartwright::go
