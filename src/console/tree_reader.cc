// SPDX-License-Identifier: Apache-2.0
#include "console/tree_reader.h"

#include <algorithm>

#include "base/printable.h"
#include "kube/api_status.h"

namespace chartwright::cmd {
namespace {

using base::ErrorCode;
using value::Value;

/// Each costs a request.
constexpr size_t kChildrenReadMax = 200;
constexpr int64_t kPageObjects = 500;
constexpr size_t kListedObjectsMax = 5000;

/// Returns "Pods", "Endpoints".
std::string plural_of(const kube::Gvk& gvk) {
  return gvk.kind + (gvk.kind.ends_with('s') ? "" : "s");
}

std::string below_namespace(const std::string& ns) { return ns.empty() ? "" : " in " + ns; }

class TreeReader {
 public:
  TreeReader(const Value& cr, Connection& connection)
      : report_{ObjectTree(cr), {}}, connection_(connection) {}

  TreeReport read() {
    read_children();
    for (const kube::Gvk& kind : ObjectTree::ownable_kinds()) {
      list_all(kind);
    }
    if (report_.tree.is_cut()) {
      gap("more objects belong to it than are shown");
    }
    return std::move(report_);
  }

 private:
  void gap(std::string text) { add_gap(report_.gaps, std::move(text)); }

  void read_children() {
    size_t reads = 0;
    const size_t named = report_.tree.nodes().size();
    for (size_t i = 1; i < named; ++i) {
      if (report_.tree.nodes()[i].relation == Relation::kExternal) {
        continue;
      }
      if (reads++ == kChildrenReadMax) {
        gap("only " + std::to_string(kChildrenReadMax) +
            " children were read; the state of the others is that of the status");
        return;
      }
      read_child(i);
    }
  }

  void read_child(size_t node) {
    const kube::ObjectRef ref = report_.tree.nodes()[node].ref;
    const auto live = connection_.client().get(ref, connection_.call());
    if (live.ok()) {
      report_.tree.see(node, *live);
    } else if (live.error().code() == ErrorCode::kNotFound) {
      report_.tree.miss(node);
    } else if (kube::lacks_right(live.error())) {
      gap("no right to get " + plural_of(ref.gvk) + below_namespace(ref.ns));
    } else {
      gap(ref.to_string() + " could not be read: " + live.error().message());
    }
  }

  void list_all(const kube::Gvk& kind) {
    const std::set<std::string> namespaces = report_.tree.namespaces_with(kind);
    size_t lists = 0;
    for (const std::string& ns : namespaces) {
      if (lists++ == kNamespacesMax) {
        gap("only " + std::to_string(kNamespacesMax) + " namespaces were looked into for " +
            plural_of(kind));
        return;
      }
      list(kind, ns);
    }
  }

  /// Keeps nothing of an object that is not in the tree.
  void list(const kube::Gvk& kind, const std::string& ns) {
    kube::ListOptions options;
    options.selection.ns = ns;
    options.limit = kPageObjects;
    for (size_t listed = 0; listed < kListedObjectsMax;) {
      auto page = connection_.client().list(kind, options, connection_.call());
      if (!page.ok()) {
        // A kind that this cluster does not have belongs to nothing.
        if (page.error().reason() != kube::kNoMatchReason) {
          gap(list_gap(kind, ns, page.error()));
        }
        return;
      }
      for (const Value& object : page->items) {
        report_.tree.add(object);
      }
      listed += page->items.size();
      options.continue_token = page->continue_token;
      if (options.continue_token.empty()) {
        return;
      }
    }
    gap("only " + std::to_string(kListedObjectsMax) + " " + plural_of(kind) + " in " + ns +
        " were looked at");
  }

  TreeReport report_;
  Connection& connection_;
};

}  // namespace

TreeReport read_tree(const Value& cr, Connection& connection) {
  return TreeReader(cr, connection).read();
}

void add_gap(std::vector<std::string>& gaps, std::string gap) {
  gap = base::printable(gap);
  if (std::ranges::find(gaps, gap) == gaps.end()) {
    gaps.push_back(std::move(gap));
  }
}

std::string list_gap(const kube::Gvk& gvk, const std::string& ns, const base::Error& error) {
  if (kube::lacks_right(error)) {
    return "no right to list " + plural_of(gvk) + below_namespace(ns);
  }
  return plural_of(gvk) + below_namespace(ns) + " could not be listed: " + error.message();
}

}  // namespace chartwright::cmd
