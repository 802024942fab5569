// SPDX-License-Identifier: Apache-2.0
// Validates a value against a compiled schema. Members are visited in bytewise order of their names
// where Go visits a map, so that messages are stable.
// Source: santhosh-tekuri/jsonschema v6 validator.go, kind/kind.go.
#include <algorithm>
#include <set>

#include "base/strings.h"
#include "base/unicode.h"
#include "chart/schema_error.h"
#include "chart/schema_graph.h"
#include "chart/schema_meta.h"
#include "tmpl/format.h"
#include "tmpl/quote.h"

namespace chartwright::chart {
namespace {

using value::Value;
using Fault = SchemaFault;
using Outcome = std::optional<Fault>;  ///< nullopt: valid.

constexpr int kDepthMax = 1000;
constexpr int64_t kStepsMax = 20'000'000;
/// What all faults may take, those included that another alternative made up for.
constexpr size_t kFaultBytesMax = size_t{64} << 20;

/// What all validators of one run share.
struct Run {
  int64_t steps = 0;
  size_t fault_bytes = 0;
  bool exhausted = false;
  const SchemaResources* resources = nullptr;  ///< Of the schema being judged, if it is one.
};

/// The chain of schemas that led here, for cycles and dynamic references.
struct Scope {
  const SchemaNode* node;
  std::string_view keyword;  ///< The reference keyword of a jump; empty otherwise.
  int value_id;              ///< Scopes of the same value have the same id.
  int depth;
  const Scope* parent;
};

/// Properties and items that no keyword has looked at yet.
struct Unevaluated {
  std::set<std::string, std::less<>> props;
  std::set<size_t> items;

  bool empty() const { return props.empty() && items.empty(); }
  /// Keeps what the other has left, too.
  void merge(const Unevaluated& other) {
    std::erase_if(props, [&](const std::string& p) { return !other.props.contains(p); });
    std::erase_if(items, [&](size_t i) { return !other.items.contains(i); });
  }
};

enum class Tracking : uint8_t { kIfNeeded, kAlways };
enum class Detail : uint8_t { kFaults, kVerdict };  ///< kVerdict: only whether it is valid.

Unevaluated unevaluated_of(const Value& v, const SchemaNode& node, Tracking tracking) {
  Unevaluated rest;
  const bool always = tracking == Tracking::kAlways;
  if (v.is_dict() && !node.all_props_evaluated &&
      (always || node.unevaluated_properties != nullptr)) {
    for (const auto& [name, member] : v.as_dict()) {
      rest.props.insert(name);
    }
  }
  if (v.is_list() && !node.all_items_evaluated && (always || node.unevaluated_items != nullptr)) {
    for (size_t i = node.items_evaluated; i < v.as_list().items.size(); ++i) {
      rest.items.insert(i);
    }
  }
  return rest;
}

/// Validates one value against one node.
class Validator {
 public:
  Validator(Run& run, const Value& v, std::string location, const SchemaNode& node,
            const Scope& scope, Unevaluated rest, Detail detail)
      : run_(run),
        v_(v),
        location_(std::move(location)),
        node_(node),
        scope_(scope),
        rest_(std::move(rest)),
        detail_(detail) {}

  Outcome validate() {
    if (++run_.steps > kStepsMax || scope_.depth > kDepthMax || run_.fault_bytes > kFaultBytesMax) {
      run_.exhausted = true;
      return fault("validation would not end");
    }
    if (node_.boolean) {
      return *node_.boolean ? Outcome() : fault("false schema");
    }
    if (const Scope* cycle = find_cycle()) {
      return cycle_fault(*cycle);
    }
    if (Outcome wrong = check_value()) {
      return wrong;
    }
    if (node_.ref != nullptr) {
      Outcome outcome = reference(*node_.ref, "$ref");
      if (node_.draft < 2019) {
        return outcome;
      }
      add(std::move(outcome));
    }
    check_by_type();
    if (faults_.empty() || detail_ == Detail::kFaults) {
      dynamic_references();
      conditions();
      unevaluated();
    }
    return result();
  }

  /// Says that the value is a schema and the node its meta-schema.
  void judge_as_schema() { meta_ = &node_; }

  const Unevaluated& rest() const { return rest_; }

 private:
  Fault fault(std::string text) const {
    return {location_, std::move(text), Fault::Form::kPlain, {}};
  }

  void add(Outcome outcome) {
    if (outcome) {
      faults_.push_back(std::move(*outcome));
    }
  }
  void add(std::string text) { faults_.push_back(fault(std::move(text))); }
  void add(std::string text, std::vector<Fault> causes) {
    faults_.push_back({location_, std::move(text), Fault::Form::kPlain, std::move(causes)});
  }

  bool decided() const { return detail_ == Detail::kVerdict && !faults_.empty(); }

  Outcome result() {
    if (faults_.empty()) {
      return std::nullopt;
    }
    for (const Fault& found : faults_) {
      run_.fault_bytes += sizeof(Fault) + found.location.size() + found.text.size();
    }
    if (faults_.size() == 1) {
      return std::move(faults_.front());
    }
    return Fault{location_, "validation failed", Fault::Form::kGroup, std::move(faults_)};
  }

  const Scope* find_cycle() const {
    for (const Scope* s = scope_.parent; s != nullptr && s->value_id == scope_.value_id;
         s = s->parent) {
      if (s->node == scope_.node) {
        return s;
      }
    }
    return nullptr;
  }

  static std::string keyword_location(const Scope* scope) {
    std::string path;
    for (; scope->parent != nullptr; scope = scope->parent) {
      const std::string& own = scope->node->location;
      path = (scope->keyword.empty()
                  ? own.substr(std::min(own.size(), scope->parent->node->location.size()))
                  : "/" + std::string(scope->keyword)) +
             path;
    }
    return path;
  }

  Outcome cycle_fault(const Scope& cycle) const {
    return fault("both " + keyword_location(&scope_) + " and " + keyword_location(&cycle) +
                 " resolve to " + tmpl::quote(node_.location) + " causing reference cycle");
  }

  // The checks whose failure ends validation of this value.
  Outcome check_value() const {
    if (node_.types != 0 && !has_type()) {
      return fault("got " + std::string(json_type_name(json_type_of(v_))) + ", want " +
                   wanted_types());
    }
    if (node_.constant && !json_equal(v_, *node_.constant) && !is_loosely_constant(node_, v_)) {
      const bool scalar = !node_.constant->is_list() && !node_.constant->is_dict();
      return fault(scalar ? "value must be " + fault_value(*node_.constant) : "'const' failed");
    }
    if (node_.enumeration && !is_loosely_enumerated(node_, v_) &&
        std::none_of(node_.enumeration->begin(), node_.enumeration->end(),
                     [this](const Value& allowed) { return json_equal(v_, allowed); })) {
      return fault(enumeration_text());
    }
    if (!node_.format.empty()) {
      if (const auto why = format_fault(node_.format, v_, node_.release)) {
        return fault(fault_value(v_) + " is not valid " + node_.format + ": " + *why);
      }
    }
    return std::nullopt;
  }

  bool has_type() const {
    const JsonType type = json_type_of(v_);
    return (node_.types & type) != 0 ||
           ((node_.types & kIntegerType) != 0 && type == kNumberType && is_json_integer(v_));
  }

  std::string wanted_types() const {
    std::vector<std::string> wanted;
    for (int bit = kNullType; bit <= kObjectType; bit *= 2) {
      if ((node_.types & bit) != 0) {
        wanted.emplace_back(json_type_name(static_cast<JsonType>(bit)));
      }
    }
    return base::join(wanted, " or ");
  }

  std::string enumeration_text() const {
    std::vector<std::string> allowed;
    for (const Value& v : *node_.enumeration) {
      if (v.is_list() || v.is_dict()) {
        return "'enum' failed";
      }
      allowed.push_back(fault_value(v));
    }
    return (allowed.size() == 1 ? "value must be " : "value must be one of ") +
           base::join(allowed, ", ");
  }

  void check_by_type() {
    switch (json_type_of(v_)) {
      case kObjectType:
        return check_object();
      case kArrayType:
        return check_array();
      case kStringType:
        return check_string();
      case kNumberType:
        return check_number();
      default:
        return;
    }
  }

  std::vector<std::string> missing(const std::vector<std::string>& names) const {
    std::vector<std::string> absent;
    for (const std::string& name : names) {
      if (v_.find(name) == nullptr) {
        absent.push_back(name);
      }
    }
    return absent;
  }

  void check_object() {
    const auto size = static_cast<int64_t>(v_.as_dict().size());
    if (node_.min_properties && size < *node_.min_properties) {
      add(limit_fault("minProperties", size, *node_.min_properties));
    }
    if (node_.max_properties && size > *node_.max_properties) {
      add(limit_fault("maxProperties", size, *node_.max_properties));
    }
    if (const auto absent = missing(node_.required); !absent.empty()) {
      add((absent.size() == 1 ? "missing property " : "missing properties ") +
          quoted_names(absent));
    }
    if (decided()) {
      return;
    }
    for (const auto& [name, rule] : node_.dependencies) {
      if (v_.find(name) != nullptr) {
        dependency(name, rule);
      }
    }
    check_members();
    check_names();
    for (const auto& [name, schema] : node_.dependent_schemas) {
      if (v_.find(name) != nullptr) {
        add(same_value(*schema, "", detail_));
      }
    }
    for (const auto& [name, names] : node_.dependent_required) {
      if (v_.find(name) != nullptr) {
        require_beside(name, names);
      }
    }
  }

  void dependency(const std::string& name, const DependencyRule& rule) {
    if (const auto* names = std::get_if<std::vector<std::string>>(&rule)) {
      require_beside(name, *names);
    } else {
      add(same_value(*std::get<const SchemaNode*>(rule), "", detail_));
    }
  }

  void require_beside(const std::string& name, const std::vector<std::string>& names) {
    if (const auto absent = missing(names); !absent.empty()) {
      add("properties " + quoted_names(absent) + " required, if " + single_quoted(name) +
          " exists");
    }
  }

  void check_members() {
    std::vector<std::string> forbidden;
    for (const auto& [name, member] : v_.as_dict()) {
      if (decided()) {
        return;
      }
      bool evaluated = false;
      if (const auto found = node_.properties.find(name); found != node_.properties.end()) {
        evaluated = true;
        add(inner_value(*found->second, member, name));
      }
      for (const PatternNode& pattern : node_.pattern_properties) {
        if (pattern.regex->matches(name)) {
          evaluated = true;
          add(inner_value(*pattern.node, member, name));
        }
      }
      if (!evaluated && node_.additional_properties.index() != 0) {
        evaluated = true;
        if (const bool* allowed = std::get_if<bool>(&node_.additional_properties)) {
          if (!*allowed) {
            forbidden.push_back(name);
          }
        } else {
          add(inner_value(*std::get<const SchemaNode*>(node_.additional_properties), member, name));
        }
      }
      if (evaluated) {
        rest_.props.erase(name);
      }
    }
    if (!forbidden.empty()) {
      add("additional properties " + quoted_names(forbidden) + " not allowed");
      if (detail_ != Detail::kVerdict) {
        faults_.back().unknown = with_near_names(forbidden, node_.properties);
      }
    }
  }

  void check_names() {
    if (node_.property_names == nullptr) {
      return;
    }
    for (const auto& [name, member] : v_.as_dict()) {
      const Value as_value = Value::string(name);
      const Scope top{node_.property_names, "", 0, scope_.depth + 1, nullptr};
      Outcome outcome =
          Validator(run_, as_value, "", *node_.property_names, top,
                    unevaluated_of(as_value, *node_.property_names, Tracking::kIfNeeded), detail_)
              .validate();
      if (outcome) {
        std::vector<Fault> causes;
        if (outcome->form == Fault::Form::kGroup) {
          causes = std::move(outcome->causes);
        } else {
          causes.push_back(std::move(*outcome));
        }
        add("invalid propertyName " + single_quoted(name), std::move(causes));
        faults_.back().location = node_.release == SchemaRelease::k6_0_3 ? location_ : "";
      }
    }
  }

  void check_array() {
    const auto& items = v_.as_list().items;
    const auto size = static_cast<int64_t>(items.size());
    if (node_.min_items && size < *node_.min_items) {
      add(limit_fault("minItems", size, *node_.min_items));
    }
    if (node_.max_items && size > *node_.max_items) {
      add(limit_fault("maxItems", size, *node_.max_items));
    }
    if (node_.unique_items) {
      check_unique(items);
    }
    check_items(items);
    if (node_.contains != nullptr) {
      check_contains(items);
    }
  }

  void check_unique(const std::vector<Value>& items) {
    for (size_t i = 1; i < items.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (++run_.steps > kStepsMax) {
          run_.exhausted = true;
          return;
        }
        if (json_equal(items[i], items[j])) {
          add("items at " + localized_integer(static_cast<int64_t>(j)) + " and " +
              localized_integer(static_cast<int64_t>(i)) + " are equal");
          return;
        }
      }
    }
  }

  void check_items(const std::vector<Value>& items) {
    const size_t positional = std::min(items.size(), node_.positional_items.size());
    for (size_t i = 0; i < positional; ++i) {
      add(inner_value(*node_.positional_items[i], items[i], std::to_string(i)));
    }
    const SchemaNode* every = node_.items;
    if (const auto* schema = std::get_if<const SchemaNode*>(&node_.additional_items)) {
      every = *schema;
    }
    const size_t first = node_.release == SchemaRelease::k6_0_2 ? positional : 0;
    for (size_t i = positional; every != nullptr && i < items.size(); ++i) {
      add(inner_value(*every, items[i], std::to_string(i - first)));
    }
    if (const bool* allowed = std::get_if<bool>(&node_.additional_items);
        allowed != nullptr && !*allowed && positional != items.size()) {
      add("last " + localized_integer(static_cast<int64_t>(items.size() - positional)) +
          " additionalItem(s) not allowed");
    }
  }

  void check_contains(const std::vector<Value>& items) {
    std::vector<Fault> faults;
    std::vector<size_t> matched;
    for (size_t i = 0; i < items.size(); ++i) {
      if (Outcome outcome = inner_value(*node_.contains, items[i], std::to_string(i))) {
        faults.push_back(std::move(*outcome));
      } else {
        matched.push_back(i);
        if (node_.draft >= 2020) {
          rest_.items.erase(i);
        }
      }
    }
    const auto count = static_cast<int64_t>(matched.size());
    const std::string found =
        "matched " + localized_integer(count) + " items at " + index_list(matched);
    if (node_.min_contains && count < *node_.min_contains) {
      add("min " + localized_integer(*node_.min_contains) +
              " items required to match contains schema, but " +
              (matched.empty() ? "none matched" : found),
          std::move(faults));
    } else if (!node_.min_contains && matched.empty()) {
      add("no items match contains schema", std::move(faults));
    }
    if (node_.max_contains && count > *node_.max_contains) {
      add("max " + localized_integer(*node_.max_contains) +
          " items required to match contains schema, but " + found);
    }
  }

  void check_string() {
    const std::string& text = v_.as_string();
    const auto length = static_cast<int64_t>(base::rune_count(text));
    if (node_.min_length && length < *node_.min_length) {
      add(limit_fault("minLength", length, *node_.min_length));
    }
    if (node_.max_length && length > *node_.max_length) {
      add(limit_fault("maxLength", length, *node_.max_length));
    }
    if (node_.pattern != nullptr && !node_.pattern->matches(text)) {
      add(single_quoted(text) + " does not match pattern " +
          single_quoted(node_.pattern->pattern()));
    }
  }

  void check_number() {
    if (node_.minimum && compare_json_numbers(v_, *node_.minimum) < 0) {
      add(limit_fault("minimum", v_, *node_.minimum));
    }
    if (node_.maximum && compare_json_numbers(v_, *node_.maximum) > 0) {
      add(limit_fault("maximum", v_, *node_.maximum));
    }
    if (node_.exclusive_minimum && compare_json_numbers(v_, *node_.exclusive_minimum) <= 0) {
      add(limit_fault("exclusiveMinimum", v_, *node_.exclusive_minimum));
    }
    if (node_.exclusive_maximum && compare_json_numbers(v_, *node_.exclusive_maximum) >= 0) {
      add(limit_fault("exclusiveMaximum", v_, *node_.exclusive_maximum));
    }
    if (node_.multiple_of && !is_multiple_of(v_, *node_.multiple_of)) {
      add(limit_fault("multipleOf", v_, *node_.multiple_of));
    }
  }

  void conditions() {
    if (node_.not_schema != nullptr && !same_value(*node_.not_schema, "", Detail::kVerdict)) {
      add("'not' failed");
    }
    all_of();
    any_of();
    one_of();
    if (node_.if_schema != nullptr) {
      const bool holds = !same_value(*node_.if_schema, "", Detail::kVerdict);
      const SchemaNode* then = holds ? node_.then_schema : node_.else_schema;
      if (then != nullptr) {
        add(same_value(*then, "", detail_));
      }
    }
  }

  void all_of() {
    std::vector<Fault> faults;
    for (const SchemaNode* schema : node_.all_of) {
      if (Outcome outcome = same_value(*schema, "", detail_)) {
        faults.push_back(std::move(*outcome));
        if (detail_ == Detail::kVerdict) {
          break;
        }
      }
    }
    if (!faults.empty()) {
      add("'allOf' failed", std::move(faults));
    }
  }

  void any_of() {
    std::vector<Fault> faults;
    bool matched = node_.any_of.empty();
    for (const SchemaNode* schema : node_.any_of) {
      if (Outcome outcome = same_value(*schema, "", detail_)) {
        faults.push_back(std::move(*outcome));
      } else {
        matched = true;
        if (rest_.empty()) {
          break;  // the others could only mark more as evaluated
        }
      }
    }
    if (!matched) {
      add("'anyOf' failed", std::move(faults));
    }
  }

  void one_of() {
    std::vector<Fault> faults;
    std::optional<size_t> matched;
    for (size_t i = 0; i < node_.one_of.size(); ++i) {
      Outcome outcome = same_value(*node_.one_of[i], "", matched ? Detail::kVerdict : detail_);
      if (outcome) {
        faults.push_back(std::move(*outcome));
      } else if (!matched) {
        matched = i;
      } else {
        add("'oneOf' failed, subschemas " + localized_integer(static_cast<int64_t>(*matched)) +
            ", " + localized_integer(static_cast<int64_t>(i)) + " matched");
        return;
      }
    }
    if (!matched && !node_.one_of.empty()) {
      add("'oneOf' failed, none matched", std::move(faults));
    }
  }

  void dynamic_references() {
    if (const SchemaNode* target = node_.recursive_ref) {
      add(reference(target->recursive_anchor ? *outermost_recursive(target) : *target,
                    "$recursiveRef"));
    }
    if (node_.dynamic_ref) {
      const SchemaNode* target = node_.dynamic_ref->target;
      const std::string& anchor = node_.dynamic_ref->anchor;
      if (!anchor.empty() && target->dynamic_anchor == anchor) {
        target = outermost_anchor(anchor, target);
      }
      add(reference(*target, "$dynamicRef"));
    }
  }

  const SchemaNode* outermost_recursive(const SchemaNode* fallback) const {
    for (const Scope* s = &scope_; s != nullptr; s = s->parent) {
      if (s->node->resource->recursive_anchor) {
        fallback = s->node;
      }
    }
    return fallback;
  }

  const SchemaNode* outermost_anchor(const std::string& name, const SchemaNode* fallback) const {
    for (const Scope* s = &scope_; s != nullptr; s = s->parent) {
      const auto& anchors = s->node->resource->dynamic_anchors;
      if (const auto found = anchors.find(name); found != anchors.end()) {
        fallback = found->second;
      }
    }
    return fallback;
  }

  void unevaluated() {
    if (v_.is_dict() && node_.unevaluated_properties != nullptr) {
      for (const std::string& name : rest_.props) {
        add(inner_value(*node_.unevaluated_properties, *v_.find(name), name));
      }
      rest_.props.clear();
    }
    if (v_.is_list() && node_.unevaluated_items != nullptr) {
      for (const size_t i : rest_.items) {
        add(inner_value(*node_.unevaluated_items, v_.as_list().items[i], std::to_string(i)));
      }
      rest_.items.clear();
    }
  }

  Outcome reference(const SchemaNode& target, std::string_view keyword) {
    Outcome outcome = same_value(target, keyword, detail_);
    if (!outcome) {
      return outcome;
    }
    Fault wrapped{location_, "validation failed", Fault::Form::kReference, {}};
    if (outcome->form == Fault::Form::kGroup) {
      wrapped.causes = std::move(outcome->causes);
    } else {
      wrapped.causes.push_back(std::move(*outcome));
    }
    return wrapped;
  }

  /// This value against another schema; what that evaluates counts here, too.
  Outcome same_value(const SchemaNode& node, std::string_view keyword, Detail detail) {
    const Scope scope{&node, keyword, scope_.value_id, scope_.depth + 1, &scope_};
    const Tracking tracking = rest_.empty() ? Tracking::kIfNeeded : Tracking::kAlways;
    const SchemaNode* meta = meta_;
    Validator inner(run_, v_, location_, judge_of(node, location_, meta), scope,
                    unevaluated_of(v_, node, tracking),
                    detail_ == Detail::kVerdict ? detail_ : detail);
    inner.meta_ = meta;
    Outcome outcome = inner.validate();
    if (!outcome) {
      rest_.merge(inner.rest());
    }
    return outcome;
  }

  Outcome inner_value(const SchemaNode& node, const Value& v, std::string_view token) {
    const Scope scope{&node, "", scope_.value_id + 1, scope_.depth + 1, &scope_};
    const std::string escaped = base::replace_all(base::replace_all(token, "~", "~0"), "/", "~1");
    const std::string location = location_ + "/" + escaped;
    const SchemaNode* meta = meta_;
    Validator inner(run_, v, location, judge_of(node, location, meta), scope,
                    unevaluated_of(v, node, Tracking::kIfNeeded), detail_);
    inner.meta_ = meta;
    return inner.validate();
  }

  /// Where a schema is judged by its meta-schema, a subschema with a draft of its own is judged by
  /// that draft's, which takes the place of `meta`.
  const SchemaNode& judge_of(const SchemaNode& node, std::string_view location,
                             const SchemaNode*& meta) const {
    if (&node != meta) {
      return node;
    }
    if (const SchemaResource* own = run_.resources->at(location)) {
      meta = meta_schema(own->draft, node_.release).root;
    }
    return *meta;
  }

  Run& run_;
  const Value& v_;
  std::string location_;
  const SchemaNode& node_;
  const Scope& scope_;
  Unevaluated rest_;
  Detail detail_;
  const SchemaNode* meta_ = nullptr;  // The meta-schema, where a schema is being judged.
  std::vector<Fault> faults_;
};

}  // namespace

base::Result<std::vector<SchemaFault>> validate_schema(const SchemaGraph& graph, const Value& v,
                                                       const SchemaResources* resources) {
  Run run;
  run.resources = resources;
  const SchemaNode& root = *graph.root;
  const Scope scope{&root, "", 0, 0, nullptr};
  Validator validator(run, v, "", root, scope, unevaluated_of(v, root, Tracking::kIfNeeded),
                      Detail::kFaults);
  if (resources != nullptr) {
    validator.judge_as_schema();
  }
  Outcome outcome = validator.validate();
  if (run.exhausted) {
    return base::Error(
        base::ErrorCode::kBudget,
        "values.schema.json: validation takes too many steps or is nested too deeply");
  }
  std::vector<Fault> faults;
  if (outcome && outcome->form == Fault::Form::kGroup) {
    faults = std::move(outcome->causes);
  } else if (outcome) {
    faults.push_back(std::move(*outcome));
  }
  return faults;
}

}  // namespace chartwright::chart
