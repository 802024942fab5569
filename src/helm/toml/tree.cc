// SPDX-License-Identifier: Apache-2.0
#include "helm/toml/tree.h"

#include "helm/toml/text.h"

namespace chartwright::helm {
namespace {

using base::Result;
using base::Status;
using value::Value;

base::Error misplaced(std::string message) {
  return base::Error(base::ErrorCode::kParse, std::move(message));
}

base::Error defined_already(const std::string& path) {
  return misplaced("Key '" + path + "' has already been defined.");
}

/// Returns the table to which keys below `item` belong, or nullptr if there is none.
TomlTable* table_in(TomlItem& item) {
  if (auto* table = std::get_if<TomlTablePtr>(&item.content)) {
    return table->get();
  }
  auto* tables = std::get_if<TomlTables>(&item.content);
  return tables != nullptr ? tables->back().get() : nullptr;
}

Value to_value(const TomlItem& item) {
  if (const auto* scalar = std::get_if<Value>(&item.content)) {
    return *scalar;
  }
  if (const auto* table = std::get_if<TomlTablePtr>(&item.content)) {
    return to_value(**table);
  }
  std::vector<Value> values;
  if (const auto* tables = std::get_if<TomlTables>(&item.content)) {
    for (const TomlTablePtr& table : *tables) {
      values.push_back(to_value(*table));
    }
    return Value::list(std::move(values), value::kDictList);
  }
  for (const TomlItem& element : *std::get<TomlArrayPtr>(item.content)) {
    values.push_back(to_value(element));
  }
  return Value::list(std::move(values));
}

}  // namespace

Value to_value(const TomlTable& table) {
  std::vector<value::Dict::Entry> entries;
  entries.reserve(table.members.size());
  for (const auto& [name, item] : table.members) {
    entries.emplace_back(name, to_value(item));
  }
  return Value::dict(std::make_shared<value::Dict>(std::move(entries)));
}

std::string toml_key_text(std::span<const std::string> key) {
  std::string text;
  for (size_t i = 0; i < key.size(); ++i) {
    text += i > 0 ? "." : "";
    text += toml_key_part(key[i]);
  }
  return text;
}

Result<std::string> TomlTree::path(std::span<const std::string> key) {
  std::string text = toml_key_text(key);
  CW_TRY_VOID(budget_.charge_steps(key.size()));
  CW_TRY_VOID(budget_.charge_alloc(text.size()));
  return text;
}

Status TomlTree::mark_implicit(const TomlKey& key) {
  CW_TRY(std::string text, path(key));
  implicit_.insert(std::move(text));
  return {};
}

Status TomlTree::add_context(const TomlKey& key, TomlTableKind kind) {
  TomlTable* table = root_.get();
  TomlKey above;
  for (size_t i = 0; i + 1 < key.size(); ++i) {
    above.push_back(key[i]);
    const auto [at, is_new] = table->members.try_emplace(key[i]);
    if (is_new) {
      at->second.content = std::make_shared<TomlTable>();
      CW_TRY_VOID(mark_implicit(above));
    }
    table = table_in(at->second);
    if (table == nullptr) {
      return misplaced("Key '" + toml_key_text(above) + "' was already created as a hash.");
    }
  }
  CW_TRY_VOID(budget_.charge_steps(key.size()));
  context_ = std::move(above);
  if (kind == TomlTableKind::kSingle) {
    CW_TRY_VOID(set_value(key.back(), {std::make_shared<TomlTable>()}));
  } else {
    const auto [at, is_new] = table->members.try_emplace(key.back());
    if (is_new) {
      at->second.content = TomlTables();
    }
    auto* tables = std::get_if<TomlTables>(&at->second.content);
    if (tables == nullptr) {
      return misplaced("Key '" + toml_key_text(key) +
                       "' was already created and cannot be used as an array.");
    }
    tables->push_back(std::make_shared<TomlTable>());
  }
  context_.push_back(key.back());
  return {};
}

Status TomlTree::add_implicit_context(const std::string& part) {
  TomlKey key = context_;
  key.push_back(part);
  CW_TRY_VOID(mark_implicit(key));
  return add_context(key, TomlTableKind::kSingle);
}

Result<TomlTable*> TomlTree::table_at(std::span<const std::string> key) {
  TomlTable* table = root_.get();
  for (size_t i = 0; i < key.size(); ++i) {
    const auto at = table->members.find(key[i]);
    if (at == table->members.end()) {
      return base::Error(base::ErrorCode::kInternal,
                         "the table of key '" + toml_key_text(key.first(i + 1)) + "' is missing");
    }
    table = table_in(at->second);
    if (table == nullptr) {
      return defined_already(toml_key_text(key.first(i + 1)));
    }
  }
  return table;
}

Status TomlTree::set_value(const std::string& name, TomlItem item) {
  CW_TRY(TomlTable* const table, table_at(context_));
  const auto [at, is_new] = table->members.try_emplace(name);
  if (is_new) {
    at->second = std::move(item);
    return {};
  }
  TomlKey key = context_;
  key.push_back(name);
  CW_TRY(const std::string text, path(key));
  const bool is_array = arrays_.contains(text);
  const bool is_known = implicit_.erase(text) == 0;
  if (is_known && !(is_array && rule_ == TomlRule::k1_5)) {  // Release 1.5 replaces an array.
    return defined_already(text);
  }
  if (is_array) {
    at->second = std::move(item);
  }
  return {};
}

// For a member with an empty name, returns the path of its table; at the top level, that of the
// member itself.
Result<std::string> TomlTree::noted_path(const std::string& name) {
  TomlKey key = context_;
  if (!name.empty() || key.empty()) {
    key.push_back(name);
  }
  return path(key);
}

Status TomlTree::note_array(const std::string& name) {
  CW_TRY(std::string text, noted_path(name));
  arrays_.insert(std::move(text));
  return {};
}

Status TomlTree::note_other(const std::string& name) {
  CW_TRY(const std::string text, noted_path(name));
  arrays_.erase(text);
  return {};
}

}  // namespace chartwright::helm
