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

/// A member of the values that a schema objects to.
struct FaultyMember {
  std::vector<value::Path::Step> path;
  std::string meant;  ///< A property with a name near to one that the schema does not know.
};

/// A compiled JSON schema: drafts 4, 6, 7, 2019-09 and 2020-12 by "$schema" (default 2020-12).
/// Immutable, thread-safe. References stay inside the document, the drafts' own meta-schemas aside:
/// nothing is ever loaded from a file or the network; urn: references allow everything, or are
/// refused. Source: santhosh-tekuri/jsonschema v6.0.3, helm/helm v3 pkg/chartutil/jsonschema.go.
class Schema {
 public:
  /// Errors: kParse for malformed JSON; kSchema for bad references, regular expressions and what
  /// the draft's meta-schema refuses; kBudget for too many subschemas.
  static base::Result<Schema> compile(std::string_view json, const SchemaRules& rules = {});
  /// Error: kSchema whose text has a line "- at '/path': what is wrong" per fault and ends in a
  /// line end, as Helm prints it; kBudget when validation would not end soon.
  /// `faulty`, unless null, gets the members that this is about.
  base::Status validate(const value::Value& v, std::vector<FaultyMember>* faulty = nullptr) const;
  /// The same faults one by one, each with its place in the value (helm/schema/error.h); none when
  /// it is valid. Error: kBudget.
  base::Result<std::vector<SchemaFault>> faults(const value::Value& v) const;

 private:
  explicit Schema(std::shared_ptr<const SchemaGraph> graph) : graph_(std::move(graph)) {}
  std::shared_ptr<const SchemaGraph> graph_;
};

}  // namespace chartwright::helm
