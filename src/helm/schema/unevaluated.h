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

/// The properties and items of one value that no keyword has evaluated yet.
struct Unevaluated {
  std::set<std::string, std::less<>> props;
  std::set<size_t> items;

  bool empty() const { return props.empty() && items.empty(); }
  /// Keeps only what is unevaluated in `other` as well.
  void merge(const Unevaluated& other);
};

/// Whether to track unevaluated members only if `node` itself needs them, or always, for an
/// enclosing schema.
enum class Tracking : uint8_t { kIfNeeded, kAlways };

/// Returns the members of `v` that are unevaluated before any keyword of `node` is applied: all
/// but those that `node` always evaluates.
Unevaluated unevaluated_of(const value::Value& v, const SchemaNode& node, Tracking tracking);

}  // namespace chartwright::helm
