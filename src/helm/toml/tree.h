// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

/// The parts of a dotted key.
using TomlKey = std::vector<std::string>;

/// Formats a key as TOML, quoting parts where necessary. Source: BurntSushi/toml Key.String.
std::string toml_key_text(std::span<const std::string> key);

struct TomlTable;
struct TomlItem;
using TomlTablePtr = std::shared_ptr<TomlTable>;
using TomlTables = std::vector<TomlTablePtr>;  ///< An array of tables, written as [[headers]].
using TomlArray = std::vector<TomlItem>;
using TomlArrayPtr = std::shared_ptr<const TomlArray>;

/// The content of a key while a document is being read.
struct TomlItem {
  std::variant<value::Value, TomlTablePtr, TomlTables, TomlArrayPtr> content;
};

struct TomlTable {
  std::map<std::string, TomlItem, std::less<>> members;
};

/// Converts a complete table to a dict; recurses as deep as tables are nested.
value::Value to_value(const TomlTable& table);

/// Whether a table is the only one of its key, or an element of an array of tables.
enum class TomlTableKind : uint8_t { kSingle, kOfArray };

/// The tables of a document, with the rules for duplicate definitions. Errors: kParse without a
/// position, kBudget. Source: BurntSushi/toml v1.6.0 parse.go, addContext, setValue, setType and
/// the implicit keys.
class TomlTree {
 public:
  TomlTree(base::Budget& budget, TomlRule rule) : budget_(budget), rule_(rule) {}

  /// Returns the table being filled, as a key from the root.
  const TomlKey& context() const { return context_; }
  void set_context(TomlKey context) { context_ = std::move(context); }

  /// Creates the table at `key`, with any missing tables above it, and makes it the context.
  base::Status add_context(const TomlKey& key, TomlTableKind kind);
  /// Creates the table `part` in the context, as a dotted key does, and makes it the context.
  base::Status add_implicit_context(const std::string& part);
  base::Status mark_implicit(const TomlKey& key);
  /// Sets a member of the context.
  base::Status set_value(const std::string& name, TomlItem item);
  /// Marks the member `name` of the context as an array. An array may be set twice: first by the
  /// tables in it.
  base::Status note_array(const std::string& name);
  /// Removes that mark.
  base::Status note_other(const std::string& name);

  const TomlTable& root() const { return *root_; }

 private:
  base::Result<std::string> path(std::span<const std::string> key);
  /// Returns the path under which the library records the kind of a member.
  base::Result<std::string> noted_path(const std::string& name);
  /// Returns the table at `key`; all its parts must exist.
  base::Result<TomlTable*> table_at(std::span<const std::string> key);

  base::Budget& budget_;
  TomlRule rule_;
  TomlTablePtr root_ = std::make_shared<TomlTable>();
  TomlKey context_;
  std::unordered_set<std::string> implicit_;  // Paths of tables without a definition of their own.
  std::unordered_set<std::string> arrays_;    // Paths of arrays.
};

}  // namespace chartwright::helm
