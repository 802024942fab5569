// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/usage_collector.h"

#include "base/strings.h"
#include "go/path.h"
#include "helm/render/functions.h"
#include "tmpl/parser.h"

#include <algorithm>

namespace chartwright::helm::lint {
namespace {

constexpr size_t kStepsMax = 1'000'000;
constexpr int kNestingMax = 100;
/// Maximum weight of one abstract value. Templates can double a value with each call, and can put a
/// dict into itself.
constexpr size_t kWeightMax = 1000;
/// The weight that can be examined in the time of one step.
constexpr size_t kWeightOfStep = 64;

using Kind = AbstractValue::Kind;

}  // namespace

UsageCollector::UsageCollector(const std::vector<ScopeOfChart>& scopes, Usage& into)
    : scopes_(scopes), usage_(into) {}

// Breaks cycles of shared_ptr: a dict that contains itself would never be freed.
UsageCollector::~UsageCollector() {
  for (const auto& members : written_) {
    members->clear();
  }
}

void UsageCollector::walk_file(const tmpl::Tree& tree, size_t scope) {
  const AbstractValue dot = AbstractValue::of_scope(scope);
  Frame frame{&tree, dot, {{"$", dot}}};
  statements(tree.body, frame);
}

bool UsageCollector::spend(size_t steps) {
  steps_ += steps;
  if (steps_ > kStepsMax) {
    usage_.complete = false;
  }
  return usage_.complete;
}

/// Returns the value, unless it is too large to be followed, which ends the walk.
AbstractValue UsageCollector::followed(AbstractValue value) {
  const size_t weight = value.weight(kWeightMax);
  if (weight > kWeightMax) {
    usage_.complete = false;
  }
  return spend(weight / kWeightOfStep) ? std::move(value) : AbstractValue();
}

void UsageCollector::statements(const tmpl::StatementList& list, Frame& frame) {
  const size_t depth = frame.variables.size();
  for (const tmpl::Statement& statement : list) {
    if (!spend()) {
      break;
    }
    if (const auto* action = std::get_if<tmpl::Action>(&statement)) {
      const AbstractValue value = pipe(action->pipe, frame);
      if (action->pipe.variables.empty()) {
        read(value);
      }
    } else if (const auto* inner = std::get_if<std::unique_ptr<tmpl::Branch>>(&statement)) {
      branch(**inner, frame);
    } else if (const auto* called = std::get_if<tmpl::TemplateCall>(&statement)) {
      call_template(called->name, called->pipe ? pipe(*called->pipe, frame) : AbstractValue());
    }
  }
  frame.variables.resize(std::min(depth, frame.variables.size()));
}

void UsageCollector::branch(const tmpl::Branch& node, Frame& frame) {
  const size_t depth = frame.variables.size();
  if (node.kind == tmpl::BranchKind::kRange) {
    range(node, pipe_value(node.pipe, frame), frame);
  } else {
    const AbstractValue value = pipe(node.pipe, frame);
    test(value);
    const AbstractValue before = frame.dot;
    if (node.kind == tmpl::BranchKind::kWith) {
      frame.dot = value;
    }
    statements(node.body, frame);
    frame.dot = before;
  }
  if (node.otherwise) {
    statements(*node.otherwise, frame);
  }
  frame.variables.resize(std::min(depth, frame.variables.size()));
}

void UsageCollector::range(const tmpl::Branch& node, const AbstractValue& over, Frame& frame) {
  test(over);
  const AbstractValue each = element(over);
  const auto& variables = node.pipe.variables;
  for (size_t i = 0; i < variables.size(); ++i) {
    const bool is_key = variables.size() > 1 && i == 0;
    frame.variables.emplace_back(variables[i].names[0], is_key ? AbstractValue() : each);
  }
  const AbstractValue before = frame.dot;
  frame.dot = each;
  // The second pass sees the assignments of the first.
  statements(node.body, frame);
  statements(node.body, frame);
  frame.dot = before;
}

void UsageCollector::call_template(const std::string& name, const AbstractValue& data) {
  const auto found = named_.find(name);
  if (!usage_.complete || found == named_.end() ||
      !walked_.insert(name + "\n" + (quiet_ > 0 ? "q" : "") + data.key()).second) {
    return;
  }
  if (nesting_ >= kNestingMax) {
    usage_.complete = false;
    return;
  }
  ++nesting_;
  for (const tmpl::Tree* tree : found->second) {
    Frame frame{tree, data, {{"$", data}}};
    statements(tree->body, frame);
  }
  --nesting_;
}

AbstractValue UsageCollector::pipe(const tmpl::Pipe& node, Frame& frame) {
  AbstractValue value = pipe_value(node, frame);
  for (const tmpl::Variable& declared : node.variables) {
    const std::string_view name = declared.names[0];
    if (node.binding == tmpl::Binding::kDeclare) {
      frame.variables.emplace_back(name, value);
      continue;
    }
    const auto known = std::find_if(frame.variables.rbegin(), frame.variables.rend(),
                                    [&](const auto& each) { return each.first == name; });
    if (known != frame.variables.rend()) {
      known->second = followed(AbstractValue::any({known->second, value}));
      if (known->second.is(Kind::kAny) && known->second.items.size() > kAlternativesMax) {
        read(known->second);
        known->second = AbstractValue();
      }
    }
  }
  return value;
}

AbstractValue UsageCollector::pipe_value(const tmpl::Pipe& node, Frame& frame) {
  AbstractValue value;
  const AbstractValue* last = nullptr;
  for (const tmpl::Command& each : node.commands) {
    value = command(each, last, frame);
    last = &value;
  }
  return value;
}

AbstractValue UsageCollector::command(const tmpl::Command& node, const AbstractValue* last,
                                      Frame& frame) {
  Arguments arguments;
  for (size_t i = 1; i < node.terms.size(); ++i) {
    arguments.push_back(term(node.terms[i], frame));
  }
  if (last != nullptr) {
    arguments.push_back(*last);
  }
  if (const auto* function = std::get_if<tmpl::Identifier>(&node.terms.front())) {
    return call(function->name, arguments);
  }
  AbstractValue value = term(node.terms.front(), frame);
  for (const AbstractValue& argument : arguments) {
    read(argument);
  }
  return value;
}

AbstractValue UsageCollector::term(const tmpl::Term& node, Frame& frame) {
  if (std::holds_alternative<tmpl::Dot>(node)) {
    return frame.dot;
  }
  if (const auto* named = std::get_if<tmpl::Field>(&node)) {
    return fields(frame.dot, named->names, 0, frame);
  }
  if (const auto* named = std::get_if<tmpl::Variable>(&node)) {
    return variable(*named, frame);
  }
  if (const auto* inner = std::get_if<std::unique_ptr<tmpl::Chain>>(&node)) {
    return chain(**inner, frame);
  }
  if (const auto* inner = std::get_if<std::unique_ptr<tmpl::Pipe>>(&node)) {
    return pipe(**inner, frame);
  }
  if (const auto* function = std::get_if<tmpl::Identifier>(&node)) {
    Arguments none;
    return call(function->name, none);
  }
  if (const auto* text = std::get_if<tmpl::String>(&node)) {
    return AbstractValue::constant(text->value.as_string());
  }
  if (const auto* number = std::get_if<std::unique_ptr<tmpl::Number>>(&node)) {
    return AbstractValue::constant(std::string((*number)->text));
  }
  return {};
}

/// If the value is missing, (value).a.b is empty and not a failure.
AbstractValue UsageCollector::chain(const tmpl::Chain& node, Frame& frame) {
  const AbstractValue base = term(node.term, frame);
  test(base);
  return fields(base, node.names, 0, frame);
}

AbstractValue UsageCollector::variable(const tmpl::Variable& node, Frame& frame) {
  for (auto at = frame.variables.rbegin(); at != frame.variables.rend(); ++at) {
    if (at->first == node.names[0]) {
      return fields(at->second, node.names, 1, frame);
    }
  }
  return {};
}

AbstractValue UsageCollector::fields(AbstractValue base, const std::vector<std::string_view>& names,
                                     size_t first, const Frame& frame) {
  const std::string& source = *frame.tree->source;
  for (size_t i = first; i < names.size(); ++i) {
    note_access(base);
    base = followed(field(base, names[i]));
    base.tree = frame.tree;
    const char* const at = names[0].data();
    if (at >= source.data() && at < source.data() + source.size()) {
      base.pos = static_cast<size_t>(at - source.data());
    } else {
      base.sure = false;
    }
  }
  return base;
}

AbstractValue UsageCollector::field(const AbstractValue& base, std::string_view name) {
  switch (base.kind) {
    case Kind::kScope: {
      const ScopeOfChart& scope = scopes_[base.scope];
      if (name == "Subcharts") {
        AbstractValue all = AbstractValue::of_dict();
        for (const auto& [sub, index] : scope.subcharts) {
          all.members->emplace(sub, AbstractValue::of_scope(index));
        }
        return all;
      }
      if (name != "Values") {
        return {};
      }
      AbstractValue values;
      values.kind = Kind::kPath;
      values.path = scope.prefix;
      return values;
    }
    case Kind::kPath:
      return path_step(base, std::string(name));
    case Kind::kDict: {
      const auto found = base.members->find(name);
      return found != base.members->end() ? found->second.borrowed() : AbstractValue();
    }
    case Kind::kAny: {
      std::vector<AbstractValue> all;
      for (const AbstractValue& item : base.items) {
        all.push_back(field(item, name));
      }
      return AbstractValue::any(std::move(all));
    }
    default:
      return {};
  }
}

/// Globals are the same in every chart. The methods AsMap and YAML of Values return all values.
AbstractValue UsageCollector::path_step(const AbstractValue& base, const std::string& step) {
  AbstractValue next = base;
  const auto own = std::find_if(scopes_.begin(), scopes_.end(), [&](const ScopeOfChart& scope) {
    return scope.prefix == base.path;
  });
  if (own != scopes_.end() && (step == "AsMap" || step == "YAML")) {
    return next;
  }
  if (own != scopes_.end() && step == "global") {
    next.path = {step};
    return next;
  }
  next.path.push_back(step);
  return next;
}

AbstractValue UsageCollector::element(const AbstractValue& of) {
  switch (of.kind) {
    case Kind::kPath: {
      AbstractValue each = path_step(of, kEveryStep).unsure();
      usage_at(usage_.root, each.path).touched = true;
      return each;
    }
    case Kind::kList:
      return AbstractValue::any(of.items);
    case Kind::kDict: {
      std::vector<AbstractValue> all;
      for (const auto& [name, member] : *of.members) {
        all.push_back(member);
      }
      return AbstractValue::any(std::move(all));
    }
    case Kind::kAny: {
      std::vector<AbstractValue> all;
      for (const AbstractValue& item : of.items) {
        all.push_back(element(item));
      }
      return AbstractValue::any(std::move(all));
    }
    case Kind::kScope:
      read(of);
      return {};
    default:
      return {};
  }
}

namespace {

bool is_partial(std::string_view path) { return go::base_name(path).starts_with('_'); }

}  // namespace

base::Result<Usage> usage_of(const std::vector<ScopeOfChart>& scopes) {
  Usage usage;
  struct Entry {
    const tmpl::Tree* tree;
    size_t scope;
  };
  std::vector<Entry> entries;
  for (size_t i = 0; i < scopes.size(); ++i) {
    const bool is_library = base::to_lower_ascii(scopes[i].chart->metadata.type) == "library";
    for (const helm::File& file : scopes[i].chart->content->templates) {
      if (is_library && !is_partial(file.name)) {
        continue;
      }
      const std::string path = go::join_path(scopes[i].folder, file.name);
      CW_TRY(tmpl::TreeMap trees,
             tmpl::parse_template(path, std::make_shared<const std::string>(file.data),
                                  helm::helm_functions()));
      if (const auto own = trees.find(path); own != trees.end() && !is_partial(path)) {
        entries.push_back({own->second.get(), i});
      }
      usage.trees.push_back(std::move(trees));
    }
  }
  UsageCollector walk(scopes, usage);
  for (const tmpl::TreeMap& trees : usage.trees) {
    for (const auto& [name, tree] : trees) {
      walk.add_tree(*tree);
    }
  }
  for (const Entry& entry : entries) {
    walk.walk_file(*entry.tree, entry.scope);
  }
  return usage;
}

}  // namespace chartwright::helm::lint
