// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/values_file.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "helm/chart/document_reader.h"
#include "helm/chart/go_decode.h"

namespace chartwright::helm {
namespace {

using value::Value;

/// Adjusts an error in a document that starts after `lines_before` lines: its message counts lines
/// from the start of the document, its position from the start of the file.
base::Error in_document(base::Error error, int lines_before) {
  const std::optional<base::SourcePos> pos = error.pos();
  error = std::move(error).wrap("cannot unmarshal yaml document");
  return pos ? std::move(error).at({pos->file, pos->line + lines_before, pos->column}) : error;
}

}  // namespace

base::Result<Value> decode_values_file(std::string_view text, ValuesRule rule) {
  if (rule == ValuesRule::kFirstDocument) {
    return decode_yaml_dict(text);
  }
  auto documents = split_documents(text);
  if (!documents.ok()) {
    return std::move(documents).error().wrap("error reading yaml document");
  }
  Value values = Value::dict();
  for (const YamlDocument& document : *documents) {
    auto part = decode_yaml_dict(document.text);
    if (!part.ok()) {
      return in_document(std::move(part).error(), document.lines_before);
    }
    values = overlay(values, *part);
  }
  return values;
}

Value overlay(const Value& base, const Value& over) {
  Value out = Value::dict(std::make_shared<value::Dict>(base.as_dict()));
  for (const auto& [key, v] : over.as_dict()) {
    const Value* present = out.find(key);
    const bool both = v.is_dict() && present != nullptr && present->is_dict();
    out.mutable_dict().set(key, both ? overlay(*present, v) : v);
  }
  return out;
}

}  // namespace chartwright::helm
