// SPDX-License-Identifier: Apache-2.0
#include "defaults/value_lines.h"

#include "base/printable.h"
#include "base/strings.h"
#include "defaults/credential.h"
#include "yaml/yaml.h"

namespace chartwright::defaults {
namespace {

constexpr size_t kValueLinesMax = 12;
constexpr size_t kValueBytesMax = 1'000;

}  // namespace

std::vector<std::string> value_lines(const std::string& key, const value::Value& value,
                                     std::string_view command) {
  value::Value member = value::Value::dict();
  member.mutable_dict().set(key, without_credentials(secrecy_of(key), value));
  const std::string text = yaml::to_yaml(member).value_or("");
  const std::string_view shown = std::string_view(text).substr(0, text.find_last_not_of('\n') + 1);
  std::vector<std::string> lines;
  for (std::string_view line : base::split(shown, '\n')) {
    lines.push_back(base::printable(line));
  }
  // A text with control characters cannot be written as YAML.
  if (text.empty() || lines.size() > kValueLinesMax || text.size() > kValueBytesMax) {
    const std::string name = base::printable(key);
    const std::string size =
        std::to_string(lines.size()) + (lines.size() == 1 ? " line" : " lines");
    lines = {name + (value.is_dict() ? ": {}" : ": …") + "  # " + size + "; " +
             std::string(command) + "." + name};
  }
  return lines;
}

}  // namespace chartwright::defaults
