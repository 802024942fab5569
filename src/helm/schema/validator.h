// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "helm/schema/error.h"
#include "helm/schema/graph.h"
#include "helm/schema/resources.h"
#include "helm/schema/scope.h"
#include "helm/schema/unevaluated.h"
#include "value/value.h"

// Internal to schema validation: its entry is validate_schema in schema_error.h.
namespace chartwright::helm {

/// What all validators of one run share.
struct SchemaRun {
  static constexpr int kDepthMax = 1000;
  static constexpr int64_t kStepsMax = 20'000'000;
  /// What all faults may take, those included that another alternative made up for.
  static constexpr size_t kFaultBytesMax = size_t{64} << 20;

  int64_t steps = 0;  ///< Schemas applied, and members, texts and patterns that they look at.
  size_t fault_bytes = 0;
  bool exhausted = false;  ///< The faults found are not all, and no verdict.
  /// Of the schema that is being judged, if the value is one.
  const SchemaResources* resources = nullptr;

  /// Whether a bound has been passed: validation ends soon.
  bool is_exhausted() {
    exhausted = exhausted || steps > kStepsMax || fault_bytes > kFaultBytesMax;
    return exhausted;
  }
};

/// kVerdict: only whether the value is valid; faults then lack their location.
enum class Detail : uint8_t { kFaults, kVerdict };

/// Validates one value against one node: makes one validator for each pair that this leads to.
/// Members are visited in bytewise order of their names where Go visits a map, so that messages are
/// stable. The references must outlive it. Source: santhosh-tekuri/jsonschema v6 validator.go.
class SchemaValidator {
 public:
  using Fault = SchemaFault;
  using Outcome = std::optional<Fault>;  ///< nullopt: valid.

  SchemaValidator(SchemaRun& run, const value::Value& v, const InstancePlace& place,
                  const SchemaNode& node, const SchemaScope& scope, Tracking tracking,
                  Detail detail)
      : run_(run),
        v_(v),
        place_(place),
        node_(node),
        scope_(scope),
        rest_(unevaluated_of(v, node, tracking)),
        detail_(detail) {}

  /// Says that the value is a schema and `meta` the meta-schema that judges it; nullptr: it is
  /// none.
  void judge_as_schema(const SchemaNode* meta) { meta_ = meta; }
  Outcome validate();
  const Unevaluated& rest() const { return rest_; }
  /// The faults of one outcome: a group's own.
  static std::vector<Fault> melted(Outcome outcome);

 private:
  // schema_validate.cc: references, conditions, and what is found.
  Fault fault(std::string text) const;
  void add(Outcome outcome);
  void add(std::string text) { faults_.push_back(fault(std::move(text))); }
  void add(std::string text, std::vector<Fault> causes);
  bool decided() const { return detail_ == Detail::kVerdict && !faults_.empty(); }
  Outcome result();
  Outcome cycle_fault(const SchemaScope& cycle) const;
  void check_by_type();
  void conditions();
  void all_of();
  void any_of();
  void one_of();
  void dynamic_references();
  void unevaluated();
  Outcome reference(const SchemaNode& target, std::string_view keyword);
  /// This value against another schema; what that evaluates counts here, too.
  Outcome same_value(const SchemaNode& node, std::string_view keyword, Detail detail);
  Outcome inner_value(const SchemaNode& node, const value::Value& v,
                      std::variant<std::string_view, size_t> token);
  const SchemaNode& judge_of(const SchemaNode& node, const InstancePlace& place,
                             const SchemaNode*& meta) const;

  // schema_members.cc: the keywords of objects and arrays.
  void check_object();
  void check_array();
  void dependency(const std::string& name, const DependencyRule& rule);
  void require_beside(const std::string& name, const std::vector<std::string>& names);
  void check_members();
  /// Whether a keyword looked at the member; `forbidden` takes its name if it may not be there.
  bool check_member(const std::string& name, const value::Value& member,
                    std::vector<std::string>& forbidden);
  void check_names();
  void check_unique(const std::vector<value::Value>& items);
  void check_items(const std::vector<value::Value>& items);
  void check_contains(const std::vector<value::Value>& items);

  SchemaRun& run_;
  const value::Value& v_;
  const InstancePlace& place_;
  const SchemaNode& node_;
  const SchemaScope& scope_;
  Unevaluated rest_;
  Detail detail_;
  const SchemaNode* meta_ = nullptr;  // The meta-schema, where a schema is being judged.
  std::vector<Fault> faults_;
};

}  // namespace chartwright::helm
