// SPDX-License-Identifier: Apache-2.0
// Validates a value against a compiled schema: references, conditions, and code shared by all
// keywords. Source: santhosh-tekuri/jsonschema v6 validator.go, kind/kind.go.
#include "go/quote.h"
#include "helm/schema/assertions.h"
#include "helm/schema/error.h"
#include "helm/schema/meta.h"
#include "helm/schema/validator.h"

namespace chartwright::helm {

using value::Value;

namespace {

/// Returns the steps for examining every member of a value, or its whole string, including the
/// node's pattern if it has one.
int64_t steps_through(const Value& v, const SchemaNode& node) {
  if (v.is_dict()) {
    return static_cast<int64_t>(v.as_dict().size());
  }
  if (v.is_list()) {
    return static_cast<int64_t>(v.as_list().items.size());
  }
  if (!v.is_string()) {
    return 0;
  }
  const size_t bytes = v.as_string().size();
  return text_steps(node.pattern != nullptr ? node.pattern->search_work(bytes) : bytes);
}

}  // namespace

SchemaValidator::Outcome SchemaValidator::validate() {
  run_.steps += 1 + steps_through(v_, node_);
  if (scope_.depth > SchemaRun::kDepthMax) {
    run_.exhausted = true;
  }
  if (run_.is_exhausted()) {
    return fault("validation would not end");
  }
  if (node_.boolean) {
    return *node_.boolean ? Outcome() : fault("false schema");
  }
  if (const SchemaScope* cycle = scope_.cycle()) {
    return cycle_fault(*cycle);
  }
  if (auto wrong = value_fault(node_, v_, run_.steps)) {
    return fault(*std::move(wrong));
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

SchemaFault SchemaValidator::fault(std::string text) const {
  Fault made{
      detail_ == Detail::kFaults ? place_.pointer() : "", std::move(text), Fault::Form::kPlain, {}};
  run_.fault_bytes += sizeof(Fault) + made.location.size() + made.text.size();
  return made;
}

void SchemaValidator::add(Outcome outcome) {
  if (outcome) {
    faults_.push_back(std::move(*outcome));
  }
}

void SchemaValidator::add(std::string text, std::vector<Fault> causes) {
  faults_.push_back(fault(std::move(text)));
  faults_.back().causes = std::move(causes);
}

std::vector<SchemaFault> SchemaValidator::melted(Outcome outcome) {
  std::vector<Fault> faults;
  if (outcome && outcome->form == Fault::Form::kGroup) {
    faults = std::move(outcome->causes);
  } else if (outcome) {
    faults.push_back(std::move(*outcome));
  }
  return faults;
}

SchemaValidator::Outcome SchemaValidator::result() {
  if (faults_.empty()) {
    return std::nullopt;
  }
  if (faults_.size() == 1) {
    return std::move(faults_.front());
  }
  Fault group = fault("validation failed");
  group.form = Fault::Form::kGroup;
  group.causes = std::move(faults_);
  return group;
}

SchemaValidator::Outcome SchemaValidator::cycle_fault(const SchemaScope& cycle) const {
  return fault("both " + scope_.keyword_location() + " and " + cycle.keyword_location() +
               " resolve to " + go::quote(node_.location) + " causing reference cycle");
}

void SchemaValidator::check_by_type() {
  for (std::string& text : limit_faults(node_, v_)) {
    add(std::move(text));
  }
  if (v_.is_dict() && !decided()) {
    check_object();
  } else if (v_.is_list()) {
    check_array();
  }
}

void SchemaValidator::conditions() {
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

void SchemaValidator::all_of() {
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

void SchemaValidator::any_of() {
  std::vector<Fault> faults;
  bool matched = node_.any_of.empty();
  for (const SchemaNode* schema : node_.any_of) {
    if (Outcome outcome = same_value(*schema, "", detail_)) {
      faults.push_back(std::move(*outcome));
    } else {
      matched = true;
      if (rest_.empty()) {
        break;  // further alternatives could only mark more members as evaluated
      }
    }
  }
  if (!matched) {
    add("'anyOf' failed", std::move(faults));
  }
}

void SchemaValidator::one_of() {
  std::vector<Fault> faults;
  std::optional<size_t> matched;
  for (size_t i = 0; i < node_.one_of.size(); ++i) {
    Outcome outcome = same_value(*node_.one_of[i], "", matched ? Detail::kVerdict : detail_);
    if (outcome) {
      faults.push_back(std::move(*outcome));
    } else if (!matched) {
      matched = i;
    } else {
      add("'oneOf' failed, subschemas " + localized_integer(static_cast<int64_t>(*matched)) + ", " +
          localized_integer(static_cast<int64_t>(i)) + " matched");
      return;
    }
  }
  if (!matched && !node_.one_of.empty()) {
    add("'oneOf' failed, none matched", std::move(faults));
  }
}

void SchemaValidator::dynamic_references() {
  if (const SchemaNode* target = node_.recursive_ref) {
    add(reference(target->recursive_anchor ? *scope_.outermost_recursive(target) : *target,
                  "$recursiveRef"));
  }
  if (node_.dynamic_ref) {
    const SchemaNode* target = node_.dynamic_ref->target;
    const std::string& anchor = node_.dynamic_ref->anchor;
    if (!anchor.empty() && target->dynamic_anchor == anchor) {
      target = scope_.outermost_anchor(anchor, target);
    }
    add(reference(*target, "$dynamicRef"));
  }
}

void SchemaValidator::unevaluated() {
  if (v_.is_dict() && node_.unevaluated_properties != nullptr) {
    for (const std::string& name : rest_.props) {
      add(inner_value(*node_.unevaluated_properties, *v_.find(name), name));
    }
    rest_.props.clear();
  }
  if (v_.is_list() && node_.unevaluated_items != nullptr) {
    for (const size_t i : rest_.items) {
      add(inner_value(*node_.unevaluated_items, v_.as_list().items[i], i));
    }
    rest_.items.clear();
  }
}

SchemaValidator::Outcome SchemaValidator::reference(const SchemaNode& target,
                                                    std::string_view keyword) {
  Outcome outcome = same_value(target, keyword, detail_);
  if (!outcome) {
    return outcome;
  }
  Fault wrapped = fault("validation failed");
  wrapped.form = Fault::Form::kReference;
  wrapped.causes = melted(std::move(outcome));
  return wrapped;
}

SchemaValidator::Outcome SchemaValidator::same_value(const SchemaNode& node,
                                                     std::string_view keyword, Detail detail) {
  const SchemaScope scope{&node, keyword, scope_.value_id, scope_.depth + 1, &scope_};
  const Tracking tracking = rest_.empty() ? Tracking::kIfNeeded : Tracking::kAlways;
  const SchemaNode* meta = meta_;
  const Subject subject{v_, place_, judge_of(node, place_, meta), scope, tracking};
  SchemaValidator inner(run_, subject, detail_ == Detail::kVerdict ? detail_ : detail);
  inner.judge_as_schema(meta);
  Outcome outcome = inner.validate();
  if (!outcome) {
    rest_.merge(inner.rest());
  }
  return outcome;
}

SchemaValidator::Outcome SchemaValidator::inner_value(
    const SchemaNode& node, const Value& v, std::variant<std::string_view, size_t> token) {
  const SchemaScope scope{&node, "", scope_.value_id + 1, scope_.depth + 1, &scope_};
  const InstancePlace place{&place_, token};
  const SchemaNode* meta = meta_;
  const Subject subject{v, place, judge_of(node, place, meta), scope};
  SchemaValidator inner(run_, subject, detail_);
  inner.judge_as_schema(meta);
  return inner.validate();
}

// When a schema is checked against its meta-schema, a subschema with a draft of its own is checked
// against the meta-schema of that draft, which then replaces `meta`.
const SchemaNode& SchemaValidator::judge_of(const SchemaNode& node, const InstancePlace& place,
                                            const SchemaNode*& meta) const {
  if (&node != meta) {
    return node;
  }
  if (const SchemaResource* own = run_.resources->at(place.pointer())) {
    meta = meta_schema(own->draft, node_.release).root;
  }
  return *meta;
}

base::Result<std::vector<SchemaFault>> validate_schema(const SchemaGraph& graph, const Value& v,
                                                       const SchemaResources* resources) {
  SchemaRun run;
  run.resources = resources;
  const SchemaNode& root = *graph.root;
  const InstancePlace whole;
  const SchemaScope scope{&root, "", 0, 0, nullptr};
  SchemaValidator validator(run, {v, whole, root, scope}, Detail::kFaults);
  if (resources != nullptr) {
    validator.judge_as_schema(&root);
  }
  auto outcome = validator.validate();
  if (run.exhausted) {
    return base::Error(
        base::ErrorCode::kBudget,
        "values.schema.json: validation takes too many steps or is nested too deeply");
  }
  return SchemaValidator::melted(std::move(outcome));
}

}  // namespace chartwright::helm
