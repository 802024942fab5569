// SPDX-License-Identifier: Apache-2.0
#include "suite/failure_text.h"

#include "base/strings.h"
#include "suite/typed_yaml.h"

namespace chartwright::suite {

std::vector<std::string> failure_lines(FailurePlace place, const std::vector<FailurePart>& parts) {
  std::vector<std::string> lines;
  if (place.document >= 0) {
    lines.push_back("DocumentIndex:\t" + std::to_string(place.document));
  }
  if (place.value >= 0) {
    lines.push_back("ValuesIndex:\t" + std::to_string(place.value));
  }
  for (const auto& [heading, text] : parts) {
    std::string indented = base::replace_all(text, "\n", "\n\t");
    const size_t start = std::min(indented.find_first_not_of("\n\t "), indented.size());
    indented.erase(0, start);
    indented.erase(indented.find_last_not_of("\n\t ") + 1);
    if (heading == "Path:") {
      lines.push_back(heading + "\t" + indented);
      continue;
    }
    lines.push_back(heading);
    indented.insert(0, 1, '\t');
    for (std::string_view line : base::split(indented, '\n')) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

std::vector<std::string> error_lines(FailurePlace place, const std::string& text) {
  return failure_lines(place, {{"Error:", text}});
}

std::string expected(bool negative, std::string_view what) {
  return (negative ? "Expected NOT" : "Expected") + std::string(what) + ":";
}

std::string shown(const value::Value& v) {
  const auto text = typed_yaml(v);
  return text.ok() ? *text : text.error().message();
}

std::string uniform(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ' ') {
      size_t end = text.find_first_not_of(' ', at);
      end = std::min(end, text.size());
      const size_t line_end = text.substr(end).starts_with("\r\n") ? end + 1 : end;
      if (line_end < text.size() && text[line_end] == '\n') {
        at = line_end - 1;
        continue;
      }
      out.append(text.substr(at, end - at));
      at = end - 1;
      continue;
    }
    out += text[at];
  }
  out.erase(0, std::min(out.find_first_not_of('\n'), out.size()));
  return out;
}

}  // namespace chartwright::suite
