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

/// Parts of a dotted key.
using TomlKey = std::vector<std::string>;

/// A key as TOML writes it, parts quoted where they must be. Source: BurntSushi/toml Key.String.
std::string toml_key_text(std::span<const std::string> key);

struct TomlTable;
struct TomlItem;
using TomlTablePtr = std::shared_ptr<TomlTable>;
using TomlTables = std::vector<TomlTablePtr>;  ///< An array of tables, from [[headers]].
using TomlArray = std::vector<TomlItem>;
using TomlArrayPtr = std::shared_ptr<const TomlArray>;

/// What stands behind a key while a document is being read.
struct TomlItem {
  std::variant<value::Value, TomlTablePtr, TomlTables, TomlArrayPtr> content;
};

struct TomlTable {
  std::map<std::string, TomlItem, std::less<>> members;
};

/// The values of a finished table; recursive, as deep as the tables are.
value::Value to_value(const TomlTable& table);

/// Whether a table is the only one of its key, or one more of an array.
enum class TomlTableKind : uint8_t { kSingle, kOfArray };

/// The tables of a document and the rules of who may define what, which decide about duplicates.
/// Errors: kParse without a place, kBudget. Source: BurntSushi/toml v1.6.0 parse.go, addContext,
/// setValue, setType and the implicit keys.
class TomlTree {
 public:
  TomlTree(base::Budget& budget, TomlRule rule) : budget_(budget), rule_(rule) {}

  /// The table that is being filled, as a key from the top.
  const TomlKey& context() const { return context_; }
  void set_context(TomlKey context) { context_ = std::move(context); }

  /// Makes the table at `key` the context, and all above it that do not exist.
  base::Status add_context(const TomlKey& key, TomlTableKind kind);
  /// Makes the table `part` inside the context the context, as a dotted key does.
  base::Status add_implicit_context(const std::string& part);
  base::Status mark_implicit(const TomlKey& key);
  /// Sets a member of the context.
  base::Status set_value(const std::string& name, TomlItem item);
  /// Remembers that the member `name` of the context is an array, which may be given twice: first
  /// by the tables in it.
  base::Status note_array(const std::string& name);
  /// Remembers that it is none.
  base::Status note_other(const std::string& name);

  const TomlTable& root() const { return *root_; }

 private:
  base::Result<std::string> path(std::span<const std::string> key);
  /// The path under which the library notes the kind of a member.
  base::Result<std::string> noted_path(const std::string& name);
  /// The table at `key`; its parts must exist.
  base::Result<TomlTable*> table_at(std::span<const std::string> key);

  base::Budget& budget_;
  TomlRule rule_;
  TomlTablePtr root_ = std::make_shared<TomlTable>();
  TomlKey context_;
  std::unordered_set<std::string> implicit_;  // Paths that nobody has defined by name.
  std::unordered_set<std::string> arrays_;    // Paths of arrays.
};

}  // namespace chartwright::helm
