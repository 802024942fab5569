// SPDX-License-Identifier: Apache-2.0
#include "chart/decode.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "chart/coalesce.h"
#include "chart/go_struct.h"
#include "value/json.h"
#include "value/yaml.h"

namespace chartwright::chart {
namespace {

using value::Value;

constexpr std::string_view kDictType = "map[string]interface {}";
constexpr std::string_view kListType = "[]interface {}";

base::Error wrong_json_type(const Value& v, std::string_view go_type) {
  return base::Error(base::ErrorCode::kParse, "json: cannot unmarshal " +
                                                  std::string(json_type(v)) +
                                                  " into Go value of type " + std::string(go_type));
}

/// One document of a stream and how many lines come before it.
struct Document {
  std::string text;
  int lines_before = 0;
};

/// Documents between lines of "---", which only blanks and a comment may follow.
/// Source: k8s.io/apimachinery pkg/util/yaml/decoder.go YAMLReader.
base::Result<std::vector<Document>> split_documents(std::string_view text) {
  std::vector<Document> documents;
  Document document;
  int passed = 0;
  for (size_t start = 0; start < text.size(); ++passed) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    if (line.starts_with("---")) {
      const std::string_view rest = base::trim(line.substr(3));
      if (!rest.empty() && rest.front() != '#') {
        return base::Error(base::ErrorCode::kParse,
                           "error reading yaml document: invalid Yaml document separator: " +
                               std::string(rest))
            .at({"", passed + 1, 1});
      }
      if (!document.text.empty()) {
        documents.push_back(std::move(document));
        document = {"", passed + 1};
        continue;
      }
    }
    document.text.append(line).append("\n");
  }
  if (!document.text.empty()) {
    documents.push_back(std::move(document));
  }
  return documents;
}

/// Texts count lines from the start of the document, places from the start of the file.
base::Error in_document(base::Error error, int lines_before) {
  const std::optional<base::SourcePos> pos = error.pos();
  error = std::move(error).wrap("cannot unmarshal yaml document");
  return pos ? std::move(error).at({pos->file, pos->line + lines_before, pos->column}) : error;
}

}  // namespace

base::Result<Value> decode_yaml_dict(std::string_view text) {
  CW_TRY(Value v, value::parse_yaml(text, value::Numbers::kFloat64));
  if (v.is_nil()) {
    return Value::dict();
  }
  return v.is_dict() ? base::Result<Value>(std::move(v)) : wrong_top_type(v, kDictType);
}

base::Result<Value> decode_values_file(std::string_view text, ValuesRule rule) {
  if (rule == ValuesRule::kFirstDocument) {
    return decode_yaml_dict(text);
  }
  CW_TRY(const std::vector<Document> documents, split_documents(text));
  Value values = Value::dict();
  for (const Document& document : documents) {
    auto part = decode_yaml_dict(document.text);
    if (!part.ok()) {
      return in_document(std::move(part).error(), document.lines_before);
    }
    values = overlay(values, *part);
  }
  return values;
}

base::Result<Value> decode_yaml_list(std::string_view text) {
  CW_TRY(Value v, value::parse_yaml(text, value::Numbers::kFloat64));
  if (v.is_nil()) {
    return Value::list({});  // sigs.k8s.io/yaml leaves the target alone; encoding/json would not.
  }
  return v.is_list() ? base::Result<Value>(std::move(v)) : wrong_top_type(v, kListType);
}

base::Result<Value> decode_json_dict(std::string_view text) {
  CW_TRY(Value v, value::parse_json(text, value::Numbers::kFloat64));
  if (v.is_nil()) {
    return Value::dict();
  }
  return v.is_dict() ? base::Result<Value>(std::move(v)) : wrong_json_type(v, kDictType);
}

base::Result<Value> decode_json_list(std::string_view text) {
  CW_TRY(Value v, value::parse_json(text, value::Numbers::kFloat64));
  if (v.is_nil()) {
    return Value::nil_list();
  }
  return v.is_list() ? base::Result<Value>(std::move(v)) : wrong_json_type(v, kListType);
}

}  // namespace chartwright::chart
