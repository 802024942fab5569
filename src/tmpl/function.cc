// SPDX-License-Identifier: Apache-2.0
#include "tmpl/function.h"

#include <algorithm>

namespace chartwright::tmpl {

void FunctionMap::add(Function function) {
  std::string name = function.name;
  functions_.insert_or_assign(std::move(name), std::move(function));
}

void FunctionMap::add_method(std::string_view go_type, Function method) {
  std::string name = method.name;
  methods_[std::string(go_type)].insert_or_assign(std::move(name), std::move(method));
}

const Function* FunctionMap::find_method(std::string_view go_type, std::string_view name) const {
  auto type = methods_.find(go_type);
  if (type == methods_.end()) {
    return nullptr;
  }
  auto it = type->second.find(name);
  return it != type->second.end() ? &it->second : nullptr;
}

void FunctionMap::erase(std::string_view name) {
  if (auto it = functions_.find(name); it != functions_.end()) {
    functions_.erase(it);
  }
}

const Function* FunctionMap::find(std::string_view name) const {
  auto it = functions_.find(name);
  return it != functions_.end() ? &it->second : nullptr;
}

std::vector<std::string_view> FunctionMap::names() const {
  std::vector<std::string_view> out;
  out.reserve(functions_.size());
  for (const auto& entry : functions_) {
    out.push_back(entry.first);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::pair<std::string_view, std::string_view>> FunctionMap::methods() const {
  std::vector<std::pair<std::string_view, std::string_view>> out;
  for (const auto& [type, methods] : methods_) {
    for (const auto& method : methods) {
      out.emplace_back(type, method.first);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace chartwright::tmpl
