// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/strings.h"
#include "test/source_dir.h"

namespace chartwright::base {

/// A line of a file that test/value/oracle wrote: an input and Go's answer to it.
struct Answer {
  std::string input;
  bool ok = false;  ///< True if `text` is a result, false if it is an error message.
  std::string text;
};

/// Decodes the oracle's \xNN escapes.
inline std::string unescape_answer(std::string_view text) {
  const auto hex_digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    CW_CHECK(i + 3 < text.size() && text[i + 1] == 'x');
    out += static_cast<char>(hex_digit(text[i + 2]) * 16 + hex_digit(text[i + 3]));
    i += 3;
  }
  return out;
}

/// Reads the lines of test/cases/<name>. Aborts if there are none, so that a test cannot pass
/// without cases.
inline std::vector<Answer> read_answers(const std::string& name) {
  const std::string path = source_dir() + "/test/cases/" + name;
  const std::string content = CW_MUST(read_file(path, size_t{1} << 20));
  std::vector<Answer> answers;
  for (std::string_view line : split(content, '\n')) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    const size_t tab = line.find('\t');
    CW_CHECK(tab != std::string_view::npos && line.size() >= tab + 3);
    answers.push_back({unescape_answer(line.substr(0, tab)), line[tab + 1] == '=',
                       unescape_answer(line.substr(tab + 3))});
  }
  CW_CHECK(!answers.empty());
  return answers;
}

}  // namespace chartwright::base
