// SPDX-License-Identifier: Apache-2.0
#include "report/tree_report.h"

#include <algorithm>

#include "base/printable.h"
#include "report/summary.h"
#include "report/table.h"

namespace chartwright::cmd {
namespace {

using value::Value;

constexpr size_t kMessageRunes = 60;

struct Branches {
  std::string_view middle;
  std::string_view last;
  std::string_view passing;
  std::string_view none;
};
constexpr Branches kUnicodeBranches = {"├── ", "└── ", "│   ", "    "};
constexpr Branches kAsciiBranches = {"|-- ", "`-- ", "|   ", "    "};

/// Returns what the name does not say of an object.
std::string mark_of(const TreeNode& node) {
  switch (node.relation) {
    case Relation::kPatched:
      return " (fields)";
    case Relation::kHook:
      return " (hook " + node.hook + ")";
    case Relation::kExternal:
      return node.id.empty() ? "" : " (" + node.id + ")";
    case Relation::kSelf:
    case Relation::kChild:
    case Relation::kOwned:
      break;
  }
  return "";
}

/// Adds the lines of a tree to a table.
class TreePrinter {
 public:
  TreePrinter(const ObjectTree& tree, const TreeLook& look, Table& table)
      : nodes_(tree.nodes()),
        look_(look),
        branches_(look.lines == TreeLines::kAscii ? kAsciiBranches : kUnicodeBranches),
        table_(table) {}

  void print() { print(0, "", ""); }

 private:
  /// `before` precedes the name, and `under` the names of the objects below.
  void print(size_t index, const std::string& before, const std::string& under) {
    const TreeNode& node = nodes_[index];
    table_.add({node.ref.ns, before + node_name(node) + mark_of(node), node.state,
                age_text(node.created, look_.now),
                look_.is_wide ? node.message : cut_to(node.message, kMessageRunes)});
    for (const size_t below : node.below) {
      const bool is_last = below == node.below.back();
      print(below, under + std::string(is_last ? branches_.last : branches_.middle),
            under + std::string(is_last ? branches_.none : branches_.passing));
    }
  }

  const std::vector<TreeNode>& nodes_;
  const TreeLook& look_;
  const Branches& branches_;
  Table& table_;
};

Value string_of(const std::string& text) { return Value::string(text); }

Value value_of(const std::vector<TreeNode>& nodes, size_t index) {
  const TreeNode& node = nodes[index];
  std::vector<Value> below;
  std::ranges::transform(node.below, std::back_inserter(below),
                         [&](size_t one) { return value_of(nodes, one); });
  Value item = Value::dict(
      {{"apiVersion", string_of(node.ref.gvk.api_version())},
       {"kind", string_of(node.relation == Relation::kExternal ? "External" : node.ref.gvk.kind)},
       {"namespace", string_of(node.ref.ns)},
       {"name", string_of(node.ref.name)},
       {"relation", Value::string(to_string(node.relation))},
       {"state", string_of(node.state.empty() ? "Unknown" : node.state)},
       {"message", string_of(node.message)},
       {"created", string_of(node.created)},
       {"children", Value::list(std::move(below))}});
  if (!node.hook.empty()) {
    item.mutable_dict().set("hook", string_of(node.hook));
  }
  if (!node.id.empty()) {
    item.mutable_dict().set("id", string_of(node.id));
  }
  return item;
}

}  // namespace

std::string node_name(const TreeNode& node) {
  const bool is_external = node.relation == Relation::kExternal;
  return (is_external ? "External" : node.ref.gvk.kind) + "/" + node.ref.name;
}

std::string table_of(const std::vector<TreeReport>& reports, const TreeLook& look) {
  Table table({"NAMESPACE", "NAME", "STATUS", "AGE", "MESSAGE"});
  for (const TreeReport& report : reports) {
    TreePrinter(report.tree, look, table).print();
  }
  return table.text();
}

std::string names_of(const TreeReport& report) {
  std::string text;
  for (const TreeNode& node : report.tree.nodes()) {
    if (node.relation != Relation::kExternal) {
      text += base::printable(name_text(node.ref)) + "\n";
    }
  }
  return text;
}

Value to_value(const TreeReport& report) {
  Value item = value_of(report.tree.nodes(), 0);
  std::vector<Value> gaps;
  std::ranges::transform(report.gaps, std::back_inserter(gaps), string_of);
  item.mutable_dict().set("gaps", Value::list(std::move(gaps)));
  return item;
}

}  // namespace chartwright::cmd
