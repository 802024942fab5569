// SPDX-License-Identifier: Apache-2.0
#include "value/json_pointer.h"

#include "base/strings.h"

namespace chartwright::value {
namespace {

std::vector<std::string_view> tokens_of(std::string_view pointer) {
  if (pointer.empty()) {
    return {};
  }
  return base::split(pointer.substr(1), '/');
}

/// Returns nullopt if `name` is not an index of `list`.
std::optional<size_t> index_in(const Value& list, std::string_view name) {
  const auto index = base::parse_int(name);
  const bool is_there =
      index && *index >= 0 && static_cast<size_t>(*index) < list.as_list().items.size();
  return is_there ? std::optional(static_cast<size_t>(*index)) : std::nullopt;
}

const Value* member_of(const Value& v, const std::string& name) {
  if (!v.is_list()) {
    return v.find(name);
  }
  const auto index = index_in(v, name);
  return index ? &v.as_list().items[*index] : nullptr;
}

}  // namespace

std::string escape_pointer_token(std::string_view name) {
  return base::replace_all(base::replace_all(name, "~", "~0"), "/", "~1");
}

std::optional<std::string> unescape_pointer_token(std::string_view token) {
  std::string name;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      name += token[i];
      continue;
    }
    const char escaped = ++i < token.size() ? token[i] : '\0';
    if (escaped != '0' && escaped != '1') {
      return std::nullopt;
    }
    name += escaped == '0' ? '~' : '/';
  }
  return name;
}

base::Result<const Value*> at_pointer(const Value& root, std::string_view pointer) {
  const Value* at = &root;
  for (const std::string_view token : tokens_of(pointer)) {
    const auto name = unescape_pointer_token(token);
    if (!name) {
      return base::Error(base::ErrorCode::kParse, "malformed JSON pointer");
    }
    at = member_of(*at, *name);
    if (at == nullptr) {
      return base::Error(base::ErrorCode::kNotFound, "the JSON pointer leads nowhere");
    }
  }
  return at;
}

std::vector<Path::Step> pointer_steps(const Value& root, std::string_view pointer) {
  std::vector<Path::Step> steps;
  const Value* at = &root;
  for (const std::string_view token : tokens_of(pointer)) {
    std::string name = unescape_pointer_token(token).value_or(std::string(token));
    const Value* next = at != nullptr ? member_of(*at, name) : nullptr;
    if (next != nullptr && at->is_list()) {
      steps.emplace_back(*index_in(*at, name));
    } else {
      steps.emplace_back(std::move(name));
    }
    at = next;
  }
  return steps;
}

}  // namespace chartwright::value
