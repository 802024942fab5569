// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/abstract_value.h"

#include <utility>

namespace chartwright::helm::analysis {
namespace {

constexpr int kKeyDepthMax = 8;

}  // namespace

std::string join_steps(const Steps& steps) {
  std::string text;
  for (const std::string& step : steps) {
    if (step == kEveryStep) {
      text += "[]";
    } else {
      text += (text.empty() ? "" : ".") + step;
    }
  }
  return text;
}

AbstractValue AbstractValue::of_scope(size_t scope) {
  AbstractValue value;
  value.kind = Kind::kScope;
  value.scope = scope;
  return value;
}

AbstractValue AbstractValue::constant(std::string text) {
  AbstractValue value;
  value.kind = Kind::kText;
  value.text = std::move(text);
  return value;
}

AbstractValue AbstractValue::of_list(std::vector<AbstractValue> items) {
  AbstractValue value;
  value.kind = Kind::kList;
  value.items = std::move(items);
  return value;
}

AbstractValue AbstractValue::of_dict() {
  AbstractValue value;
  value.kind = Kind::kDict;
  value.members = std::make_shared<Members>();
  return value;
}

AbstractValue AbstractValue::written(std::shared_ptr<const Output> output) {
  AbstractValue value;
  value.kind = Kind::kWritten;
  value.output = std::move(output);
  return value;
}

AbstractValue AbstractValue::any(std::vector<AbstractValue> items) {
  std::map<std::pair<std::string, const Output*>, AbstractValue> distinct;
  bool open = false;
  for (AbstractValue& item : items) {
    open = open || item.open || item.is(Kind::kUnknown);
    if (item.is(Kind::kAny)) {
      for (AbstractValue& inner : item.items) {
        distinct.emplace(std::pair(inner.key(), inner.output.get()), std::move(inner));
      }
    } else if (!item.is(Kind::kUnknown)) {
      AbstractValue unsure = item.unsure();
      unsure.open = false;
      distinct.emplace(std::pair(unsure.key(), unsure.output.get()), std::move(unsure));
    }
  }
  AbstractValue value;
  value.kind = Kind::kAny;
  for (auto& [key, item] : distinct) {
    value.items.push_back(std::move(item));
  }
  if (value.items.empty()) {
    return {};
  }
  if (value.items.size() == 1) {
    AbstractValue only = std::move(value.items.front());
    value = std::move(only);
  }
  value.open = open;
  return value;
}

AbstractValue AbstractValue::unsure() const {
  AbstractValue copy = *this;
  copy.sure = false;
  return copy;
}

AbstractValue AbstractValue::as_chosen() const {
  AbstractValue copy = *this;
  copy.chosen = true;
  for (AbstractValue& item : copy.items) {
    item.chosen = true;
  }
  return copy;
}

size_t AbstractValue::weight(size_t most) const {
  size_t sum = 1 + path.size();
  const auto add = [&sum, most](const AbstractValue& inner) {
    if (sum <= most) {
      sum += inner.weight(most - sum);
    }
  };
  for (const AbstractValue& item : items) {
    add(item);
  }
  if (members != nullptr) {
    for (const auto& [name, member] : *members) {
      add(member);
    }
  }
  return sum;
}

std::string AbstractValue::key(int depth) const {
  std::string written = std::to_string(static_cast<int>(kind));
  if (open) {
    written += "+";
  }
  if (depth > kKeyDepthMax) {
    return written;
  }
  switch (kind) {
    case Kind::kUnknown:
      break;
    case Kind::kWritten:
      written += std::to_string(reinterpret_cast<std::uintptr_t>(output.get()));
      break;
    case Kind::kScope:
      written += std::to_string(scope);
      break;
    case Kind::kPath:
      written += sure ? "!" : "?";
      for (const std::string& step : path) {
        written += step + "\t";
      }
      break;
    case Kind::kText:
      written += text;
      break;
    case Kind::kDict:
      for (const auto& [name, member] : *members) {
        written += name + "=" + member.key(depth + 1) + ",";
      }
      break;
    case Kind::kList:
    case Kind::kAny:
      for (const AbstractValue& item : items) {
        written += item.key(depth + 1) + ",";
      }
      break;
  }
  return "(" + written + ")";
}

}  // namespace chartwright::helm::analysis
