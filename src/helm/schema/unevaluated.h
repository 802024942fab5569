// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "helm/schema/graph.h"
#include "value/value.h"

namespace chartwright::helm {

/// Properties and items of one value that no keyword has looked at yet.
struct Unevaluated {
  std::set<std::string, std::less<>> props;
  std::set<size_t> items;

  bool empty() const { return props.empty() && items.empty(); }
  /// Keeps what the other has left, too.
  void merge(const Unevaluated& other);
};

/// Whether to keep account where `node` itself asks for it only, or for a schema around it.
enum class Tracking : uint8_t { kIfNeeded, kAlways };

/// All of `v`, before any keyword of `node` but what the node marks as evaluated by itself.
Unevaluated unevaluated_of(const value::Value& v, const SchemaNode& node, Tracking tracking);

}  // namespace chartwright::helm
