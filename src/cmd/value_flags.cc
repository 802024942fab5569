// SPDX-License-Identifier: Apache-2.0
#include "cmd/value_flags.h"

#include "base/file.h"
#include "base/strings.h"
#include "helm/chart/values_file.h"
#include "helm/values/strvals.h"

namespace chartwright::cmd {
namespace {

using value::Value;

constexpr size_t kValuesBytesMax = size_t{100} << 20;

base::Result<std::string> read_source(const std::string& path, Streams& streams) {
  return base::trim(path) == "-" ? streams.in() : base::read_file(path, kValuesBytesMax);
}

base::Status add_file(const ValuesText& file, helm::ValuesRule rule, Value& values) {
  const auto& [path, text] = file;
  auto decoded = helm::decode_values_file(text, rule);
  if (!decoded.ok()) {
    const auto pos = decoded.error().pos();
    auto error = std::move(decoded).error().wrap("failed to parse " + path);
    return pos ? std::move(error).at({path, pos->line, pos->column}) : error;
  }
  values = helm::overlay(values, *decoded);
  return {};
}

/// Adds the name of a flag to an error.
base::Status in_flag(base::Status status, std::string_view flag) {
  return status.ok() ? status
                     : base::Status(std::move(status).error().wrap("failed parsing " +
                                                                   std::string(flag) + " data"));
}

}  // namespace

void declare_value_flags(FlagSet& flags, ValueFlags& into) {
  flags.comma_texts(
      into.value_files,
      {"values", 'f', "specify values in a YAML file (can specify multiple)", kTakesFile});
  flags.texts(into.set, {"set", '\0', "set values on the command line: key1=val1,key2=val2"});
  flags.texts(into.set_string, {"set-string", '\0', "set STRING values on the command line"});
  flags.texts(into.set_file, {"set-file", '\0', "set values from files: key1=path1,key2=path2"});
  flags.texts(into.set_json, {"set-json", '\0', "set JSON values: key1=jsonval1,key2=jsonval2"});
  flags.texts(into.set_literal, {"set-literal", '\0', "set a literal STRING value"});
}

base::Result<Value> merge_value_flags(const ValueFlags& options, helm::ValuesRule rule,
                                      Streams& streams, std::vector<ValuesText>* texts) {
  Value values = Value::dict();
  for (const std::string& path : options.value_files) {
    CW_TRY(std::string text, read_source(path, streams));
    ValuesText file{path, std::move(text)};
    CW_TRY_VOID(add_file(file, rule, values));
    if (texts != nullptr) {
      texts->push_back(std::move(file));
    }
  }
  for (const std::string& line : options.set_json) {
    if (auto status = helm::parse_set_json(line, values, rule); !status.ok()) {
      const bool is_object =
          rule == helm::ValuesRule::kAllDocuments && base::trim(line).starts_with('{');
      return base::Error(status.error().code(),
                         "failed parsing --set-json data " + (is_object ? "JSON: " + line : line));
    }
  }
  for (const std::string& line : options.set) {
    CW_TRY_VOID(in_flag(helm::parse_set(line, helm::SetMode::kTyped, values, rule), "--set"));
  }
  for (const std::string& line : options.set_string) {
    CW_TRY_VOID(
        in_flag(helm::parse_set(line, helm::SetMode::kString, values, rule), "--set-string"));
  }
  const auto read = [&streams](std::string_view path) -> base::Result<Value> {
    CW_TRY(std::string text, read_source(std::string(path), streams));
    return Value::string(std::move(text));
  };
  for (const std::string& line : options.set_file) {
    CW_TRY_VOID(in_flag(helm::parse_set_with(line, read, values, rule), "--set-file"));
  }
  for (const std::string& line : options.set_literal) {
    CW_TRY_VOID(in_flag(helm::parse_set_literal(line, values, rule), "--set-literal"));
  }
  return values;
}

}  // namespace chartwright::cmd
