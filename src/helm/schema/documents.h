// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "helm/schema/graph.h"
#include "helm/schema/resources.h"
#include "helm/schema/schema_source.h"
#include "value/value.h"

namespace chartwright::helm {

/// A decoded document at a URL, while its schemas are compiled. It does not move: its resources
/// refer to its content.
struct SchemaDocument {
  SchemaDocument(value::Value decoded, std::string url)
      : content(std::move(decoded)), resources(content, std::move(url)) {}
  SchemaDocument(const SchemaDocument&) = delete;
  SchemaDocument& operator=(const SchemaDocument&) = delete;

  const value::Value content;
  SchemaResources resources;
  std::map<std::string, SchemaNode*> nodes;  ///< The key is a JSON pointer.
};

/// Decodes a schema. Numbers that fit are int64. Error: kParse as a Go decoder that reads one
/// document and then expects the end.
base::Result<value::Value> parse_schema(std::string_view json);

/// The documents of one compilation. Those that a schema refers to are loaded when they are first
/// asked for.
/// Source: santhosh-tekuri/jsonschema v6 loader.go.
class SchemaDocuments {
 public:
  static constexpr size_t kLoadedMax = 100;  ///< Documents of others that a schema may need.
  static constexpr size_t kLoadedBytesMax = size_t{16} << 20;
  static constexpr size_t kUrlBytesMax = 2048;

  /// `source` may be nullptr: then nothing is loaded. Otherwise it must outlive the object.
  explicit SchemaDocuments(const SchemaSource* source) : source_(source) {}
  SchemaDocument& add(value::Value content, const std::string& url);
  /// Returns the document at `url`. A draft's own schema is never asked of the source. Errors:
  /// those of the source, and kSchema for text that is not JSON, as "failing loading ..."; kBudget.
  base::Result<SchemaDocument*> at(const std::string& url);

 private:
  base::Result<value::Value> load(const std::string& url);

  const SchemaSource* source_;
  std::map<std::string, std::unique_ptr<SchemaDocument>> documents_;
  size_t loaded_ = 0;
  size_t loaded_bytes_ = 0;
};

}  // namespace chartwright::helm
