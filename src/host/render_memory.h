// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::host {

/// How the memory of the process is divided among renders.
struct RenderMemory {
  /// The stack of the deepest render (base::BudgetLimits::nesting_max), in a release build.
  static constexpr size_t kStackBytes = size_t{13} << 20;
  /// What a worker may keep of a render without keeping its turn.
  static constexpr size_t kLeftBytes = size_t{1} << 19;

  size_t usable_bytes = 0;  ///< Of the process.
  size_t bytes = 0;         ///< That one render may hold.
  int at_once = 1;          ///< So many renders of that size fit.

  /// What the gate of all renders has to share out.
  size_t gate_bytes() const { return static_cast<size_t>(at_once) * (bytes + kStackBytes); }
  /// For people whose render took more than `share`.
  std::string explanation(size_t share) const;
};

/// Divides what the process may use: a quarter (at least 24 MiB) is for all but rendering, a
/// sixteenth for pages that are neither used nor given back, the rest is for `workers`, or as many
/// of them as can render with 64 MiB each; two take turns with less, down to 24 MiB. No render gets
/// more than 512 MiB, nor another size than `fixed`, where that is given. Pure.
RenderMemory plan_render_memory(size_t usable, int workers, std::optional<size_t> fixed);

/// Whether the machine holds what the plan promises.
bool fits(const RenderMemory& plan);

/// "64Mi" of a flag or watches.yaml. Error: kInvalidArgument for what is no Kubernetes quantity, or
/// not between 1Mi and 64Gi.
base::Result<size_t> parse_render_memory(std::string_view text);

/// "31Mi", rounded down; smaller ones as bytes.
std::string memory_text(size_t bytes);

}  // namespace chartwright::host
