// SPDX-License-Identifier: Apache-2.0
#include "chart/template_error.h"

#include "base/strings.h"
#include "base/unicode.h"
#include "chart/functions.h"

namespace chartwright::chart {
namespace {

constexpr std::string_view kColon = ": ";
constexpr size_t kSnippetBytesMax = 160;

/// The same error with another message.
base::Error reworded(const base::Error& error, std::string message) {
  base::Error clean(error.code(), std::move(message));
  if (error.pos()) {
    clean = std::move(clean).at(*error.pos());
  }
  return std::move(clean).with_help(error.help());
}

std::string_view line_of(std::string_view source, int line) {
  for (int at = 1; at < line; ++at) {
    const size_t end = source.find('\n');
    if (end == std::string_view::npos) {
      return {};
    }
    source.remove_prefix(end + 1);
  }
  return source.substr(0, source.find('\n'));
}

}  // namespace

base::Error clean_parse_error(base::Error error, std::string_view source) {
  const std::string& text = error.message();
  const size_t location = text.find(kColon);
  if (location == std::string::npos) {
    return error;
  }
  const size_t begin = location + kColon.size();
  const size_t end = text.find(kColon, begin);
  const size_t last = text.rfind(kColon) + kColon.size();
  std::string clean =
      "parse error at (" + text.substr(begin, end - begin) + "): " + text.substr(last);
  return with_snippet(reworded(error, std::move(clean)), source);
}

base::Error clean_exec_error(base::Error error) {
  const std::string& text = error.message();
  const size_t location = text.find(kColon);
  const size_t rest = location == std::string::npos ? location : text.find(kColon, location + 1);
  if (error.code() != base::ErrorCode::kTemplate || rest == std::string::npos) {
    return error;
  }
  // The message may itself hold markers: from the first start to the last end.
  const size_t start = text.find(kUserErrorStart, rest);
  const size_t end = text.rfind(kUserErrorEnd);
  if (start == std::string::npos || end == std::string::npos ||
      end < start + kUserErrorStart.size()) {
    return error;
  }
  const size_t message = start + kUserErrorStart.size();
  const std::string position =
      text.substr(location + kColon.size(), rest - location - kColon.size());
  return reworded(error,
                  "execution error at (" + position + "): " + text.substr(message, end - message));
}

base::Error with_snippet(base::Error error, std::string_view source) {
  if (!error.pos() || error.pos()->line <= 0) {
    return error;
  }
  const std::string_view line = line_of(source, error.pos()->line);
  if (line.empty() || line.size() > kSnippetBytesMax) {
    return error;
  }
  const std::string number = std::to_string(error.pos()->line);
  std::string help = number + " | " + std::string(line);
  if (error.pos()->column > 0) {
    // As wide as the text before the column; tabs stay tabs, so that the caret stands right.
    std::string indent(number.size(), ' ');
    indent += " | ";
    std::string_view before = line.substr(0, static_cast<size_t>(error.pos()->column) - 1);
    while (!before.empty()) {
      const base::DecodedRune decoded = base::decode_rune(before);
      indent += decoded.rune == '\t' ? '\t' : ' ';
      before.remove_prefix(decoded.size);
    }
    help += "\n" + indent + "^";
  }
  if (!error.help().empty()) {
    help += "\n" + error.help();
  }
  return std::move(error).with_help(std::move(help));
}

}  // namespace chartwright::chart
