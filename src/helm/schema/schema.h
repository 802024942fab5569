// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/version/profile.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::helm {

struct SchemaFault;
struct SchemaGraph;
class SchemaSource;

/// A member of the values that does not match the schema.
struct FaultyMember {
  std::vector<value::Path::Step> path;
  std::string meant;  ///< For an unknown member: a property with a similar name, or "".
};

/// A compiled JSON schema: draft 4, 6, 7, 2019-09 or 2020-12 by "$schema" (default 2020-12).
/// Immutable, thread-safe. References may lead to the document itself, to the drafts' own
/// meta-schemas, and to what a SchemaSource loads, never to a file. A urn: reference allows
/// everything or is an error, depending on SchemaRules.
/// Source: santhosh-tekuri/jsonschema v6.0.3, helm/helm v3 pkg/chartutil/jsonschema.go.
class Schema {
 public:
  /// Compiles a schema with the documents that it refers to, which `source` loads; nullptr: none
  /// can be loaded. Errors: kParse for malformed JSON; kSchema for bad references, bad regular
  /// expressions and schemas that do not match their draft's meta-schema, the latter with causes
  /// whose fields are JSON pointers into the document; kBudget for too many subschemas or
  /// documents; kUnavailable and kTimeout of the source.
  static base::Result<Schema> compile(std::string_view json, const SchemaRules& rules = {},
                                      const SchemaSource* source = nullptr);
  /// Validates `v`. Adds the members at fault to `faulty`, unless it is null. Errors: kSchema, with
  /// a line "- at '/path': what is wrong" for each fault and a final newline, as Helm prints it;
  /// kBudget if validation takes too long.
  base::Status validate(const value::Value& v, std::vector<FaultyMember>* faulty = nullptr) const;
  /// Returns the same faults one by one, each with its location in the value (see error.h); empty
  /// if `v` is valid. Error: kBudget.
  base::Result<std::vector<SchemaFault>> faults(const value::Value& v) const;

 private:
  explicit Schema(std::shared_ptr<const SchemaGraph> graph) : graph_(std::move(graph)) {}
  std::shared_ptr<const SchemaGraph> graph_;
};

}  // namespace chartwright::helm
