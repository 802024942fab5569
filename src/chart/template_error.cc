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

std::string snippet(const base::SourcePos& pos, std::string_view source) {
  const std::string_view line = pos.line > 0 ? line_of(source, pos.line) : std::string_view();
  if (line.empty() || line.size() > kSnippetBytesMax) {
    return "";
  }
  const std::string number = std::to_string(pos.line);
  std::string text = number + " | " + std::string(line);
  if (pos.column <= 0) {
    return text;
  }
  // As wide as the text before the column; tabs stay tabs, so that the caret stands right.
  text += "\n" + std::string(number.size(), ' ') + " | ";
  std::string_view before = line.substr(0, static_cast<size_t>(pos.column) - 1);
  while (!before.empty()) {
    const base::DecodedRune decoded = base::decode_rune(before);
    text += decoded.rune == '\t' ? '\t' : ' ';
    before.remove_prefix(decoded.size);
  }
  return text + "^";
}

base::Error with_snippet(base::Error error, std::string_view source) {
  std::string help = error.pos() ? snippet(*error.pos(), source) : "";
  if (help.empty()) {
    return error;
  }
  if (!error.help().empty()) {
    help += "\n" + error.help();
  }
  return std::move(error).with_help(std::move(help));
}

std::vector<base::SourcePos> frames_of(std::string_view message) {
  constexpr std::string_view kStart = "template: ";
  constexpr std::string_view kEnd = ": executing \"";
  std::vector<base::SourcePos> frames;
  for (size_t end = message.find(kEnd); end != std::string_view::npos;
       end = message.find(kEnd, end + 1)) {
    const size_t start = message.rfind(kStart, end);
    if (start == std::string_view::npos) {
      continue;
    }
    const std::string_view place =
        message.substr(start + kStart.size(), end - start - kStart.size());
    const size_t column = place.rfind(':');
    const size_t line = column == std::string_view::npos ? column : place.rfind(':', column - 1);
    if (line == std::string_view::npos) {
      continue;
    }
    // Texts count columns from 0, positions from 1.
    frames.push_back(
        {std::string(place.substr(0, line)),
         static_cast<int>(base::parse_int(place.substr(line + 1, column - line - 1)).value_or(0)),
         static_cast<int>(base::parse_int(place.substr(column + 1)).value_or(-1)) + 1});
  }
  return frames;
}

}  // namespace chartwright::chart
