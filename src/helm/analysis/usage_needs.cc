// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "helm/analysis/usage_collector.h"

// The part of UsageCollector that finds out which kinds of values a use takes.
namespace chartwright::helm::analysis {
namespace {

using Kind = AbstractValue::Kind;

/// A parameter of a function that is declared as any value, but fails unless it is a list.
struct ListParameter {
  std::string_view function;  ///< Also as "mustFirst" for "first".
  size_t index;
};
constexpr size_t kEveryArgument = SIZE_MAX;
/// Under more conditions than these, no use is found to be certain.
constexpr size_t kConditionsMax = 50;
constexpr std::array kListParameters = {
    ListParameter{"first", 0},   ListParameter{"last", 0},
    ListParameter{"rest", 0},    ListParameter{"initial", 0},
    ListParameter{"reverse", 0}, ListParameter{"uniq", 0},
    ListParameter{"compact", 0}, ListParameter{"without", 0},
    ListParameter{"append", 0},  ListParameter{"push", 0},
    ListParameter{"prepend", 0}, ListParameter{"has", 1},
    ListParameter{"chunk", 1},   ListParameter{"concat", kEveryArgument},
};

/// Returns the kind that a declared parameter needs; nullopt for those that convert what they get.
std::optional<NeededKind> kind_of(tmpl::Param param) {
  switch (param) {
    case tmpl::Param::kString:
      return NeededKind::kText;
    case tmpl::Param::kBool:
      return NeededKind::kBoolean;
    case tmpl::Param::kAnyList:
    case tmpl::Param::kStringList:
      return NeededKind::kList;
    case tmpl::Param::kDict:
      return NeededKind::kTable;
    default:
      return std::nullopt;
  }
}

bool is_must_form(std::string_view name, std::string_view of) {
  constexpr std::string_view kMust = "must";
  return name.starts_with(kMust) && name.size() == kMust.size() + of.size() &&
         name.substr(kMust.size() + 1) == of.substr(1);
}

}  // namespace

/// Returns the kind that a parameter of a function needs; nullopt if it takes several.
std::optional<NeededKind> UsageCollector::needed_by(std::string_view name, size_t parameter) const {
  const tmpl::Function* function = functions_->find(name);
  if (function == nullptr || function->params.empty()) {
    return std::nullopt;
  }
  return kind_of(function->params[std::min(parameter, function->params.size() - 1)]);
}

/// Notes what the parameters of a function need.
void UsageCollector::note_parameters(std::string_view name, const Arguments& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (const auto kind = needed_by(name, i)) {
      note_need(arguments[i], *kind);
    }
  }
  for (const ListParameter& parameter : kListParameters) {
    if (name != parameter.function && !is_must_form(name, parameter.function)) {
      continue;
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i == parameter.index || parameter.index == kEveryArgument) {
        note_need(arguments[i], NeededKind::kList);
      }
    }
  }
  const bool prints_types = name == "printf" && !arguments.empty() &&
                            arguments[0].constant_text() != nullptr &&
                            arguments[0].text.find("%T") != std::string::npos;
  if (prints_types) {
    std::for_each(arguments.begin(), arguments.end(),
                  [this](const AbstractValue& argument) { note_kind_test(argument); });
  }
}

/// `eq` and `ne` fail for values of different kinds. Source: Go's text/template funcs.go eq.
void UsageCollector::note_comparison(const tmpl::Command& node, const Arguments& arguments) {
  const auto* function = std::get_if<tmpl::Identifier>(&node.terms.front());
  if (function == nullptr || (function->name != "eq" && function->name != "ne")) {
    return;
  }
  for (const tmpl::Term& term : node.terms) {
    const bool is_text = std::holds_alternative<tmpl::String>(term);
    if (is_text || std::holds_alternative<tmpl::Bool>(term)) {
      for (const AbstractValue& argument : arguments) {
        note_need(argument, is_text ? NeededKind::kText : NeededKind::kBoolean);
      }
    }
  }
}

void UsageCollector::note_need(const AbstractValue& value, NeededKind kind) {
  // While quiet, a template is walked that is perhaps not called.
  if (quiet_ > 0) {
    return;
  }
  if (value.is(Kind::kPath) && !value.chosen) {
    KeyUsage& usage = usage_at(usage_.root, value.path);
    usage.needs.insert(kind);
    usage.needed_always = usage.needed_always || is_always_used(value.path);
  } else if (value.is(Kind::kAny)) {
    const size_t conditions = conditions_.size();
    begin_alternatives(value);
    for (const AbstractValue& item : value.items) {
      note_need(item, kind);
    }
    conditions_.resize(conditions);
  }
}

/// Begins a part that is run only if a value is not empty. The caller takes it from conditions_.
void UsageCollector::begin_condition(const AbstractValue& tested) {
  const bool is_one_value = tested.is(Kind::kPath) && !tested.chosen && !tested.open;
  conditions_.push_back(is_one_value ? std::optional(tested.path) : std::nullopt);
}

/// Begins a part that handles one of several values, if it is not known which.
void UsageCollector::begin_alternatives(const AbstractValue& value) {
  const auto is_taken = [](const AbstractValue& item) {
    return item.is(Kind::kPath) && !item.chosen;
  };
  if (std::ranges::count_if(value.items, is_taken) > 1) {
    conditions_.emplace_back(std::nullopt);
  }
}

/// Marks the arguments that a function returns only for some values of its others.
void UsageCollector::mark_chosen(std::string_view name, Arguments& arguments) {
  const bool is_default = name == "default";
  if (!is_default && name != "coalesce" && name != "or" && name != "and") {
    return;
  }
  const size_t taken = is_default && !arguments.empty() ? arguments.size() - 1 : 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i != taken) {
      arguments[i] = arguments[i].as_chosen();
    }
  }
}

/// Reports whether the part that is being walked is run whenever the value at `path` is not empty.
bool UsageCollector::is_always_used(const Steps& path) const {
  const auto is_above = [&path](const std::optional<Steps>& tested) {
    return tested && tested->size() <= path.size() &&
           std::equal(tested->begin(), tested->end(), path.begin());
  };
  return conditions_.size() <= kConditionsMax && std::ranges::all_of(conditions_, is_above);
}

void UsageCollector::note_kind_test(const AbstractValue& value) {
  if (value.is(Kind::kPath)) {
    usage_at(usage_.root, value.path).kind_tested = true;
  } else if (value.is(Kind::kAny)) {
    for (const AbstractValue& item : value.items) {
      note_kind_test(item);
    }
  }
}

AbstractValue UsageCollector::call_kind_test(Arguments& arguments) {
  for (const AbstractValue& argument : arguments) {
    note_kind_test(argument);
  }
  return call_test(arguments);
}

void UsageCollector::read_as(Taken taken, const AbstractValue& value) {
  if (usage_.ended) {
    return;
  }
  // The need of a value that is perhaps not used is not noted.
  const bool is_noted = taken == Taken::kInteger || !value.chosen;
  if (value.is(Kind::kPath) && is_noted) {
    note_access(value);
    note_external(value.path, kEveryStep);
    KeyUsage& usage = usage_at(usage_.root, value.path);
    usage.whole = true;
    usage.as_integer = usage.as_integer || taken == Taken::kInteger;
  } else if (value.is(Kind::kAny)) {
    for (const AbstractValue& item : value.items) {
      read_as(taken, item);
    }
  } else {
    read(value);
  }
}

}  // namespace chartwright::helm::analysis
