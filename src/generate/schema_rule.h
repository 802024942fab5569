// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "bundle/cel.h"
#include "generate/json_schema.h"
#include "generate/yaml_text.h"
#include "value/value.h"
#include "yaml/document.h"

namespace chartwright::generate {

/// A place in a custom resource that a rule is about.
struct RulePlace {
  const Yaml* shape;          ///< The structural schema of the value.
  const value::Value* usual;  ///< The value there by default, which a table adds to; nullptr: none.
  std::string self;           ///< "self", "self.db".
};

/// Says in CEL what a JSON schema requires of a value that its structural schema has accepted, and
/// that is completed with the defaults of the chart. A null that removes a default counts as left
/// out: for CEL they are the same.
class SchemaRules {
 public:
  /// `document` must outlive the rules.
  explicit SchemaRules(const WrittenSchema& document) : document_(document) {}

  /// Returns the condition of the keyword at `key` of `schema`; nullopt if CEL cannot express it.
  std::optional<bundle::Cel> keyword(const yaml::DocumentNode& schema,
                                     const yaml::DocumentEntry& entry, const RulePlace& place);
  /// Returns the condition of a whole schema; nullopt if CEL cannot express it.
  std::optional<bundle::Cel> condition(const yaml::DocumentNode& schema, const RulePlace& place);
  /// Returns the condition that "then" or "else" of `schema`, which has an "if", sets.
  std::optional<bundle::Cel> branch(const yaml::DocumentNode& schema, std::string_view name,
                                    const RulePlace& place);
  /// Returns the condition of `schema` for one member of a table.
  std::optional<bundle::Cel> member(const yaml::DocumentEntry& property, const RulePlace& place);
  /// Reports whether `value` is right for `schema`, as Helm says; nullopt: it is not known.
  std::optional<bool> accepts(const yaml::DocumentNode& schema, const value::Value& value);
  /// Returns why the last condition could not be expressed; "" if there is no simple reason.
  /// Schemas that refer to others again and again become too large.
  const std::string& obstacle() const { return obstacle_; }

 private:
  struct Field;

  std::optional<bundle::Cel> on_any(const yaml::DocumentNode& schema,
                                    const yaml::DocumentEntry& entry, const RulePlace& place);
  std::optional<bundle::Cel> on_object(const yaml::DocumentNode& schema,
                                       const yaml::DocumentEntry& entry, const RulePlace& place);
  std::optional<bundle::Cel> on_string(const yaml::DocumentNode& schema,
                                       const yaml::DocumentEntry& entry, const RulePlace& place);
  std::optional<bundle::Cel> on_number(const yaml::DocumentNode& schema,
                                       const yaml::DocumentEntry& entry, const RulePlace& place);
  std::optional<bundle::Cel> on_list(const yaml::DocumentEntry& entry, const RulePlace& place);
  std::optional<bundle::Cel> type_is(const yaml::DocumentNode& schema, const RulePlace& place);
  std::optional<bundle::Cel> equals_one(const yaml::DocumentEntry& entry, const RulePlace& place);
  std::optional<bundle::Cel> depend(const yaml::DocumentEntry& entry, const RulePlace& place);
  std::optional<bundle::Cel> present(const std::string& name, const RulePlace& place);
  std::optional<bundle::Cel> all_present(const yaml::DocumentNode& names, const RulePlace& place);
  Field field(const std::string& name, const RulePlace& place);
  std::optional<bundle::Cel> cannot(std::string why);
  bool may_work(size_t bytes);
  std::optional<bundle::Cel> read_keyword(const yaml::DocumentNode& schema,
                                          const yaml::DocumentEntry& entry, const RulePlace& place);

  const WrittenSchema& document_;
  int depth_ = 0;
  size_t work_ = 0;  ///< In bytes of schemas and rules.
  std::string obstacle_;
};

}  // namespace chartwright::generate
