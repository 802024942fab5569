// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "report/object_tree.h"
#include "value/value.h"

namespace chartwright::cmd {

/// A tree, and what of it could not be read.
struct TreeReport {
  ObjectTree tree;
  std::vector<std::string> gaps;
};

/// The lines between an object and what it owns.
enum class TreeLines : uint8_t { kUnicode, kAscii };

/// Returns "Deployment/web", "External/pet".
std::string node_name(const TreeNode& node);

/// How a table of trees looks.
struct TreeLook {
  base::WallTime now;
  TreeLines lines = TreeLines::kUnicode;
  bool is_wide = false;  ///< With whole messages.
};
/// Returns the trees in one table, each object in a line.
std::string table_of(const std::vector<TreeReport>& reports, const TreeLook& look);

/// Returns the names of the objects in the cluster, each in a line, as kubectl takes them.
std::string names_of(const TreeReport& report);

/// Returns the tree as JSON has it: the form that docs/operate/tree.md describes.
value::Value to_value(const TreeReport& report);

}  // namespace chartwright::cmd
