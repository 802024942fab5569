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

// Internal to schema validation, whose entry point is validate_schema in error.h.
namespace chartwright::helm {

/// State that all validators of one run share.
struct SchemaRun {
  static constexpr int kDepthMax = 1000;
  static constexpr int64_t kStepsMax = 20'000'000;
  /// Limit for all faults together, including those of a failed alternative when another one
  /// matched.
  static constexpr size_t kFaultBytesMax = size_t{64} << 20;

  int64_t steps = 0;  ///< Schemas applied, plus members, strings and patterns they examine.
  size_t fault_bytes = 0;
  bool exhausted = false;  ///< If true, the faults found are incomplete and give no verdict.
  /// The resources of the value, if it is itself a schema; otherwise nullptr.
  const SchemaResources* resources = nullptr;

  /// Reports whether a limit has been exceeded, in which case validation stops soon.
  bool is_exhausted() {
    exhausted = exhausted || steps > kStepsMax || fault_bytes > kFaultBytesMax;
    return exhausted;
  }
};

/// With kVerdict only the validity matters, and faults have no location.
enum class Detail : uint8_t { kFaults, kVerdict };

/// Validates one value against one node, with further validators for the members and subschemas.
/// Where Go iterates over a map, members are visited in bytewise order of their names, so that
/// messages are stable. The references must outlive the validator.
/// Source: santhosh-tekuri/jsonschema v6 validator.go.
class SchemaValidator {
 public:
  using Fault = SchemaFault;
  using Outcome = std::optional<Fault>;  ///< nullopt: valid.

  /// A value, and the node that it has to match.
  struct Subject {
    const value::Value& value;
    const InstancePlace& place;
    const SchemaNode& node;
    const SchemaScope& scope;
    Tracking tracking = Tracking::kIfNeeded;
  };

  SchemaValidator(SchemaRun& run, const Subject& subject, Detail detail)
      : run_(run),
        v_(subject.value),
        place_(subject.place),
        node_(subject.node),
        scope_(subject.scope),
        rest_(unevaluated_of(subject.value, subject.node, subject.tracking)),
        detail_(detail) {}

  /// Treats the value as a schema to be checked against the meta-schema `meta`; nullptr if the
  /// value is not a schema.
  void judge_as_schema(const SchemaNode* meta) { meta_ = meta; }
  Outcome validate();
  const Unevaluated& rest() const { return rest_; }
  /// Returns the faults of an outcome: the members of a group, or the fault itself.
  static std::vector<Fault> melted(Outcome outcome);

 private:
  // validate.cc: references, conditions and the collection of faults.
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
  /// Validates this value against another schema. Members that it evaluates count as evaluated
  /// here, too.
  Outcome same_value(const SchemaNode& node, std::string_view keyword, Detail detail);
  Outcome inner_value(const SchemaNode& node, const value::Value& v,
                      std::variant<std::string_view, size_t> token);
  const SchemaNode& judge_of(const SchemaNode& node, const InstancePlace& place,
                             const SchemaNode*& meta) const;

  // members.cc: the keywords of objects and arrays.
  void check_object();
  void check_array();
  void dependency(const std::string& name, const DependencyRule& rule);
  void require_beside(const std::string& name, const std::vector<std::string>& names);
  void check_members();
  /// Reports whether a keyword evaluated the member. Adds its name to `forbidden` if it is not
  /// allowed.
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
  const SchemaNode* meta_ = nullptr;  // The meta-schema, if the value is a schema.
  std::vector<Fault> faults_;
};

}  // namespace chartwright::helm
