// SPDX-License-Identifier: Apache-2.0
#include "report/report_files.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/printable.h"
#include "report/redaction.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::cmd {
namespace {

constexpr size_t kSegmentBytesMax = 200;
constexpr std::string_view kErrorsFile = "errors.txt";

/// Returns a name of a file or folder on every system: Windows knows no "system:node".
std::string segment_of(std::string_view text) {
  std::string segment;
  for (const char c : text.substr(0, kSegmentBytesMax)) {
    const bool is_plain = base::is_ascii_alphanumeric(c) || c == '-' || c == '.' || c == '_';
    segment += is_plain ? c : '_';
  }
  const bool is_name = segment.find_first_not_of('.') != std::string::npos;
  return is_name ? segment : "_" + segment;
}

/// Cuts a text that is too long at the end of a line: a part of a secret would not be recognised.
std::string cut(const std::string& text, Keep keep, size_t bytes) {
  if (keep == Keep::kEnd) {
    const size_t end_of_line = text.find('\n', text.size() - bytes);
    return end_of_line == std::string::npos ? "" : text.substr(end_of_line + 1);
  }
  const std::string begin = text.substr(0, bytes);
  return begin.substr(0, begin.find_last_of('\n') + 1);
}

/// Returns an object in YAML, or in JSON where YAML has no form for a character in it.
std::string object_text(const std::string& json, const host::SecretMask& mask) {
  const auto object = value::parse_json(json, value::Numbers::kInt64);
  const value::Value masked = object.ok() ? masked_texts(*object, mask) : value::Value();
  auto text = yaml::to_yaml(masked);
  return text.ok() ? *std::move(text) : value::to_json_pretty(masked).value_or("");
}

}  // namespace

std::string ReportFiles::free_name(const std::vector<std::string>& path) const {
  std::string name;
  for (const std::string& segment : path) {
    name += (name.empty() ? "" : "/") + segment_of(segment);
  }
  std::string free = name;
  for (int number = 2; files_.contains(free); ++number) {
    free = name + "." + std::to_string(number);
  }
  return free;
}

void ReportFiles::put(const std::string& name, File file) {
  if (is_full_) {
    return;
  }
  if (files_.size() == kFilesMax || bytes_ + file.text.size() > kTotalBytesMax) {
    is_full_ = true;
    gap("the report is full: " + name +
        " and all that comes after it is left out. Name fewer custom resources");
    return;
  }
  bytes_ += file.text.size();
  files_.emplace(name, std::move(file));
}

void ReportFiles::add(const std::vector<std::string>& path, std::string text, Keep keep) {
  const std::string name = free_name(path);
  if (text.size() > kFileBytesMax) {
    gap(name + " was cut: it has " + std::to_string(text.size()) + " bytes, of which the " +
        (keep == Keep::kBegin ? "first " : "last ") + std::to_string(kFileBytesMax) + " are kept");
    text = cut(text, keep, kFileBytesMax);
  }
  put(name, {Form::kText, std::move(text)});
}

void ReportFiles::add_object(const std::vector<std::string>& path, const value::Value& object) {
  const std::string name = free_name(path);
  auto json = value::to_json(object, value::JsonEscape::kNone);
  if (!json.ok()) {
    gap(name + " is left out: " + json.error().message());
  } else if (json->size() > kFileBytesMax) {
    gap(name + " is left out: it has " + std::to_string(json->size()) + " bytes, and may have " +
        std::to_string(kFileBytesMax));
  } else {
    put(name, {Form::kObject, *std::move(json)});
  }
}

void ReportFiles::gap(std::string_view what) {
  std::string line = base::printable(what);
  if (gaps_.size() < kGapsMax && std::ranges::find(gaps_, line) == gaps_.end()) {
    gaps_.push_back(std::move(line));
  }
}

std::map<std::string, std::string> ReportFiles::take(const host::SecretMask& mask) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, file] : std::exchange(files_, {})) {
    texts.emplace(name,
                  file.form == Form::kText ? mask.masked(file.text) : object_text(file.text, mask));
  }
  std::string errors;
  for (const std::string& line : gaps_) {
    errors += mask.masked(line) + "\n";
  }
  if (gaps_.size() == kGapsMax) {
    errors += "There is more, which is left out.\n";
  }
  texts[std::string(kErrorsFile)] = errors.empty() ? "Everything was read.\n" : errors;
  return texts;
}

}  // namespace chartwright::cmd
