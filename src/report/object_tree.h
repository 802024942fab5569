// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.h"
#include "value/value.h"

namespace chartwright::cmd {

/// How an object belongs to a custom resource.
enum class Relation : uint8_t {
  kSelf,      ///< The custom resource.
  kChild,     ///< The chart renders it.
  kPatched,   ///< An object of others, of which the chart sets fields.
  kHook,      ///< A hook of the chart has left it.
  kOwned,     ///< An object in the tree owns it.
  kExternal,  ///< It is outside the cluster.
};
std::string_view to_string(Relation relation);  ///< "Self", "Child", ...

/// An object in a tree. Its texts are one printable line of at most 1024 bytes, but for `ref`.
struct TreeNode {
  kube::ObjectRef ref;  ///< An external has a name alone.
  Relation relation = Relation::kOwned;
  std::string uid;      ///< Empty if the object was not seen.
  std::string state;    ///< "Ready", "Missing", ...; empty if nothing is known of it.
  std::string message;  ///< Why it is not ready; may be empty.
  std::string created;  ///< In RFC 3339; empty if it was not seen.
  std::string hook;     ///< The events of a hook: "pre-upgrade".
  std::string id;       ///< The id of an external.
  size_t depth = 0;     ///< The number of objects above it.
  std::vector<size_t> below;
};

/// A custom resource, its children, and what these own. Objects are added as they are read; they
/// may have any content.
class ObjectTree {
 public:
  static constexpr size_t kNodesMax = 5000;
  /// No controller makes deeper trees, but owner references may.
  static constexpr size_t kDepthMax = 8;

  /// Takes the custom resource, and what its status names.
  explicit ObjectTree(const value::Value& cr);

  /// Returns all nodes; the first one is the custom resource.
  const std::vector<TreeNode>& nodes() const { return nodes_; }
  /// Reports whether there are more or deeper objects than nodes.
  bool is_cut() const { return is_cut_; }

  /// Notes the live object of a node.
  void see(size_t node, const value::Value& object);
  /// Notes that there is no such object.
  void miss(size_t node);
  /// Adds a live object below its owner, unless the tree has neither that nor room. An object that
  /// the tree has already is noted as seen. Reports whether the tree has it.
  bool add(const value::Value& object);

  /// Reports whether an object with that uid belongs to the custom resource, or one of that name
  /// whose uid is not known. Objects of others, of which only fields are set, do not count.
  bool has(const kube::ObjectRef& ref, std::string_view uid) const;

  /// Returns the kinds that built-in controllers make, each after those that may own it.
  static std::span<const kube::Gvk> ownable_kinds();
  /// Returns the namespaces in which an object of the tree may own objects of an ownable kind.
  std::set<std::string> namespaces_with(const kube::Gvk& kind) const;

 private:
  /// A live object, which owns others by their names.
  struct Maker {
    size_t node;
    value::Value object;
  };
  void add_named(const value::Value& cr);
  size_t insert(size_t parent, TreeNode node);
  size_t owner_of(const value::Value& object) const;
  bool may_own(const TreeNode& node, const kube::Gvk& kind) const;

  std::vector<TreeNode> nodes_;
  std::map<kube::ObjectRef, size_t> by_ref_;
  std::map<std::string, size_t, std::less<>> by_uid_;
  std::vector<Maker> sets_;  ///< StatefulSets, whose claims have no owner.
  bool has_ephemeral_claims_ = false;
  bool is_cut_ = false;
};

}  // namespace chartwright::cmd
