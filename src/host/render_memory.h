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
  /// The memory that a reconcile may keep of its renders in any case.
  static constexpr size_t kLeftBytes = size_t{1} << 19;

  size_t usable_bytes = 0;  ///< The limit of the process.
  size_t bytes = 0;         ///< The limit of one render.
  int at_once = 1;          ///< How many renders of that size may run at once.
  size_t left_bytes = 0;    ///< For what is kept of renders in any case, by all workers.

  /// Returns the part for pages that are neither used nor given back.
  static size_t page_bytes(size_t usable) { return usable / 16; }
  size_t one_render_bytes() const { return bytes + kStackBytes; }
  /// The total for RenderGate: `at_once` renders with their stacks.
  size_t gate_bytes() const { return static_cast<size_t>(at_once) * one_render_bytes(); }
  /// Explains the limit to a user whose render needed more than `share`.
  std::string explanation(size_t share) const;
};

/// Divides the memory that the process may use (`usable`). A quarter (at least 24 MiB) is for
/// everything but rendering, a sixteenth for pages that are neither used nor given back, and
/// kLeftBytes for each worker. The rest is for the renders of `workers`, or of as many of them as
/// can have 64 MiB each. If only one can, two run at once with less, provided that they can have
/// 24 MiB each. No render gets less than 24 MiB or more than 512 MiB; if `fixed` is given, each
/// gets exactly that. Pure.
RenderMemory plan_render_memory(size_t usable, int workers, std::optional<size_t> fixed);

/// Reports whether the usable memory is enough for the plan.
bool fits(const RenderMemory& plan);

/// Parses an amount of memory from a flag or watches.yaml, such as "64Mi", and rounds it down to
/// MiB. Error: kInvalidArgument if it is not a Kubernetes quantity between 1Mi and 64Gi.
base::Result<size_t> parse_render_memory(std::string_view text);

/// Formats an amount of memory in MiB, rounded down, such as "31Mi"; less than 1 MiB in bytes.
std::string memory_text(size_t bytes);

}  // namespace chartwright::host
