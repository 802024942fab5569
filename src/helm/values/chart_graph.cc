// SPDX-License-Identifier: Apache-2.0
#include "helm/values/chart_graph.h"

#include <algorithm>

namespace chartwright::helm {
namespace {

std::string full_path(const ChartNode& node) {
  return node.parent != nullptr ? full_path(*node.parent) + "/charts/" + node.name() : node.name();
}

Metadata settled(const LiveMetadata& live) {
  Metadata metadata = *live.loaded;
  metadata.name = live.name;
  metadata.has_dependencies = live.has_dependencies;
  metadata.dependencies.clear();
  for (const Dependency* entry : live.dependencies) {
    metadata.dependencies.push_back(*entry);
  }
  return metadata;
}

base::Error too_many_charts() {
  return base::Error(base::ErrorCode::kBudget, "the aliases of its dependencies make more than " +
                                                   std::to_string(kChartsMax) + " charts");
}

base::Error too_many_members() {
  return base::Error(base::ErrorCode::kBudget, "the values of its dependencies have more than " +
                                                   std::to_string(kValueMembersMax) + " members");
}

/// Subtracts from `room` the members of maps that a copy of `v` copies, including maps in lists.
/// Scalar items of lists are shared and not counted. Returns false if `room` is too small.
bool take_members(const value::Value& v, size_t& room) {
  if (!v.is_dict() && !v.is_list()) {
    return true;
  }
  if (v.is_list()) {
    const auto& items = v.as_list().items;
    return std::all_of(items.begin(), items.end(),
                       [&](const value::Value& item) { return take_members(item, room); });
  }
  const auto& dict = v.as_dict();
  if (dict.size() >= room) {
    return false;
  }
  room -= dict.size() + 1;
  return std::all_of(dict.begin(), dict.end(),
                     [&](const auto& entry) { return take_members(entry.second, room); });
}

/// The remaining limits.
struct Room {
  size_t charts = kChartsMax;
  size_t members = kValueMembersMax;
};

base::Result<Chart> tree_of(const ChartNode& node, Room& room) {
  if (room.charts == 0) {
    return too_many_charts();
  }
  --room.charts;
  Chart chart{settled(*node.metadata), node.values, node.loaded->content, {}, full_path(node)};
  chart.dependencies.reserve(node.dependencies.size());
  for (const ChartNode* sub : node.dependencies) {
    if (!take_members(sub->values, room.members)) {
      return too_many_members();
    }
    CW_TRY(Chart below, tree_of(*sub, room));
    chart.dependencies.push_back(std::move(below));
  }
  return chart;
}

}  // namespace

ChartNode* ChartGraph::add(const Chart& loaded, const ChartNode* parent) {
  const Metadata& metadata = loaded.metadata;
  LiveMetadata& live =
      metadata_.emplace_back(LiveMetadata{&metadata, metadata.name, metadata.has_dependencies, {}});
  for (const Dependency& entry : metadata.dependencies) {
    live.dependencies.push_back(&entries_.emplace_back(entry));
  }
  ChartNode& node = nodes_.emplace_back(ChartNode{&loaded, &live, loaded.values, parent, {}});
  for (const Chart& sub : loaded.dependencies) {
    node.dependencies.push_back(add(sub, &node));
  }
  return &node;
}

base::Result<ChartNode*> ChartGraph::copy(const ChartNode& node, const std::string& name) {
  if (++copies_ > kChartsMax) {
    return too_many_charts();
  }
  ChartNode& out = nodes_.emplace_back(node);
  out.metadata = &metadata_.emplace_back(*node.metadata);
  out.metadata->name = name;
  if (rule_ == AliasRule::kCopied) {
    for (Dependency*& entry : out.metadata->dependencies) {
      entry = &entries_.emplace_back(*entry);
    }
    // Only one level is copied; the charts there still share their metadata.
    for (ChartNode*& sub : out.dependencies) {
      sub = &nodes_.emplace_back(*sub);
      sub->parent = &out;
    }
  }
  return &out;
}

void ChartGraph::set_dependencies(ChartNode& node, std::vector<ChartNode*> dependencies) {
  for (ChartNode* sub : dependencies) {
    sub->parent = &node;
  }
  node.dependencies = std::move(dependencies);
}

base::Status ChartGraph::charge_copy(const value::Value& values) {
  if (!take_members(values, copied_left_)) {
    return base::Error(base::ErrorCode::kBudget, "resolving its dependencies copies more than " +
                                                     std::to_string(kMembersCopiedMax) +
                                                     " members of values");
  }
  return {};
}

base::Status ChartGraph::set_values(ChartNode& node, value::Value values) {
  if (!take_members(values, members_left_)) {
    return too_many_members();
  }
  node.values = std::move(values);
  return {};
}

base::Result<Chart> ChartGraph::tree(const ChartNode& node) {
  Room room;
  return tree_of(node, room);
}

}  // namespace chartwright::helm
