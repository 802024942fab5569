// SPDX-License-Identifier: Apache-2.0
#include "helm/objects/object_types.h"

#include "base/strings.h"
#include "helm/objects/tables.h"

namespace chartwright::helm {
namespace {

using TypeKind = ObjectTypes::Kind;

/// The codes of the types in every table, in the order of TypeKind. Kinds without a code, which no
/// table has, follow.
constexpr std::string_view kScalarCodes = "asyijnbqx";
constexpr auto kScalarKinds = static_cast<size_t>(TypeKind::kList);

}  // namespace

ObjectTypes::ObjectTypes() {
  for (size_t i = 0; i < kScalarKinds; ++i) {
    types_.push_back({static_cast<TypeKind>(i)});
  }
}

ObjectTypes::Id ObjectTypes::add(Type type) {
  types_.push_back(std::move(type));
  return static_cast<Id>(types_.size() - 1);
}

void ObjectTypes::name_kind(const std::string& api_version, const std::string& kind, Id id) {
  kinds_[api_version + " " + kind] = id;
}

const ObjectTypes::Type* ObjectTypes::find(std::string_view api_version,
                                           std::string_view kind) const {
  const auto found = kinds_.find(std::string(api_version) + " " + std::string(kind));
  return found != kinds_.end() ? &types_[found->second] : nullptr;
}

/// Returns the type for a code of the table. `first` is the id of the table's type 0.
ObjectTypes::Id ObjectTypes::read_code(std::string_view code, Id first) {
  if (code.starts_with('[') || code.starts_with('{')) {
    const Id element = read_code(code.substr(1), first);
    return add({code.front() == '[' ? TypeKind::kList : TypeKind::kMap, element});
  }
  if (code.starts_with('(')) {
    return read_distinct(code, first);
  }
  if (const auto number = base::parse_int(code)) {
    return first + static_cast<Id>(*number);
  }
  const size_t scalar = kScalarCodes.find(code);
  return scalar != std::string_view::npos ? static_cast<Id>(scalar) : 0;
}

/// Reads the code of a list whose items differ: "(name)5", "(port,protocol=TCP)7", "()s" for a set.
ObjectTypes::Id ObjectTypes::read_distinct(std::string_view code, Id first) {
  const size_t end = code.find(')');
  if (end == std::string_view::npos) {
    return 0;
  }
  Type list{TypeKind::kList, read_code(code.substr(end + 1), first)};
  list.distinct = true;
  for (std::string_view word : base::split(code.substr(1, end - 1), ',')) {
    const size_t equal = word.find('=');
    Key key{std::string(word.substr(0, equal))};
    if (equal != std::string_view::npos) {
      key.preset = value::Value::string(std::string(word.substr(equal + 1)));
    }
    if (!word.empty()) {
      list.keys.push_back(std::move(key));
    }
  }
  return add(std::move(list));
}

void ObjectTypes::read_fields(std::string_view line, Id first, Type& into) {
  into.kind = TypeKind::kObject;
  for (std::string_view word : base::split(line, ' ')) {
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
      continue;
    }
    const std::string name(word.substr(0, colon));
    std::string_view code = word.substr(colon + 1);
    if (code.ends_with('!')) {
      into.required.push_back(name);
      code.remove_suffix(1);
    }
    into.fields.emplace(name, read_code(code, first));
  }
}

std::vector<std::pair<std::string, std::string>> ObjectTypes::bundled_kinds() {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (std::string_view line : base::split(kKubernetesFieldsTable, '\n')) {
    const auto words = base::split(line, ' ');
    if (words[0] == "k" && words.size() == 4) {
      kinds.emplace_back(words[1], words[2]);
    }
  }
  return kinds;
}

ObjectTypes ObjectTypes::bundled() {
  ObjectTypes all;
  const auto first = static_cast<Id>(all.types_.size());
  std::vector<std::string_view> lines;
  for (std::string_view line : base::split(kKubernetesFieldsTable, '\n')) {
    const auto words = base::split(line, ' ');
    if (words[0] == "k" && words.size() == 4) {
      all.name_kind(std::string(words[1]), std::string(words[2]), all.read_code(words[3], first));
    } else if (words[0] == "t") {
      lines.push_back(line);
    }
  }
  all.types_.resize(first + lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    Type type;
    all.read_fields(lines[i], first, type);
    all.types_[first + i] = std::move(type);
  }
  return all;
}

}  // namespace chartwright::helm
