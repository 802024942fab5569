// SPDX-License-Identifier: Apache-2.0
#include "chart/chart_graph.h"

namespace chartwright::chart {
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

base::Result<Chart> tree_of(const ChartNode& node, size_t& room) {
  if (room == 0) {
    return base::Error(base::ErrorCode::kBudget, "the aliases of its dependencies make more than " +
                                                     std::to_string(kChartsMax) + " charts");
  }
  --room;
  Chart chart{settled(*node.metadata), node.values, node.loaded->content, {}, full_path(node)};
  chart.dependencies.reserve(node.dependencies.size());
  for (const ChartNode* sub : node.dependencies) {
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

ChartNode* ChartGraph::copy(const ChartNode& node, const std::string& name) {
  ChartNode& out = nodes_.emplace_back(node);
  out.metadata = &metadata_.emplace_back(*node.metadata);
  out.metadata->name = name;
  if (rule_ == AliasRule::kCopied) {
    for (Dependency*& entry : out.metadata->dependencies) {
      entry = &entries_.emplace_back(*entry);
    }
    // One level is copied, and the metadata of the charts there are still shared.
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

base::Result<Chart> ChartGraph::tree(const ChartNode& node) {
  size_t room = kChartsMax;
  return tree_of(node, room);
}

}  // namespace chartwright::chart
