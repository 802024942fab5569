// SPDX-License-Identifier: Apache-2.0
#include "base/unicode.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <map>

#include "test/base/answer_file.h"

namespace chartwright::base {
namespace {

// Returns the FNV-1a hash of the answers for every rune, as the oracle computes it.
std::string hash_of(const std::function<char32_t(char32_t)>& answer) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char32_t rune = 0; rune <= 0x10FFFF; ++rune) {
    const char32_t value = answer(rune);
    for (int shift = 0; shift < 24; shift += 8) {
      hash = (hash ^ ((value >> shift) & 0xFF)) * 0x100000001b3;
    }
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

TEST_CASE("Classes and mappings of all runes are those of Go", "[large]") {
  const std::map<std::string, std::function<char32_t(char32_t)>> functions = {
      {"is_upper", is_upper},   {"is_lower", is_lower}, {"is_title", is_title},
      {"is_letter", is_letter}, {"is_digit", is_digit}, {"is_number", is_number},
      {"is_space", is_space},   {"is_punct", is_punct}, {"is_print", is_print},
      {"to_upper", to_upper},   {"to_lower", to_lower}, {"to_title", to_title}};
  const std::vector<Answer> answers = read_answers("base/unicode.txt");
  CHECK(answers.size() == functions.size());
  for (const Answer& answer : answers) {
    CAPTURE(answer.input);
    CHECK(hash_of(functions.at(answer.input)) == answer.text);
  }
}

TEST_CASE("Text is decoded as Go does") {
  for (const Answer& answer : read_answers("base/utf8.txt")) {
    CAPTURE(answer.input);
    const DecodedRune decoded = decode_rune(answer.input);
    CHECK(std::to_string(static_cast<uint32_t>(decoded.rune)) + " " + std::to_string(decoded.size) +
              " " + std::to_string(rune_count(answer.input)) +
              (is_valid_utf8(answer.input) ? " true" : " false") ==
          answer.text);
  }
}

TEST_CASE("Long texts are cut between characters") {
  CHECK(shortened("abcdef", 6) == "abcdef");
  CHECK(shortened("abcdefg", 6) == "abc...");
  CHECK(shortened("a\u00e4\u20acdefg", 6) == "a\u00e4...");
  CHECK(shortened("\U0001F600\U0001F600", 6) == "...");
  CHECK(shortened("abcd", 3) == "...");
}

TEST_CASE("Encoded characters are decoded again") {
  for (const char32_t rune :
       {0x0U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    std::string text;
    append_rune(text, rune);
    CHECK(decode_rune(text).rune == rune);
    CHECK(decode_rune(text).size == text.size());
  }
  for (const char32_t rune : {0xD800U, 0xDFFFU, 0x110000U}) {
    std::string text;
    append_rune(text, rune);
    CHECK(text == "\xef\xbf\xbd");
  }
}

}  // namespace
}  // namespace chartwright::base
