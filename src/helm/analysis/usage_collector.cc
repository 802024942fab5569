// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/usage_collector.h"

#include "base/strings.h"
#include "go/path.h"
#include "helm/render/functions.h"
#include "tmpl/parser.h"

#include <algorithm>

namespace chartwright::helm::analysis {
namespace {

constexpr size_t kStepsMax = 4'000'000;
constexpr int kNestingMax = 100;
/// Maximum number of passes through a loop that go on because a variable may be something new. One
/// that grows with each pass, such as a list that is appended to, is something new for ever.
constexpr int kPassesMax = 3;
/// Maximum number of lists and maps in each other whose elements are followed.
constexpr std::ptrdiff_t kElementsMax = 6;
/// The place of `.External` among the values; no key of values has this name.
const Steps kExternalsPath = {"External\n"};

using Kind = AbstractValue::Kind;

}  // namespace

UsageCollector::UsageCollector(const std::vector<ScopeOfChart>& scopes, Usage& into)
    : scopes_(scopes), functions_(helm::helm_functions()), usage_(into) {}

// Breaks cycles of shared_ptr: a dict that contains itself would never be freed.
UsageCollector::~UsageCollector() {
  for (const auto& members : written_) {
    members->clear();
  }
}

OutputPtr UsageCollector::walk_file(const tmpl::Tree& tree, size_t scope) {
  const AbstractValue dot = AbstractValue::of_scope(scope);
  Frame frame{&tree, dot, {{"$", dot}}};
  // Dependencies may be disabled.
  conditions_.clear();
  if (scope != 0) {
    conditions_.emplace_back(std::nullopt);
  }
  return statements(tree.body, frame);
}

bool UsageCollector::spend(size_t steps) {
  steps_ += steps;
  if (steps_ > kStepsMax) {
    usage_.complete = false;
    usage_.ended = true;
  }
  return !usage_.ended;
}

void UsageCollector::begin_action(const tmpl::Tree* tree, size_t pos) {
  place_ = {tree, pos};
  if (nesting_ == 0) {
    outer_pos_ = pos;
    if (follows_externals_) {
      walked_.clear();  // This action may read the same as another one.
    }
  }
}

/// Returns the value, unless it is too large to be followed: then it counts as unknown.
AbstractValue UsageCollector::followed(AbstractValue value) {
  const size_t weight = value.weight(kWeightMax);
  if (!spend(1 + weight / kWeightOfStep)) {
    return {};
  }
  if (weight <= kWeightMax) {
    return value;
  }
  usage_.complete = false;
  // Dicts that contain themselves must not be met again.
  for (const auto& members : written_) {
    members->clear();
    members->emplace(kEveryStep, AbstractValue());
  }
  return {};
}

OutputPtr UsageCollector::statements(const tmpl::StatementList& list, Frame& frame) {
  const size_t depth = frame.variables.size();
  std::vector<OutputPtr> written;
  for (const tmpl::Statement& statement : list) {
    if (!spend()) {
      break;
    }
    if (const auto* text = std::get_if<tmpl::Text>(&statement)) {
      written.push_back(Output::of_source(text->text, frame.tree, text->pos));
    } else if (const auto* action = std::get_if<tmpl::Action>(&statement)) {
      begin_action(frame.tree, action->pos);
      const AbstractValue value = pipe(action->pipe, frame);
      if (action->pipe.variables.empty()) {
        read(value);
        place_ = {frame.tree, action->pos};
        written.push_back(output_of(value));
      }
    } else if (const auto* inner = std::get_if<std::unique_ptr<tmpl::Branch>>(&statement)) {
      written.push_back(branch(**inner, frame));
    } else if (const auto* called = std::get_if<tmpl::TemplateCall>(&statement)) {
      begin_action(frame.tree, called->pos);
      const AbstractValue data = called->pipe ? pipe(*called->pipe, frame) : AbstractValue();
      written.push_back(call_template(called->name, data));
    }
  }
  frame.variables.resize(std::min(depth, frame.variables.size()));
  return Output::sequence(std::move(written));
}

OutputPtr UsageCollector::branch(const tmpl::Branch& node, Frame& frame) {
  const size_t depth = frame.variables.size();
  begin_action(frame.tree, node.pos);
  std::vector<OutputPtr> written;
  if (node.kind == tmpl::BranchKind::kRange) {
    written.push_back(range(node, pipe_value(node.pipe, frame), frame));
  } else {
    const AbstractValue value = pipe(node.pipe, frame);
    test(value);
    const AbstractValue before = frame.dot;
    if (node.kind == tmpl::BranchKind::kWith) {
      frame.dot = value;
    }
    begin_condition(value);
    written.push_back(statements(node.body, frame));
    conditions_.pop_back();
    frame.dot = before;
  }
  conditions_.emplace_back(std::nullopt);
  written.push_back(node.otherwise ? statements(*node.otherwise, frame) : Output::empty());
  conditions_.pop_back();
  frame.variables.resize(std::min(depth, frame.variables.size()));
  return Output::choice(std::move(written));
}

OutputPtr UsageCollector::range(const tmpl::Branch& node, const AbstractValue& over, Frame& frame) {
  test(over);
  const AbstractValue before = frame.dot;
  const auto& variables = node.pipe.variables;
  const size_t first = frame.variables.size();
  for (const tmpl::Variable& variable : variables) {
    frame.variables.emplace_back(variable.names[0], AbstractValue());
  }
  const auto pass = [&](const AbstractValue& key, const AbstractValue& each) {
    for (size_t i = 0; i < variables.size(); ++i) {
      frame.variables[first + i].second = variables.size() > 1 && i == 0 ? key : each;
    }
    frame.dot = each;
    return statements(node.body, frame);
  };
  begin_condition(over);
  std::vector<OutputPtr> written;
  for (const auto& [key, each] : known_elements(over)) {
    written.push_back(Output::choice({pass(key, each), Output::empty()}));
  }
  if (written.empty()) {
    const AbstractValue each = element(over);
    // A pass sees the assignments of those before it.
    pass({}, each);
    std::string known;
    OutputPtr output;
    for (int i = 0; i < kPassesMax && known != variables_key(frame); ++i) {
      known = variables_key(frame);
      output = pass({}, each);
    }
    written.push_back(Output::repeated(std::move(output)));
  }
  conditions_.pop_back();
  frame.dot = before;
  return Output::sequence(std::move(written));
}

/// Returns a key that changes with what is known of the variables.
std::string UsageCollector::variables_key(const Frame& frame) {
  std::string all = "=";
  for (const auto& [name, value] : frame.variables) {
    all += value.key();
  }
  spend(1 + all.size() / kWordMax);
  return all;
}

/// Returns the keys and elements of a short list or dict; empty if they are not known.
std::vector<std::pair<AbstractValue, AbstractValue>> UsageCollector::known_elements(
    const AbstractValue& of) {
  std::vector<std::pair<AbstractValue, AbstractValue>> all;
  if (of.is(Kind::kList) && !of.open && of.items.size() <= kAlternativesMax) {
    for (const AbstractValue& item : of.items) {
      all.emplace_back(AbstractValue(), item);
    }
  } else if (of.is(Kind::kDict) && !of.open && of.members->size() <= kAlternativesMax &&
             !of.members->contains(kOthersStep)) {
    for (const auto& [key, member] : *of.members) {
      all.emplace_back(key == kEveryStep ? AbstractValue() : AbstractValue::constant(key), member);
    }
  }
  return all;
}

OutputPtr UsageCollector::call_template(const std::string& name, const AbstractValue& data) {
  const auto found = named_.find(name);
  if (usage_.ended || found == named_.end()) {
    return hole();
  }
  // While the template is walked, a call of itself may write anything.
  const auto [walked, is_new] =
      walked_.emplace(name + "\n" + (quiet_ > 0 ? "q" : "") + data.key(), hole());
  if (!is_new) {
    return walked->second;
  }
  if (nesting_ >= kNestingMax) {
    usage_.complete = false;
    return walked->second;
  }
  ++nesting_;
  const Place caller = place_;
  std::vector<OutputPtr> written;
  for (const tmpl::Tree* tree : found->second) {
    Frame frame{tree, data, {{"$", data}}};
    written.push_back(statements(tree->body, frame));
  }
  place_ = caller;
  --nesting_;
  walked->second = Output::choice(std::move(written));
  return walked->second;
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
      known->second =
          one_of(followed(AbstractValue::any({known->second.as_chosen(), value.as_chosen()})));
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
  const auto* function = std::get_if<tmpl::Identifier>(&node.terms.front());
  const bool is_and = function != nullptr && function->name == "and";
  const bool may_stop = is_and || (function != nullptr && function->name == "or");
  const size_t conditions = conditions_.size();
  for (size_t i = 1; i < node.terms.size(); ++i) {
    arguments.push_back(term(node.terms[i], frame));
    if (may_stop) {
      begin_condition(is_and ? arguments.back() : AbstractValue());
    }
  }
  conditions_.resize(conditions);
  if (last != nullptr) {
    arguments.push_back(*last);
  }
  if (function != nullptr) {
    note_comparison(node, arguments);
    return call(function->name, arguments);
  }
  if (AbstractValue file = file_content(node.terms.front(), arguments, frame);
      !file.is(Kind::kUnknown)) {
    return file;
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
      if (name == "External" && follows_externals_) {
        return place_of(kExternalsPath);
      }
      return name == "Values" ? place_of(scope.prefix) : AbstractValue();
    }
    case Kind::kPath:
      note_need(base, NeededKind::kTable);
      return path_step(base, std::string(name));
    case Kind::kDict: {
      const auto found = base.members->find(name);
      const auto any = base.members->find(kEveryStep);
      if (any != base.members->end()) {
        return AbstractValue::any(
            {found != base.members->end() ? found->second : AbstractValue(), any->second});
      }
      if (found != base.members->end() && base.members->contains(kOthersStep)) {
        return AbstractValue::any({found->second, AbstractValue()});
      }
      return found != base.members->end() ? found->second.borrowed() : AbstractValue();
    }
    case Kind::kAny: {
      std::vector<AbstractValue> all;
      const size_t conditions = conditions_.size();
      begin_alternatives(base);
      for (const AbstractValue& item : base.items) {
        all.push_back(field(item, name));
      }
      conditions_.resize(conditions);
      return AbstractValue::any(std::move(all));
    }
    default:
      return {};
  }
}

AbstractValue UsageCollector::place_of(Steps path) {
  AbstractValue values;
  values.kind = Kind::kPath;
  values.path = std::move(path);
  return values;
}

void UsageCollector::note_external(const Steps& base, const std::string& name) {
  // While quiet, a template is walked that is perhaps not called.
  if (follows_externals_ && base == kExternalsPath && quiet_ == 0) {
    usage_.externals.push_back({name, outer_pos_});
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
  note_external(base.path, step);
  next.path.push_back(step);
  return next;
}

AbstractValue UsageCollector::element(const AbstractValue& of) {
  switch (of.kind) {
    case Kind::kPath: {
      // A template that calls itself for the members of a value would never end.
      if (std::count(of.path.begin(), of.path.end(), kEveryStep) >= kElementsMax) {
        read(of.unsure());
        return {};
      }
      AbstractValue each = path_step(of, kEveryStep).unsure();
      usage_at(usage_.root, each.path).touched = true;
      return each;
    }
    case Kind::kList:
      return AbstractValue::any(of.items);
    case Kind::kDict: {
      std::vector<AbstractValue> all;
      for (const auto& [name, member] : *of.members) {
        all.push_back(name == kOthersStep ? AbstractValue() : member);
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

base::Result<Usage> usage_of(const std::vector<ScopeOfChart>& scopes,
                             const std::vector<helm::File>& others) {
  Usage usage;
  struct Entry {
    const tmpl::Tree* tree;
    size_t scope;
  };
  std::vector<Entry> entries;
  const auto add = [&](const helm::File& file, size_t scope) -> base::Status {
    const std::string path = go::join_path(scopes[scope].folder, file.name);
    CW_TRY(tmpl::TreeMap trees,
           tmpl::parse_template(path, std::make_shared<const std::string>(file.data),
                                helm::helm_functions()));
    if (const auto own = trees.find(path); own != trees.end() && !is_partial(path)) {
      entries.push_back({own->second.get(), scope});
    }
    usage.trees.push_back(std::move(trees));
    return {};
  };
  for (size_t i = 0; i < scopes.size(); ++i) {
    const bool is_library = base::to_lower_ascii(scopes[i].chart->metadata.type) == "library";
    for (const helm::File& file : scopes[i].chart->content->templates) {
      if (is_library && !is_partial(file.name)) {
        continue;
      }
      CW_TRY_VOID(add(file, i));
    }
  }
  for (const helm::File& file : others) {
    CW_TRY_VOID(add(file, 0));
  }
  UsageCollector walk(scopes, usage);
  for (const tmpl::TreeMap& trees : usage.trees) {
    for (const auto& [name, tree] : trees) {
      walk.add_tree(*tree);
    }
  }
  for (const Entry& entry : entries) {
    usage.outputs.push_back({entry.tree, entry.scope, walk.walk_file(*entry.tree, entry.scope)});
  }
  return usage;
}

}  // namespace chartwright::helm::analysis
