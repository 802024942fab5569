// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/output_table.h"

#include <functional>

namespace chartwright::helm::analysis {
namespace {

/// The nesting to which equal outputs are looked for.
constexpr int kUniqueDepthMax = 200;

void mix(size_t value, size_t& into) {
  into ^= value + 0x9e3779b97f4a7c15 + (into << 6) + (into >> 2);
}

}  // namespace

OutputPtr OutputTable::unique(const OutputPtr& output, int depth) {
  if (depth > kUniqueDepthMax || known_.contains(output.get())) {
    return output;
  }
  std::vector<OutputPtr> parts;
  parts.reserve(output->parts.size());
  for (const OutputPtr& part : output->parts) {
    parts.push_back(unique(part, depth + 1));
  }
  const OutputPtr& kept = *nodes_.insert(Output::with_parts(output, std::move(parts))).first;
  known_.insert(kept.get());
  return kept;
}

size_t OutputTable::Hash::operator()(const OutputPtr& node) const {
  size_t hash = static_cast<size_t>(node->kind);
  mix(std::hash<std::string_view>()(node->text), hash);
  mix(node->indent, hash);
  mix(node->pos, hash);
  for (const OutputPtr& part : node->parts) {
    mix(std::hash<const Output*>()(part.get()), hash);
  }
  for (const std::string& step : node->path) {
    mix(std::hash<std::string>()(step), hash);
  }
  return hash;
}

bool OutputTable::Equal::operator()(const OutputPtr& a, const OutputPtr& b) const {
  return a->kind == b->kind && a->tree == b->tree && a->pos == b->pos && a->indent == b->indent &&
         a->text == b->text && a->parts == b->parts && a->path == b->path;
}

}  // namespace chartwright::helm::analysis
